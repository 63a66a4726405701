//! Names that stand in the URLs of templates for what a program fills in.

/// Names of variables in the paths of templates (`/blog/[slug]`). A label of AsciiDoc stands
/// at the same place (`https://jetty.org/docs/[documentation]`).
const VARIABLES: [&[u8]; 18] = [
    b"category",
    b"code",
    b"date",
    b"hash",
    b"id",
    b"key",
    b"lang",
    b"locale",
    b"name",
    b"page",
    b"path",
    b"slug",
    b"tag",
    b"token",
    b"type",
    b"user",
    b"username",
    b"year",
];

/// True for the name of a variable of a template: `slug`, `...all`, `user_id`, `userId`.
#[must_use]
pub fn is_variable(note: &[u8]) -> bool {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let is_camel = || {
        note.windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
    };
    note.starts_with(b"...")
        || VARIABLES.contains(&note)
        || note.first().is_some_and(u8::is_ascii_lowercase)
            && note.iter().all(is_name)
            && (note.contains(&b'_') || is_camel())
}
