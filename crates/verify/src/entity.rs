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

#[cfg(test)]
mod tests {
    use super::find;

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
