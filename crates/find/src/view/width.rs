//! How wide the characters of a row are, in columns of a terminal.

/// The fewest columns of a terminal.
pub(crate) const NARROW: usize = 20;

/// The first character of `bytes`, and its length. A byte that is not of UTF-8 is a character.
pub(super) fn character(bytes: &[u8]) -> (char, usize) {
    let len = match bytes.first() {
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        Some(&b) => return (char::from(b), 1),
        None => return ('\0', 0),
    };
    let text = bytes.get(..len).and_then(|c| std::str::from_utf8(c).ok());
    match text.and_then(|c| c.chars().next()) {
        Some(c) => (c, len),
        None => ('\u{FFFD}', 1),
    }
}

/// The number of columns of a character that begins at `column`.
pub(super) fn width(c: char, column: usize) -> usize {
    match c {
        '\t' => 8 - column % 8,
        '\u{300}'..='\u{36F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2060}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' => 0,
        _ if is_wide(c) => 2,
        _ => 1,
    }
}

/// The number of columns of `text`, which begins a row.
pub(super) fn columns(text: &[u8]) -> usize {
    // Fast path: most rows are of ASCII without tabs.
    if text.is_ascii() && !text.contains(&b'\t') {
        return text.len();
    }
    let (mut column, mut at) = (0, 0);
    while at < text.len() {
        let (c, len) = character(&text[at..]);
        column += width(c, column);
        at += len;
    }
    column
}

/// True for a character of two columns: East Asian Width W or F (UAX #11), and emoji.
pub(super) fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115F}'
        | '\u{2E80}'..='\u{303E}'
        | '\u{3041}'..='\u{A4CF}'
        | '\u{A960}'..='\u{A97C}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF01}'..='\u{FF60}'
        | '\u{FFE0}'..='\u{FFE6}'
        | '\u{1F300}'..='\u{1F64F}'
        | '\u{1F680}'..='\u{1F6FF}'
        | '\u{1F900}'..='\u{1F9FF}'
        | '\u{20000}'..='\u{3FFFD}')
}
