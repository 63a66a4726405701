//! Comments, scripts and style sheets.

use memchr::memchr;

use super::super::MailSink;
use super::super::mapped::MappedBytes;
use super::super::out::{Cx, Out};
use super::tags::is_space;
use super::{Html, State};

impl Html {
    /// Handles the start of a comment. Some readers treat the content of a
    /// conditional comment as HTML, so it is parsed as HTML. `<!--#…>` is a
    /// server command that was not executed. It ends like a tag.
    pub(super) fn condition(&mut self, seen: usize, rest: &mut MappedBytes<'_>, b: u8) {
        const IF: &[u8] = b"[if";
        if seen == 0 && b == b'#' {
            self.state = State::Declaration;
        } else if b.eq_ignore_ascii_case(&IF[seen]) {
            self.skip(rest, 1);
            self.state = match seen + 1 {
                n if n == IF.len() => State::Declaration,
                n => State::Condition(n),
            };
        } else {
            // `<!-->` is a complete comment.
            self.state = State::Comment(if seen == 0 { 2 } else { 0 });
        }
    }

    pub(super) fn comment<S: MailSink>(
        &mut self,
        dashes: u8,
        rest: &mut MappedBytes<'_>,
        b: u8,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        match b {
            b'-' => {
                self.skip(rest, 1);
                self.state = State::Comment((dashes + 1).min(2));
            }
            b'>' if dashes == 2 => {
                self.skip(rest, 1);
                self.state = State::Text;
                self.put_markup(out, cx);
            }
            // `--!>` also ends a comment.
            b'!' if dashes == 2 => self.skip(rest, 1),
            _ => {
                let n = memchr(b'-', rest.bytes).unwrap_or(rest.bytes.len());
                // Take at least this byte, which is not `-`.
                self.skip(rest, n.max(1));
                self.state = State::Comment(0);
            }
        }
    }

    pub(super) fn raw<S: MailSink>(
        &mut self,
        end: &'static [u8],
        seen: usize,
        rest: &mut MappedBytes<'_>,
        b: u8,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        let n = if seen == end.len() {
            if is_space(b) || b == b'/' || b == b'>' {
                self.closing = true;
                self.state = State::BeforeAttribute;
                return;
            }
            self.state = State::Raw(end, 0);
            return;
        } else if seen == 0 {
            let n = memchr(b'<', rest.bytes);
            self.state = State::Raw(end, usize::from(n.is_some()));
            n.map_or(rest.bytes.len(), |n| n + 1)
        } else if b.to_ascii_lowercase() == end[seen] {
            self.state = State::Raw(end, seen + 1);
            1
        } else {
            // `end` has only one `<`, at its start. So of the examined bytes,
            // only this one can start `end` again.
            self.state = State::Raw(end, 0);
            return;
        };
        let (piece, line) = (rest.take(n), self.line);
        let lines = self.count(&piece);
        self.tag.add_with(&piece, lines);
        if end == b"</style" {
            self.links.style(piece, line, out, cx);
        }
    }
}
