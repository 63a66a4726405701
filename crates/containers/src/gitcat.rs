//! The output of `git cat-file --batch`. To search a public-inbox archive, this
//! output is piped to standard input.
//!
//! git-cat-file(1), "Batch output": `<oid> SP <type> SP <size> LF`, then
//! `<contents> LF`. Each blob is a message. A commit or a tag is read as text.
//! A tree is binary and is skipped.

use super::events::{ContainerNoteKind, ContainerSink, Out, Outside, Shape, View};
use super::lines::LINE;
use urlgrep_base::digits::decimal;

/// The object type and size on the line before an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Object {
    /// `None` for a tree.
    shape: Option<Shape>,
    size: u64,
}

/// The object announced by the line at the start of `buf`, and the length of
/// that line.
pub(crate) fn object_line(buf: &[u8]) -> Option<(Object, usize)> {
    let window = &buf[..buf.len().min(LINE)];
    let end = memchr::memchr(b'\n', window)?;
    let mut words = window[..end].split(|&b| b == b' ');
    let id = words.next()?;
    // The id is a SHA-1 or SHA-256 hash.
    if !(matches!(id.len(), 40 | 64) && id.iter().all(u8::is_ascii_hexdigit)) {
        return None;
    }
    let shape = match words.next()? {
        b"blob" => Some(Shape::Message),
        b"commit" | b"tag" => Some(Shape::Text),
        b"tree" => None,
        _ => return None,
    };
    let size = decimal(words.next()?)?;
    words
        .next()
        .is_none()
        .then_some((Object { shape, size }, end + 1))
}

/// As [`object_line`], but `None` if more bytes are needed.
pub(crate) fn object_head(buf: &[u8], eof: bool) -> Option<Option<Object>> {
    let known = object_line(buf).map(|(object, _)| object);
    let near = buf.iter().take(40);
    let fits = near.take_while(|b| b.is_ascii_hexdigit()).count() == buf.len().min(40);
    let has_ended = eof || buf.len() >= LINE || memchr::memchr(b'\n', buf).is_some();
    (known.is_some() || !fits || has_ended).then_some(known)
}

/// Splits the output into objects.
#[derive(Debug)]
pub(crate) struct GitCat {
    state: ObjectState,
}

#[derive(Clone, Copy, Debug)]
enum ObjectState {
    /// Between objects.
    Line {
        /// True if the next byte is the first of a line.
        at_line: bool,
    },
    Object {
        is_tree: bool,
        end: u64,
    },
    /// At the line feed after an object.
    After,
}

impl GitCat {
    pub fn new() -> GitCat {
        GitCat {
            state: ObjectState::Line { at_line: true },
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each state")]
    pub fn step<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        let View { buf, base, eof } = view;
        let mut at = 0;
        loop {
            let rest = &buf[at..];
            let offset = base + at as u64;
            match self.state {
                ObjectState::Object { end, .. } if offset >= end => self.state = ObjectState::After,
                ObjectState::Object { .. } if rest.is_empty() => {
                    if eof {
                        out.note(ContainerNoteKind::Count, offset);
                    }
                    return at;
                }
                _ if rest.is_empty() => return at,
                ObjectState::Object { is_tree, end } => {
                    let left = usize::try_from(end - offset).unwrap_or(usize::MAX);
                    let length = left.min(rest.len());
                    if is_tree {
                        out.outside(&rest[..length], offset, Outside::Frame);
                    } else {
                        out.data(&rest[..length], offset);
                    }
                    at += length;
                }
                ObjectState::After => {
                    out.end(offset);
                    let line_feed = rest[0] == b'\n';
                    if line_feed {
                        out.outside(&rest[..1], offset, Outside::Frame);
                        at += 1;
                    } else {
                        out.note(ContainerNoteKind::Count, offset);
                    }
                    self.state = ObjectState::Line { at_line: line_feed };
                }
                ObjectState::Line { at_line } => {
                    if at_line {
                        if let Some((object, length)) = object_line(rest) {
                            match object.shape {
                                Some(shape) => out.start(&rest[..length], offset, shape),
                                None => out.outside(&rest[..length], offset, Outside::Frame),
                            }
                            at += length;
                            self.state = ObjectState::Object {
                                is_tree: object.shape.is_none(),
                                end: (base + at as u64).saturating_add(object.size),
                            };
                            continue;
                        }
                        if !eof && is_open(rest) {
                            return at;
                        }
                    }
                    let end = memchr::memchr(b'\n', rest);
                    let length = end.map_or(rest.len(), |end| end + 1);
                    out.outside(&rest[..length], offset, Outside::Talk);
                    at += length;
                    self.state = ObjectState::Line {
                        at_line: end.is_some(),
                    };
                }
            }
        }
    }
}

/// True if `line` may be the beginning of an object's line.
fn is_open(line: &[u8]) -> bool {
    let window = &line[..line.len().min(LINE)];
    line.len() < LINE
        && window.iter().take(40).all(u8::is_ascii_hexdigit)
        && memchr::memchr(b'\n', window).is_none()
}
