//! Properties of characters in links (UTS #58). `scan` needs them to find the end
//! of a link, and `url` to write a link so that its end is found.
//! `tests/uts58.rs` makes both tables from the data of Unicode.

use crate::words::words;

/// The value `Include` of `Link_Term`. `Hard`, `Open` and `Close` are 0.
pub const INCLUDE: u8 = 1;
/// The value `Soft` of `Link_Term`.
pub const SOFT: u8 = 2;

/// `Link_Term` of the characters below U+40000: the number of the block of each 128
/// characters, then the blocks, with two bits a character.
static LINK_TERM: &[u8] = include_bytes!("link_term.bin");
const BLOCKS: usize = 0x40000 / 128;

/// `Link_Term` of a character: [`INCLUDE`], [`SOFT`] or 0.
pub fn link_term(c: char) -> u8 {
    let c = c as usize;
    let block = LINK_TERM[..BLOCKS].get(c / 128).copied();
    block.map_or(0, |block| {
        let bits = LINK_TERM[BLOCKS + usize::from(block) * 32 + c % 128 / 4];
        bits >> (c % 4 * 2) & 3
    })
}

/// `Link_Bracket`: each opening bracket with its closing one.
static LINK_BRACKET: [&str; 64] = words(include_str!("link_bracket.txt"));

/// The opening and the closing bracket, if `c` is either of them.
pub fn link_bracket(c: char) -> Option<(char, char)> {
    let pair = LINK_BRACKET.iter().find(|pair| pair.contains(c))?;
    pair.chars().next().zip(pair.chars().next_back())
}
