//! Named character references of HTML. They are the names of HTML 4 (section
//! 24), and the later names of ASCII characters, which can be part of a URL.
//! The living standard has more than 1,800 other names, which are left as
//! written. Except for `fjlig` and a few combinations, their characters are
//! beyond ASCII. Only an IRI can contain such characters unencoded.

use crate::words::words;

/// The names, and the code of each character after its name. A name ends with
/// `;` if the living standard (13.5) demands that of its references. The names
/// without it are in byte order.
static ENTITIES: [&str; 590] = words(include_str!("entities.txt"));

/// What a name stands for.
pub(super) struct Entity {
    pub(super) to: char,
    /// Whether the living standard allows the name without its `;`.
    pub(super) bare: bool,
}

/// The entry for the reference `name`.
pub(super) fn find(name: &[u8]) -> Option<Entity> {
    // Fast path for most references in HTML mail.
    if name == b"nbsp" {
        return Some(Entity {
            to: '\u{A0}',
            bare: true,
        });
    }
    let (rows, _) = ENTITIES.as_chunks();
    let i = rows.binary_search_by(|[full, _]| stem(full).as_bytes().cmp(name));
    let [full, code] = rows[i.ok()?];
    Some(Entity {
        to: char::from_u32(u32::from_str_radix(code, 16).ok()?)?,
        bare: stem(full) == full,
    })
}

fn stem(name: &str) -> &str {
    name.strip_suffix(';').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_ordered() {
        let (rows, _) = ENTITIES.as_chunks::<2>();
        assert!(rows.is_sorted_by_key(|[name, _]| stem(name)));
        for name in rows.iter().map(|[name, _]| stem(name)) {
            assert!(name.len() <= super::super::html::MAX_REFERENCE);
            assert!(find(name.as_bytes()).is_some(), "{name}");
        }
        assert_eq!(find(b"amp").map(|e| e.to), Some('&'));
        assert_eq!(find(b"colon").map(|e| e.bare), Some(false));
        assert_eq!(find(b"ampere").map(|e| e.to), None);
    }
}
