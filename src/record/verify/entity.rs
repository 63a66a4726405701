//! Named character references of HTML: those of HTML 4 section 24, and later
//! ones for ASCII characters. The list is independent of the decoder's list, so
//! that a wrong name in either is noticed.

/// The character for `name`, which is without `&` and `;`.
///
/// # Complexity
///
/// Linear in the list. A record has few references.
pub(super) fn find(name: &str) -> Option<char> {
    let mut rows = NAMES.split_ascii_whitespace();
    rows.find_map(|row| {
        let code = row.strip_prefix(name)?.strip_prefix('=')?;
        char::from_u32(u32::from_str_radix(code, 16).ok()?)
    })
}

/// Names and hexadecimal codes, as `name=code` with white space between them.
const NAMES: &str = include_str!("entities.txt");

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn finds_whole_names_only() {
        assert_eq!(find("amp"), Some('&'));
        assert_eq!(find("AMP"), Some('&'));
        assert_eq!(find("colon"), Some(':'));
        assert_eq!(find("zwnj"), Some('\u{200C}'));
        assert_eq!(find("am"), None);
        assert_eq!(find("amp="), None);
        assert_eq!(find(""), None);
    }
}
