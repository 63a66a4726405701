//! Interprets a header block. It determines the properties of its part and its
//! message. Each field value also becomes a part.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memmem, memrchr, memrchr2};

use urlgrep_base::span::SeamKind;

use super::blanks::one_blank;
use super::header::Block;
use super::html::base_scheme;
use super::info::{MAX_INFO, MessageInfo};
use super::mapped::{MappedBytes, line_feeds};
use super::out::Out;
use super::params::{Params, split_type};
use super::part::{Encoding, Part, PartEnd, PartInfo, PartKind};
use super::policy::HeaderPolicy;
use super::sink::MailSink;
use super::words::{Chunk, Words};
use crate::author::Author;
use urlgrep_containers::fields::Known;

/// The maximum size of the recipients in [`MessageInfo`], in bytes. Messages to several lists
/// and all maintainers have 10 KiB.
const MAX_RECIPIENTS: usize = 64 * 1024;

/// The maximum size of the list names in [`MessageInfo`], in bytes.
const MAX_LIST_NAMES: usize = 1024;

/// Buffers for interpreting header blocks. They are reused for each block.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) block: Block,
    /// The parameters of Content-Type.
    pub(super) params: Params,
    /// The parameters of another field.
    others: Params,
    words: Words,
    /// The values of the fields that name the list of the last message. The
    /// length of each value precedes it.
    lists: Vec<u8>,
    list_names: Vec<u8>,
    scratch: Vec<u8>,
}

impl Head {
    /// For header blocks from which these fields are needed, besides those that
    /// determine the structure.
    pub(super) fn new(policy: HeaderPolicy, info: bool) -> Head {
        let until = if info {
            Known::IDENTITY
        } else {
            Known::STRUCTURE
        };
        Head {
            block: Block::new(policy, until),
            params: Params::default(),
            others: Params::default(),
            words: Words::default(),
            lists: Vec::new(),
            list_names: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// True if the parameter `name` has this value.
    pub(super) fn param_is(&mut self, name: &[u8], value: &[u8]) -> bool {
        self.scratch.clear();
        self.params.get(name, &mut self.scratch);
        self.scratch.trim_ascii().eq_ignore_ascii_case(value)
    }

    /// Reads Content-Type, Content-Transfer-Encoding, Content-Disposition and the scheme of
    /// Content-Location into `part`. If a name occurs twice, its first field counts. `default`
    /// replaces a Content-Type that is missing or malformed. `params` then has
    /// the parameters of Content-Type. Returns the place of an unknown
    /// encoding.
    #[expect(
        clippy::too_many_lines,
        reason = "one field of the header after another"
    )]
    pub(super) fn read_part(&mut self, default: &str, part: &mut Part) -> Option<u64> {
        let (block, params, others) = (&self.block, &mut self.params, &mut self.others);
        let mut content_type = None;
        let mut encoding = None;
        let mut disposition = None;
        let mut base = None;
        for f in block.fields() {
            let slot = match f.known {
                Known::ContentType => &mut content_type,
                Known::TransferEncoding => &mut encoding,
                Known::Disposition => &mut disposition,
                Known::Base => &mut base,
                Known::Answered => {
                    part.context.is_reply = true;
                    continue;
                }
                _ => continue,
            };
            slot.get_or_insert(f.value());
        }
        part.encoding = Encoding::Identity;
        part.declares_none = false;
        part.attachment = false;
        part.file_name.clear();
        part.charset.clear();
        part.content_type.clear();
        if let Some(scheme) = base.and_then(|value| base_scheme(block.bytes(&value))) {
            part.context.base = scheme;
        }
        if content_type.is_none() && encoding.is_none() && disposition.is_none() {
            // Fast path: news and old mail have none of these fields.
            params.parse(b"");
            part.content_type.push_str(default);
            return None;
        }
        let mut file_name = |params: &mut Params, name: &[u8], out: &mut Vec<u8>| {
            self.scratch.clear();
            if params.get(name, &mut self.scratch) {
                self.words.plain(&self.scratch, out, MAX_INFO);
            }
        };
        if let Some(value) = disposition {
            others.parse(block.bytes(&value));
            part.attachment = others.token() == "attachment";
            file_name(others, b"filename", &mut part.file_name);
        }
        let mut unknown = None;
        if let Some(value) = encoding {
            others.parse(block.bytes(&value));
            let known = known_encoding(others.token());
            if known.is_none() {
                unknown = Some(block.source(&value).start);
            }
            part.encoding = known.unwrap_or(Encoding::Identity);
            part.declares_none = declares_none(others.token());
        }
        params.parse(content_type.map_or(&[], |value| block.bytes(&value)));
        let valid = |t: &str| split_type(t).is_some_and(|(a, b)| !a.is_empty() && !b.is_empty());
        let token = Some(params.token()).filter(|t| valid(t));
        let has_boundary = || {
            params
                .params()
                .iter()
                .any(|p| params.name(p) == b"boundary")
        };
        part.content_type.push_str(match token {
            Some(token) => token,
            // Only a multipart has a boundary, so the type was `multipart` or `mixed`.
            None if has_boundary() => "multipart/mixed",
            None => default,
        });
        params.get(b"charset", &mut part.charset);
        if part.file_name.is_empty() {
            file_name(params, b"name", &mut part.file_name);
        }
        unknown
    }

    /// Reads the value of a Content-Type into `part`, and its parameters into `params`.
    pub(super) fn read_type(&mut self, value: &[u8], part: &mut Part) {
        self.params.parse(value);
        part.content_type.clear();
        part.content_type.push_str(self.params.token());
        part.charset.clear();
        self.params.get(b"charset", &mut part.charset);
    }

    /// Appends the value of the From field of an inner message.
    pub(super) fn read_from(&mut self, out: &mut Vec<u8>) {
        let Head { block, words, .. } = self;
        let mut fields = block.fields().iter();
        if let Some(from) = fields.find(|field| field.known == Known::From) {
            words.value(block.bytes(&from.value()), out, MAX_INFO);
        }
    }

    /// Reads the identity of the message into `info`, which must be empty. Returns the place
    /// of the recipients that are over the limit.
    pub(super) fn read_info(&mut self, info: &mut MessageInfo) -> Option<u64> {
        let mut over = None;
        self.read_lists();
        info.list_names.extend_from_slice(&self.list_names);
        let Head { block, words, .. } = self;
        for f in block.fields() {
            let value = block.bytes(&f.value());
            let out = match f.known {
                Known::MessageId => &mut info.message_id,
                Known::Date => &mut info.date_text,
                Known::From => &mut info.from,
                // The recipients after one that was left out are not read: time stays linear.
                Known::To if over.is_some() => continue,
                Known::To => {
                    let (start, is_whole) = add_recipients(value, words, &mut info.to);
                    if block.bytes(&f.name()).eq_ignore_ascii_case(b"cc") {
                        separate(&mut info.cc);
                        info.cc.extend_from_slice(&info.to[start..]);
                    }
                    if !is_whole {
                        over = Some(block.source(&f.value()).start);
                    }
                    continue;
                }
                Known::Subject => &mut info.subject,
                Known::Newsgroups => &mut info.newsgroups,
                Known::ListId => &mut info.list_id,
                Known::MozillaStatus => {
                    info.is_deleted = is_deleted(value);
                    continue;
                }
                _ => continue,
            };
            // If a name occurs twice, its first field counts.
            if out.is_empty() {
                words.value(value, out, MAX_INFO);
            }
        }
        // > List-Id: List Header Mailing List <list-header.nisto.com>
        // > (RFC 2919 section 3)
        if let Some(open) = memrchr(b'<', &info.list_id) {
            info.list_id.drain(..=open);
            if let Some(close) = memchr(b'>', &info.list_id) {
                info.list_id.truncate(close);
            }
        }
        over
    }

    /// Reads the names of the list. Does not parse values that are equal to
    /// those of the preceding message. In a folder, most are equal.
    fn read_lists(&mut self) {
        let block = &self.block;
        let fields = block.fields().iter();
        let lists = fields.filter(|f| matches!(f.known, Known::List | Known::ListId));
        let values = lists.map(|f| block.bytes(&f.value()));
        self.scratch.clear();
        let len = values.clone().map(|value| size_of::<usize>() + value.len());
        self.scratch.reserve(len.sum());
        for value in values.clone() {
            self.scratch.extend_from_slice(&value.len().to_ne_bytes());
            self.scratch.extend_from_slice(value);
        }
        if self.scratch != self.lists {
            self.lists.clone_from(&self.scratch);
            self.list_names.clear();
            if self.list_names.capacity() == 0 {
                self.list_names.reserve(MAX_LIST_NAMES);
            }
            values.for_each(|value| list_names(value, &mut self.list_names));
        }
    }

    /// Passes the field values to the sink.
    pub(super) fn hand<S: MailSink>(
        &mut self,
        policy: HeaderPolicy,
        part: &Part,
        out: &mut Out,
        sink: &mut S,
    ) {
        let (block, params, words) = (&self.block, &mut self.others, &mut self.words);
        if policy == HeaderPolicy::None {
            return;
        }
        for f in block.fields().iter().filter(|f| !f.value().is_empty()) {
            if !policy.searches(f.writer) {
                continue;
            }
            let (name, value) = (block.bytes(&f.name()), block.bytes(&f.value()));
            let line = block.line_of(f);
            let info = || {
                let before = f.name().start..f.value().start;
                let is_near = block.source(&before).len() == before.len() as u64
                    && memchr(b'\n', block.bytes(&before)).is_none();
                let source = block.source(&f.value());
                let info = PartInfo {
                    column: is_near.then(|| 1 + before.len() as u64),
                    ..part.info(PartKind::Header { name }, Some(source.start), line)
                };
                (info, source.len() == value.len() as u64)
            };
            let contiguous = || {
                let (info, is_contiguous) = info();
                is_contiguous.then_some(info)
            };
            if !sink.wants_field(name, value, contiguous) {
                continue;
            }
            sink.part_start(&info().0);
            out.start(line);
            let extended = matches!(f.known, Known::ContentType | Known::Disposition)
                && memchr(b'*', value).is_some();
            if extended {
                // Parameters in several pieces are joined and appended at the
                // end.
                params.parse(value);
                let start = f.value().start;
                let mut at = start;
                for p in params.params().iter().filter(|p| p.is_extended()) {
                    let raw = start + p.raw.start..start + p.raw.end;
                    put_words(block, words, at..raw.start, out, sink);
                    let lines = line_feeds(block.bytes(&raw));
                    out.put(MappedBytes::opaque(b"", lines), sink);
                    at = raw.end;
                }
                put_words(block, words, at..f.value().end, out, sink);
                put_extended(params, &mut self.scratch, out, sink);
            } else {
                put_words(block, words, f.value(), out, sink);
            }
            out.flush(sink);
            sink.part_end(PartEnd { last: false });
        }
    }
}

/// Appends the recipients of one field to those of the fields before it. Returns where they
/// start, and whether they are all. A recipient that is over the limit is left out, because a
/// part of an address would be another one.
fn add_recipients(value: &[u8], words: &mut Words, to: &mut Vec<u8>) -> (usize, bool) {
    let before = to.len();
    if value.trim_ascii().is_empty() {
        return (before, true);
    }
    separate(to);
    let start = to.len();
    // A text that is cut before a character of four bytes is over the limit, too.
    words.plain(value.trim_ascii(), to, MAX_RECIPIENTS + 4);
    let is_whole = to.len() <= MAX_RECIPIENTS;
    one_blank(to, start);
    if !is_whole {
        to.truncate(start + Author::whole(&to[start..]));
    }
    if to.len() == start {
        to.truncate(before);
    }
    (start.min(to.len()), is_whole)
}

/// Ends a list of recipients before those of another field. After a name without an address an
/// empty one follows: the name would else belong to the next address, as in `Reed, Ann <ADDRESS>`.
fn separate(list: &mut Vec<u8>) {
    let last = memrchr2(b',', b';', list).map_or(0, |at| at + 1);
    let name = list[last..].trim_ascii();
    // Archives write ` at ` for the `@`.
    let has_at = name.contains(&b'@') || memmem::find(name, b" at ").is_some();
    if !name.is_empty() && !has_at {
        list.push(b',');
    }
    if !list.is_empty() {
        list.extend_from_slice(b", ");
    }
}

/// Appends a range of the block without folds, and with its encoded-words
/// decoded.
fn put_words<S: MailSink>(
    block: &Block,
    words: &mut Words,
    range: Range<usize>,
    out: &mut Out,
    sink: &mut S,
) {
    let base = range.start;
    words.decode(block.bytes(&range), |chunk| match chunk {
        Chunk::Raw(r) | Chunk::Lost(r) => {
            block.pieces(base + r.start..base + r.end, |p| out.put(p, sink));
        }
        Chunk::Fold(r) => {
            let span = block.source(&(base + r.start..base + r.end));
            out.put(MappedBytes::seam(SeamKind::Fold, span, b"", 1), sink);
        }
        Chunk::Decoded(text, lines) => out.put(MappedBytes::opaque(text, lines), sink),
    });
}

/// Appends the decoded parameters that are in pieces or have a charset.
fn put_extended<S: MailSink>(params: &mut Params, text: &mut Vec<u8>, out: &mut Out, sink: &mut S) {
    for i in 0..params.params().len() {
        let is_name = |p: &super::params::Param| params.name(p) == params.name(&params.params()[i]);
        let is_first = !params.params()[..i].iter().any(is_name);
        if !params.params()[i].is_extended() || !is_first {
            continue;
        }
        text.clear();
        text.extend_from_slice(b"; ");
        text.extend_from_slice(params.name(&params.params()[i]));
        text.extend_from_slice(b"=\"");
        params.get_nth(i, text);
        text.push(b'"');
        out.put(MappedBytes::opaque(text, -line_feeds(text)), sink);
    }
}

/// True for the names of the encodings that change no byte (RFC 2045 section 6.2).
fn declares_none(name: &str) -> bool {
    matches!(name, "7bit" | "8bit" | "binary")
}

/// The transfer encoding with this name, which is in lower case. Old programs wrote `x-base64`,
/// `base-64` and `Quoted_Printable`, so `x-` and all marks are passed over.
fn known_encoding(name: &str) -> Option<Encoding> {
    /// The names of RFC 2045 section 6.1, and those of uuencode, which is recognised by its
    /// lines.
    const NAMES: [(&str, Encoding); 8] = [
        ("7bit", Encoding::Identity),
        ("8bit", Encoding::Identity),
        ("base64", Encoding::Base64),
        ("quotedprintable", Encoding::QuotedPrintable),
        ("binary", Encoding::Identity),
        ("uuencode", Encoding::Identity),
        ("uue", Encoding::Identity),
        ("", Encoding::Identity),
    ];
    // The encodings of nearly all parts.
    match name {
        "7bit" | "8bit" => return Some(Encoding::Identity),
        "base64" => return Some(Encoding::Base64),
        "quoted-printable" => return Some(Encoding::QuotedPrintable),
        _ => {}
    }
    let name = name.strip_prefix("x-").unwrap_or(name);
    let is_same = |known: &str| {
        let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
        letters.eq(known.bytes())
    };
    let row = NAMES.iter().find(|(known, _)| is_same(known));
    row.map(|&(_, encoding)| encoding)
}

/// What the names of the fields end with that say that text is encoded. Programs write `Encoding`
/// and `encoding`.
static ENCODING: LazyLock<memmem::Finder<'static>> =
    LazyLock::new(|| memmem::Finder::new(b"ncoding:"));

/// The starts of the lines of `text` with Content-Transfer-Encoding whose value is base64
/// or quoted-printable.
pub fn encoded_lines(text: &[u8]) -> impl Iterator<Item = usize> {
    const NAME: &[u8] = b"content-transfer-encoding:";
    let starts = ENCODING.find_iter(text).filter_map(move |at| {
        let start = (at + b"ncoding:".len()).checked_sub(NAME.len())?;
        let begins_line = start == 0 || text[start - 1] == b'\n';
        begins_line.then_some(start)
    });
    starts.filter(move |&start| {
        let (name, value) = text[start..].split_at(NAME.len());
        let value = &value[..memchr(b'\n', value).unwrap_or(value.len())];
        let mut params = Params::default();
        let mut is_encoded = || {
            params.parse(value);
            let encoding = known_encoding(params.token());
            encoding.is_some_and(|encoding| encoding != Encoding::Identity)
        };
        name.eq_ignore_ascii_case(NAME) && is_encoded()
    })
}

/// True if X-Mozilla-Status says that the message was deleted. The value has flags as
/// hexadecimal digits, and the flag `Expunged` is 8.
fn is_deleted(value: &[u8]) -> bool {
    let digits = std::str::from_utf8(value.trim_ascii()).unwrap_or_default();
    u32::from_str_radix(digits, 16).is_ok_and(|flags| flags & 8 != 0)
}

/// Adds the words of `value` that identify a list to `names`. These are
/// addresses and web pages.
fn list_names(value: &[u8], names: &mut Vec<u8>) {
    let words = value.split(|&b| b.is_ascii_whitespace() || b"<>,;\"()".contains(&b));
    for word in words {
        let word = match word.get(..7) {
            Some(p) if p.eq_ignore_ascii_case(b"mailto:") => &word[7..],
            _ => word,
        };
        let word = &word[..memchr(b'?', word).unwrap_or(word.len())];
        // A word without a dot, or a very short word, is too unspecific.
        if word.len() < 6 || !word.contains(&b'.') || word.ends_with(b".") {
            continue;
        }
        let start = names.len();
        if start + 2 * word.len() + 2 > MAX_LIST_NAMES {
            return;
        }
        names.extend(word.iter().map(u8::to_ascii_lowercase));
        names.push(b'\n');
        // > list-label "." list-id-namespace (RFC 2919 section 2)
        // It is mostly the address with a dot in place of the `@`.
        if let (None, Some(dot)) = (memchr(b'@', word), memchr(b'.', word))
            && memchr(b'/', word).is_none()
        {
            let end = names.len() - 1;
            names.extend_from_within(start..end);
            let at = end + 1 + dot;
            names[at] = b'@';
            names.push(b'\n');
        }
    }
}
