//! The bars that people and programs draw beside and between texts: the sides of boxes, gutters, and
//! the lines between columns.

/// The sides of boxes, and the bar that programs for chats put after a name.
pub(crate) const SIDES: [&str; 4] = ["|", "│", "┃", "║"];

/// The side of a box that begins `text`.
pub(crate) fn side(text: &[u8]) -> Option<&'static str> {
    SIDES
        .into_iter()
        .find(|side| text.starts_with(side.as_bytes()))
}

/// A character that draws the side of a frame, a gutter, or the line between panes.
pub(crate) fn is_bar(c: char) -> bool {
    is_drawn(c) || matches!(c, '|' | '*' | '#')
}

/// A bar that is no text, wherever it stands.
pub(crate) fn is_drawn(c: char) -> bool {
    matches!(
        c,
        '│' | '┃' | '║' | '┊' | '┆' | '╎' | '▏' | '▎' | '▌' | '▐' | '▕' | '█'
    )
}

/// A character of a border: `╰──╯`, `+---+`, `====`.
pub(crate) fn is_border(c: char) -> bool {
    matches!(
        c,
        '\u{2500}'..='\u{257F}' | '-' | '=' | '+' | '_' | '|' | '*' | '#'
    )
}
