//! Named character references of HTML, searched without the index of the decoder.

use entities::ENTITIES;

/// The characters for `name`, which is without `&` and `;`.
///
/// # Complexity
///
/// Linear in the list. A record has few references.
pub(super) fn find(name: &str) -> Option<&'static str> {
    let is_named = |entity: &str| {
        let found = entity[1..].strip_suffix(';').unwrap_or(&entity[1..]);
        found == name
    };
    let found = ENTITIES.iter().find(|entry| is_named(entry.entity))?;
    Some(found.characters)
}

/// The length of the longest name that may end without `;`: `brvbar`.
pub(super) const UNENDED_MAX: usize = 6;

/// The characters for `name`, if HTML reads it without `;` too.
pub(super) fn find_unended(name: &str) -> Option<&'static str> {
    let is_named = |entity: &str| &entity[1..] == name;
    let found = ENTITIES.iter().find(|entry| is_named(entry.entity))?;
    Some(found.characters)
}

#[cfg(test)]
mod tests {
    use super::{UNENDED_MAX, find, find_unended};
    use entities::ENTITIES;

    #[test]
    fn names_without_end_are_those_of_html() {
        assert_eq!(find_unended("shy"), Some("\u{AD}"));
        assert_eq!(find_unended("amp"), Some("&"));
        assert_eq!(find_unended("zwnj"), None);
        let names = ENTITIES.iter().map(|entry| entry.entity);
        let lengths = names
            .filter(|name| !name.ends_with(';'))
            .map(|name| name.len() - 1);
        assert_eq!(lengths.max(), Some(UNENDED_MAX));
    }

    #[test]
    fn finds_whole_names_only() {
        assert_eq!(find("amp"), Some("&"));
        assert_eq!(find("AMP"), Some("&"));
        assert_eq!(find("colon"), Some(":"));
        assert_eq!(find("zwnj"), Some("\u{200C}"));
        assert_eq!(find("fjlig"), Some("fj"));
        assert_eq!(find("am"), None);
        assert_eq!(find("amp;"), None);
        assert_eq!(find(""), None);
    }
}
