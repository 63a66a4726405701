//! The default output, for people and pipes: one URL per line, after the fields
//! that the options request.
//!
//! The format is that of ripgrep: `path:line:column:offset:url`. Each field is
//! printed only with its option. Lines around a hit have `-` instead of `:`.
//! `--` separates groups of lines. With `--null` a NUL byte instead of `:`
//! follows the path. An unknown number (in base64, for example) is an empty
//! field.
//!
//! **Escapes.** A path follows [`escape::path`], on a terminal and in a
//! pipe. So two names never look alike, and no name forges a line. With
//! `--null` it is unescaped in a pipe, because the NUL byte ends it. URLs follow
//! [`escape::url`], and headings [`escape::terminal`]. Whole lines
//! (`-A`, `-B`, `-C`) are text, not URLs. They are unescaped in a pipe, unless
//! colours or hyperlinks are used, and otherwise follow [`escape::terminal`].
//!
//! The target of a hyperlink has only bytes from 0x21 to 0x7E. Other bytes are
//! percent-encoded. So no byte of a text can end or begin a target.
//!
//! A refused hit is two fields, the text and the reason, with a tab between
//! them. This is tab-separated output. So the path, the text and the reason
//! follow [`escape::field`] on a terminal and in a pipe.

use std::io::Write;

use urlgrep::Hit;
use urlgrep::ReadingKind;
use urlgrep::rows::Record;
use urlgrep::search::{Line, Message};
use urlgrep::url::validate;
use urlgrep_base::escape::{self, STDIN};

/// The colours of ripgrep.
const PATH: &[u8] = b"\x1b[0m\x1b[35m";
const LINE: &[u8] = b"\x1b[0m\x1b[32m";
const NUMBER: &[u8] = b"\x1b[0m";
const MATCH: &[u8] = b"\x1b[0m\x1b[1m\x1b[31m";
const RESET: &[u8] = b"\x1b[0m";

/// A tab of a line on a terminal, because its escape is hard to read.
const TAB: &[u8] = b"    ";

/// The bytes that begin a hyperlink of a terminal (OSC 8), and the bytes that
/// end its target.
const LINK: &[u8] = b"\x1b]8;;";
const LINK_END: &[u8] = b"\x1b\\";
/// The schemes whose URLs are hyperlinks.
const LINKED: [&str; 5] = ["http", "https", "ftp", "gopher", "mailto"];
/// The maximum length of the target of a hyperlink, in bytes. It is the limit
/// of terminals with the VTE library.
const LINK_MAX: usize = 2083;

/// The options of text output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextConfig {
    /// `-H`: the path.
    pub path: bool,
    /// `-n`: the line number.
    pub line: bool,
    /// `--column`: the column.
    pub column: bool,
    /// `--heading`: the path is printed above the lines of its file.
    pub heading: bool,
    /// `--vimgrep`: an unknown number is 1.
    pub known: bool,
    /// `-b`: the offset of the URL's first byte.
    pub offset: bool,
    /// `-0`: a NUL byte after the path.
    pub null: bool,
    /// `--color`: colours are used.
    pub color: bool,
    /// `--hyperlink`: URLs are hyperlinks.
    pub hyperlink: bool,
    /// The output is a terminal.
    pub terminal: bool,
    /// `--hyphen both`: both readings of a hyphen, each on its own line.
    pub both: bool,
    /// `--clean`: URLs are printed without the parameters that only track.
    pub clean: bool,
}

/// Line, column and offset. `None` if unknown.
type Numbers = (Option<u64>, Option<u64>, Option<u64>);

/// An escape rule.
type Rule = fn(&[u8], &mut Vec<u8>);

impl TextConfig {
    /// True if a terminal may show the output. Output with colours or
    /// hyperlinks probably goes to a pager.
    fn is_shown(&self) -> bool {
        self.terminal || self.color || self.hyperlink
    }

    pub(super) fn print(&self, record: &Record<'_>, out: &mut Vec<u8>) {
        match record.hit.url() {
            Ok(_) => self.line(record, record.hit.text(), out),
            Err(reject) => {
                self.prefix(record, escape::field, out);
                // A backslash stays as it is, so that the text can be copied.
                self.colored(MATCH, out, |out| escape::terminal(record.hit.text(), out));
                out.push(b'\t');
                super::put_display(&reject, escape::terminal, out);
                out.push(b'\n');
                return;
            }
        }
        if self.both {
            for other in record.hit.alternates() {
                if other.kind == ReadingKind::Hyphen {
                    self.line(record, other.url.as_bytes(), out);
                }
            }
        }
    }

    /// Prints a valid URL for a pipe, without fields. Returns false if the
    /// options need more.
    pub(super) fn print_url(&self, hit: &Hit, out: &mut Vec<u8>) -> bool {
        // These options change other output only.
        let plain = TextConfig {
            heading: self.heading,
            known: self.known,
            null: self.null,
            ..TextConfig::default()
        };
        if *self != plain || hit.url().is_err() {
            return false;
        }
        escape::url(hit.text(), out);
        out.push(b'\n');
        true
    }

    fn line(&self, record: &Record<'_>, url: &[u8], out: &mut Vec<u8>) {
        let clean = self
            .clean
            .then(|| validate(record.hit.profile(), url).ok()?.clean())
            .flatten();
        let url = clean.as_ref().map_or(url, |clean| clean.as_bytes());
        self.prefix(record, escape::path, out);
        self.url(url, url, escape::url, out);
        out.push(b'\n');
    }

    /// Appends the output of `put`. If hyperlinks are on, it becomes a
    /// hyperlink to `url`.
    fn linked(&self, url: &[u8], out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
        let is_linked = self.hyperlink && begin_link(url, out);
        put(out);
        if is_linked {
            out.extend_from_slice(LINK);
            out.extend_from_slice(LINK_END);
        }
    }

    fn prefix(&self, record: &Record<'_>, rule: Rule, out: &mut Vec<u8>) {
        let (found, path) = (&record.found, record.path_or_stdin());
        let offset = found.source().map(|pieces| pieces.span().start);
        let numbers = (found.line(), record.column, offset);
        self.fields(path, numbers, b':', rule, out);
    }

    /// Appends a whole line. A line around hits has `-` as separator. The URLs
    /// of HTML links are not in the text of a line, so each is printed on its
    /// own line.
    pub(super) fn whole_line(&self, path: Option<&[u8]>, line: &Line<'_>, out: &mut Vec<u8>) {
        let path = path.unwrap_or(STDIN);
        if line.gap {
            out.extend_from_slice(b"--\n");
        }
        let has_text = line.urls().any(|url| url.span.is_some());
        let has_link = line.urls().any(|url| url.span.is_none());
        if has_text || !has_link || !line.bytes.is_empty() {
            let sep = if has_text { b':' } else { b'-' };
            let numbers = (line.number, line.column(), line.offset);
            self.fields(path, numbers, sep, escape::path, out);
            self.line_text(line, out);
            out.push(b'\n');
        }
        for link in line.urls().filter(|url| url.span.is_none()) {
            let numbers = (link.line, None, link.offset);
            self.fields(path, numbers, b':', escape::path, out);
            self.url(link.url, link.url, escape::url, out);
            out.push(b'\n');
        }
    }

    /// Appends the fields before a line: the path, and the line, column and
    /// offset if they are known.
    fn fields(&self, path: &[u8], numbers: Numbers, sep: u8, rule: Rule, out: &mut Vec<u8>) {
        let (line, column, offset) = numbers;
        if self.path && !self.heading {
            self.path_field(path, rule, sep, out);
        }
        if self.line {
            self.number(LINE, line, sep, out);
        }
        if self.column && sep == b':' {
            self.number(NUMBER, column, sep, out);
        }
        if self.offset {
            self.number(NUMBER, offset, sep, out);
        }
    }

    fn line_text(&self, line: &Line<'_>, out: &mut Vec<u8>) {
        let bytes = line.bytes.strip_suffix(b"\n").unwrap_or(line.bytes);
        if !self.is_shown() {
            out.extend_from_slice(bytes);
            return;
        }
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let mut rest = 0;
        for url in line.urls() {
            let Some(span) = url.span else { continue };
            let (start, end) = (span.start as usize, (span.end as usize).min(bytes.len()));
            let (Some(before), Some(here)) = (bytes.get(rest..start), bytes.get(start..end)) else {
                continue;
            };
            put_tabs(before, TAB, out);
            // These bytes also have white space that is removed from the URL.
            self.url(url.url, here, escape::terminal, out);
            rest = end;
        }
        put_tabs(bytes.get(rest..).unwrap_or_default(), TAB, out);
    }

    /// Appends `shown`, which is `url` or a part of it.
    fn url(&self, url: &[u8], shown: &[u8], rule: Rule, out: &mut Vec<u8>) {
        self.linked(url, out, |out| {
            self.colored(MATCH, out, |out| rule(shown, out));
        });
    }

    pub fn heading_path(&self, path: Option<&[u8]>, out: &mut Vec<u8>) {
        if self.path {
            self.path_line(path, out);
        }
    }

    /// Appends subject, author and date of a message, as far as it has them. The subject
    /// comes first, because a narrow terminal cuts or wraps the end of the line.
    pub fn heading_message(&self, message: &Message<'_>, out: &mut Vec<u8>) {
        let info = message.info;
        let start = out.len();
        for field in [info.subject(), info.from()] {
            if !field.is_empty() {
                if out.len() > start {
                    out.extend_from_slice(b"  ");
                }
                // A ledger of an earlier version may have the tabs of folds.
                put_tabs(field, b" ", out);
            }
        }
        if let Some(date) = info.date() {
            if out.len() > start {
                out.extend_from_slice(b"  ");
            }
            self.colored(LINE, out, |out| put_number(date, out));
        }
        out.push(b'\n');
    }

    /// Appends a path and the end of the line, for `-l`.
    pub fn path_line(&self, path: Option<&[u8]>, out: &mut Vec<u8>) {
        self.path_field(path.unwrap_or(STDIN), escape::path, b'\n', out);
    }

    /// Appends the number of hits, for `-c`. If paths are shown, the path
    /// precedes it.
    pub fn count(&self, path: Option<&[u8]>, count: u64, out: &mut Vec<u8>) {
        if self.path {
            self.path_field(path.unwrap_or(STDIN), escape::path, b':', out);
        }
        put_number(count, out);
        out.push(b'\n');
    }

    /// Appends a row of `--tally`: its count, and its values, which are escaped. The flag
    /// of a value says whether it is a URL. A missing value is printed as `-`, because an
    /// empty one would confuse programs that split lines at white space.
    pub fn tallied<'v>(
        &self,
        count: u64,
        values: impl Iterator<Item = (&'v [u8], bool)>,
        out: &mut Vec<u8>,
    ) {
        self.colored(LINE, out, |out| put_number(count, out));
        for (value, is_url) in values {
            out.push(b'\t');
            if value.is_empty() {
                out.push(b'-');
            } else if is_url {
                self.colored(MATCH, out, |out| out.extend_from_slice(value));
            } else {
                out.extend_from_slice(value);
            }
        }
        out.push(b'\n');
    }

    fn path_field(&self, path: &[u8], rule: Rule, separator: u8, out: &mut Vec<u8>) {
        self.colored(PATH, out, |out| {
            if self.null && !self.is_shown() {
                out.extend_from_slice(path);
            } else {
                rule(path, out);
            }
        });
        out.push(if self.null { 0 } else { separator });
    }

    fn number(&self, color: &[u8], number: Option<u64>, separator: u8, out: &mut Vec<u8>) {
        if let Some(number) = number.or(self.known.then_some(1)) {
            self.colored(color, out, |out| put_number(number, out));
        }
        out.push(separator);
    }

    fn colored(&self, color: &[u8], out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
        if self.color {
            out.extend_from_slice(color);
        }
        put(out);
        if self.color {
            out.extend_from_slice(RESET);
        }
    }
}

/// Appends the beginning of a hyperlink to `url`. Returns false, and appends
/// nothing, if the scheme is not linked or the target would be too long.
fn begin_link(url: &[u8], out: &mut Vec<u8>) -> bool {
    let end = memchr::memchr(b':', url).unwrap_or(0);
    let scheme = &url[..end];
    if !LINKED
        .iter()
        .any(|s| scheme.eq_ignore_ascii_case(s.as_bytes()))
    {
        return false;
    }
    let start = out.len();
    out.extend_from_slice(LINK);
    for &b in url {
        if b.is_ascii_graphic() {
            out.push(b);
        } else {
            // OK to ignore: writing to a vector does not fail.
            let _ = write!(out, "%{b:02X}");
        }
    }
    if out.len() - start - LINK.len() > LINK_MAX {
        out.truncate(start);
        return false;
    }
    out.extend_from_slice(LINK_END);
    true
}

/// Appends text by the rule of a terminal, with `tab` in place of each tab.
fn put_tabs(bytes: &[u8], tab: &[u8], out: &mut Vec<u8>) {
    for (i, cell) in bytes.split(|&b| b == b'\t').enumerate() {
        if i > 0 {
            out.extend_from_slice(tab);
        }
        escape::terminal(cell, out);
    }
}

/// Appends a number in decimal, or a date.
pub(super) fn put_number(number: impl std::fmt::Display, out: &mut Vec<u8>) {
    // OK to ignore: writing to a vector does not fail.
    let _ = write!(out, "{number}");
}
