//! Compares the decoded text of messages with the text that mail-parser decodes;
//! see `properties`.
//!
//! The two decoders differ on many malformed messages, for various reasons.
//! `testdata/mime/known-differences.toml` lists the differences of real mail.
//! So a message is classified first. A [well-formed](disorder) message must be
//! decoded alike. Any other message is counted under its fault.

use std::fmt::Write;

use mail_parser::{Message, MessageParser, MimeHeaders, PartType};
use urlgrep_base::span::SourceMap;
use urlgrep_mail::mime::{
    HeaderPolicy, MailSink, MessageMeta, PartEnd, PartInfo, PartKind, Walker,
};

/// The text of a part, or of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    path: String,
    text: String,
}

#[derive(Default)]
struct Collect {
    open: Vec<(String, bool, Vec<u8>)>,
    texts: Vec<Text>,
}

impl MailSink for Collect {
    fn part_start(&mut self, part: &PartInfo<'_>) {
        // mail-parser drops the text around the parts of a multipart, and does
        // not decode the bytes of an attachment. Other tests check these texts.
        let compared = matches!(
            part.kind,
            PartKind::Body | PartKind::HtmlText | PartKind::HtmlLink { .. }
        ) && part.content_type.starts_with("text/")
            && !part.attachment;
        self.open.push((part.path.into(), compared, vec![]));
    }

    fn text(&mut self, bytes: &[u8], _map: &SourceMap) {
        self.open.last_mut().unwrap().2.extend_from_slice(bytes);
    }

    fn part_end(&mut self, _end: PartEnd) {
        let (path, compared, text) = self.open.pop().unwrap();
        let text = String::from_utf8_lossy(&text).replace('\r', "");
        let text = text
            .trim_end()
            .trim_start_matches(['\n', '\u{FEFF}'])
            .to_string();
        if compared && !text.is_empty() {
            self.texts.push(Text { path, text });
        }
    }
}

/// The texts that the walker finds.
pub fn walk(raw: &[u8]) -> Vec<Text> {
    let mut walker = Walker::builder().headers(HeaderPolicy::None).build();
    let mut sink = Collect::default();
    walker.message(MessageMeta::default());
    walker.feed(raw, 0, &mut sink);
    walker.finish(&mut sink);
    sink.texts
}

/// The texts that mail-parser finds. mail-parser does not decode flowed text,
/// files in text, or tags, so these steps are applied to its decoded text.
pub fn oracle(message: &Message<'_>, out: &mut Vec<Text>) {
    for part in &message.parts {
        let file = part
            .content_disposition()
            .is_some_and(|d| d.ctype().eq_ignore_ascii_case("attachment"));
        let (text, subtype) = match &part.body {
            PartType::Text(text) if !file => (text, "plain"),
            PartType::Html(text) if !file => (text, "html"),
            PartType::Message(inner) => {
                oracle(inner, out);
                continue;
            }
            _ => continue,
        };
        let mut wrapped = format!("Content-Type: text/{subtype}; charset=utf-8");
        if let Some(t) = part.content_type().filter(|_| subtype == "plain") {
            for name in ["format", "delsp"] {
                if let Some(value) = t.attribute(name) {
                    write!(wrapped, "; {name}={value}").unwrap();
                }
            }
        }
        wrapped += "\n\n";
        wrapped += text;
        out.extend(walk(wrapped.as_bytes()));
    }
}

/// The first difference of two lists of texts.
pub fn first_difference(ours: &[Text], theirs: &[Text]) -> Option<String> {
    let same = |(a, b): (&Text, &Text)| a.text == b.text;
    let at = ours.iter().zip(theirs).take_while(|&p| same(p)).count();
    if at == ours.len() && at == theirs.len() {
        return None;
    }
    let text = |t: Option<&Text>| t.map_or(String::new(), |t| t.text.clone());
    let (a, b) = (text(ours.get(at)), text(theirs.get(at)));
    let start = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let show = |t: &str| -> String { t.chars().skip(start.saturating_sub(20)).take(70).collect() };
    Some(format!(
        "{} and {} texts, part {}, character {start}\n  ours   {:?}\n  theirs {:?}",
        ours.len(),
        theirs.len(),
        ours.get(at).map_or("-", |t| &t.path),
        show(&a),
        show(&b)
    ))
}

/// A well-formed message is decoded as mail-parser decodes it. Returns the reason
/// if it was not compared.
pub fn decoded_as_by_mail_parser(raw: &[u8]) -> Option<&'static str> {
    let wrong = disorder(raw);
    if wrong.is_none() {
        let message = MessageParser::default().parse(raw);
        let message = message.unwrap_or_else(|| panic!("no message: {}", raw.escape_ascii()));
        let mut theirs = vec![];
        oracle(&message, &mut theirs);
        if let Some(difference) = first_difference(&walk(raw), &theirs) {
            panic!("{difference}\nof {}", raw.escape_ascii());
        }
    }
    wrong
}

/// The first property of a message that the documents forbid or leave open, or
/// `None` if the message is well-formed.
pub fn disorder(raw: &[u8]) -> Option<&'static str> {
    let crlf = raw.windows(2).filter(|w| w == b"\r\n").count();
    let count = |b: u8| raw.iter().filter(|&&c| c == b).count();
    if count(b'\r') != crlf || (crlf > 0 && count(b'\n') != crlf) {
        return Some("line ends of several kinds");
    }
    let text: Vec<u8> = raw.iter().copied().filter(|&b| b != b'\r').collect();
    let lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
    entity(&lines, &mut vec![], true).err()
}

type Order = Result<(), &'static str>;

/// Checks a header, an empty line and a body. `boundaries` are the open ones.
fn entity(lines: &[&[u8]], boundaries: &mut Vec<Vec<u8>>, is_message: bool) -> Order {
    if boundaries.len() > 4 {
        return Err("many parts within one another");
    }
    let Some(end) = lines.iter().position(|line| line.is_empty()) else {
        return Err("no empty line after the header");
    };
    let (header, body) = (&lines[..end], &lines[end + 1..]);
    if is_message && end == 0 {
        return Err("no header");
    }
    let fields = fields(header)?;
    let once = |name: &str| {
        let mut all = fields.iter().filter(|field| field.0 == name);
        match (all.next(), all.next()) {
            (_, Some(_)) => Err("a field twice"),
            (field, None) => Ok(field.map(|field| field.1.as_str())),
        }
    };
    let base = once("content-base")?.or(once("content-location")?);
    if base.is_some() {
        // mail-parser does not resolve links.
        return Err("a base of links");
    }
    let kind = once("content-type")?.unwrap_or("text/plain");
    let (kind, params) = content_type(kind).ok_or("a content type that is not plain")?;
    let encoding = once("content-transfer-encoding")?.unwrap_or("7bit");
    let encoding = encoding.to_ascii_lowercase();
    if let Some(disposition) = once("content-disposition")? {
        let (kind, _) = content_type(disposition).ok_or("a disposition that is not plain")?;
        if !["inline", "attachment"].contains(&&*kind) {
            return Err("a disposition that is not known");
        }
    }
    let param = |name: &str| params.iter().find(|p| p.0 == name).map(|p| p.1.as_str());
    let plain = ["7bit", "8bit", "binary"].contains(&&*encoding);
    match kind.split_once('/') {
        Some(("multipart", "mixed" | "alternative" | "related")) if plain => {
            let boundary = param("boundary").ok_or("a multipart without a boundary")?;
            multipart(body, boundary.as_bytes(), boundaries)
        }
        Some(("message", "rfc822")) if plain => {
            // mail-parser does not find the end of two nested messages (one of its
            // debug assertions fails).
            if is_message {
                return Err("a message directly inside a message");
            }
            entity(body, boundaries, true)
        }
        Some(("text", "plain" | "html")) => {
            let bytes = decoded(body, &encoding)?;
            readable(&bytes, param("charset").unwrap_or("us-ascii"))
        }
        Some(("application", "octet-stream")) | Some(("image", "gif")) => {
            decoded(body, &encoding).map(|_| ())
        }
        _ => Err("a type or encoding that is not common"),
    }
}

/// Names in lower case, and values unfolded.
fn fields(header: &[&[u8]]) -> Result<Vec<(String, String)>, &'static str> {
    let mut fields: Vec<(String, String)> = vec![];
    for line in header {
        let Some(line) = std::str::from_utf8(line).ok().filter(|line| {
            let graphic = |b: u8| b == b'\t' || (0x20..0x7F).contains(&b);
            line.len() < 500 && line.bytes().all(graphic)
        }) else {
            return Err("a header that is not printable");
        };
        if line.starts_with([' ', '\t']) {
            let field = fields.last_mut().ok_or("a fold before the first field")?;
            if line.trim().is_empty() {
                return Err("an empty fold");
            }
            field.1 += line;
            continue;
        }
        let (name, value) = line.split_once(':').ok_or("a field without a colon")?;
        let good = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        // `http://…` in a line of its own counts as text here.
        if name.is_empty() || !name.bytes().all(good) || value.starts_with("//") {
            return Err("a field with a name that is not common");
        }
        fields.push((
            name.to_ascii_lowercase(),
            value.trim_matches(' ').to_owned(),
        ));
    }
    if fields.len() > 50 {
        return Err("many fields");
    }
    for (_, value) in &mut fields {
        *value = value.trim_matches([' ', '\t']).to_owned();
    }
    Ok(fields)
}

type Params = Vec<(String, String)>;

/// `type/subtype` or a word in lower case, and the parameters. Comments, escapes
/// and the extensions of RFC 2231 are refused.
fn content_type(value: &str) -> Option<(String, Params)> {
    let token = |text: &str| {
        let good = |b: u8| b.is_ascii_alphanumeric() || b"-_.+".contains(&b);
        !text.is_empty() && text.bytes().all(good)
    };
    let mut rest = value.split(';');
    let kind = rest.next()?.trim().to_ascii_lowercase();
    if !kind.splitn(2, '/').all(token) {
        return None;
    }
    let mut params: Params = vec![];
    for param in rest {
        let (name, value) = param.trim().split_once('=')?;
        let quoted = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
        let good = |b: u8| b.is_ascii_alphanumeric() || b"-_.+'()/:?, =".contains(&b);
        match quoted {
            Some(inner) if !inner.is_empty() && inner.bytes().all(good) => {}
            None if token(value) => {}
            _ => return None,
        }
        let name = name.to_ascii_lowercase();
        if !token(&name) || params.iter().any(|param| param.0 == name) {
            return None;
        }
        params.push((name, quoted.unwrap_or(value).to_owned()));
    }
    Some((kind, params))
}

/// Parts between lines of the boundary, and no other text around them.
fn multipart(body: &[&[u8]], boundary: &[u8], boundaries: &mut Vec<Vec<u8>>) -> Order {
    let clash = |other: &Vec<u8>| other.starts_with(boundary) || boundary.starts_with(other);
    if boundary.len() > 70 || boundary.ends_with(b" ") || boundaries.iter().any(clash) {
        return Err("a boundary that is not plain");
    }
    let open = [b"--", boundary].concat();
    let close = [&open[..], b"--"].concat();
    let has = |line: &&[u8]| line.windows(open.len()).any(|w| w == open);
    let marks: Vec<usize> = (0..body.len()).filter(|&i| has(&body[i])).collect();
    if marks.iter().any(|&i| body[i] != open && body[i] != close) {
        return Err("a boundary within a line");
    }
    let closes = marks.iter().filter(|&&i| body[i] == close).count();
    let (Some(&first), Some(&last)) = (marks.first(), marks.last()) else {
        return Err("a multipart without parts");
    };
    if marks.len() < 2 || closes != 1 || body[last] != close {
        return Err("a multipart without an end");
    }
    if first > 0 || body[last + 1..].iter().any(|line| !line.is_empty()) {
        return Err("text around parts");
    }
    boundaries.push(boundary.to_vec());
    for pair in marks.windows(2) {
        entity(&body[pair[0] + 1..pair[1]], boundaries, false)?;
    }
    boundaries.pop();
    Ok(())
}

/// The bytes of a body.
fn decoded(body: &[&[u8]], encoding: &str) -> Result<Vec<u8>, &'static str> {
    let graphic = |b: &u8| matches!(b, b'\t' | 0x20..=0x7E | 0x80..);
    if !body.iter().all(|line| line.iter().all(graphic)) {
        return Err("control characters");
    }
    let mut out = vec![];
    match encoding {
        "7bit" | "8bit" | "binary" => {
            for line in body {
                out.extend_from_slice(line);
                out.push(b'\n');
            }
        }
        "quoted-printable" => {
            for (i, line) in body.iter().enumerate() {
                if line.ends_with(b" ") || line.ends_with(b"\t") || !line.is_ascii() {
                    return Err("malformed quoted-printable");
                }
                let mut rest = *line;
                while let Some((&b, after)) = rest.split_first() {
                    rest = after;
                    if b != b'=' {
                        out.push(b);
                        continue;
                    }
                    let hex = rest.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
                    match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                        Some(b) if rest[0] != b'+' => {
                            if b != b'=' && ends_in_parameter(&out) {
                                return Err("an escape after the name of a parameter");
                            }
                            out.push(b);
                            rest = &rest[2..];
                        }
                        // A soft line break, with a line after it.
                        None if rest.is_empty()
                            && body.get(i + 1).is_some_and(|line| !line.is_empty()) => {}
                        _ => return Err("malformed quoted-printable"),
                    }
                }
                if !line.ends_with(b"=") {
                    out.push(b'\n');
                }
            }
        }
        "base64" => {
            let mut bits = 0u32;
            let mut held = 0;
            let mut ended = false;
            let blank = body.iter().rev().take_while(|line| line.is_empty()).count();
            for line in &body[..body.len() - blank] {
                if line.is_empty() || line.len() > 76 || line.len() % 4 != 0 || ended {
                    return Err("malformed base64");
                }
                for (i, &b) in line.iter().enumerate() {
                    let digit = match b {
                        b'A'..=b'Z' => b - b'A',
                        b'a'..=b'z' => b - b'a' + 26,
                        b'0'..=b'9' => b - b'0' + 52,
                        b'+' => 62,
                        b'/' => 63,
                        b'=' if i + 2 >= line.len() => {
                            ended = true;
                            continue;
                        }
                        _ => return Err("malformed base64"),
                    };
                    if ended {
                        return Err("malformed base64");
                    }
                    bits = bits << 6 | u32::from(digit);
                    held += 6;
                    if held >= 8 {
                        held -= 8;
                        out.push((bits >> held) as u8);
                        bits &= (1 << held) - 1;
                    }
                }
            }
            if bits != 0 {
                return Err("malformed base64");
            }
        }
        _ => return Err("an encoding that is not known"),
    }
    Ok(out)
}

/// True if `text` ends with the name of a parameter of a URL. In text that is declared
/// quoted-printable and was not encoded, the `=` after it is text for the walker.
fn ends_in_parameter(text: &[u8]) -> bool {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let name = text.iter().rev().take_while(|b| is_name(b)).count();
    let before = &text[..text.len() - name];
    let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'<' | b'>' | b'"');
    let word = before.rsplit(is_end).next().unwrap_or_default();
    name > 0
        && matches!(before.last(), Some(b'?' | b'&'))
        && word.windows(3).any(|part| part == b"://")
}

/// Checks that the bytes are valid in the declared charset.
fn readable(bytes: &[u8], charset: &str) -> Order {
    let control = |b: &u8| !matches!(b, b'\t' | b'\n' | b'\r' | 0x20..=0x7E | 0x80..);
    if bytes.iter().any(control) {
        return Err("control characters");
    }
    // For us it is UTF-16, as for a browser. mail-parser believes the declared charset.
    if bytes.starts_with(b"\xFE\xFF") || bytes.starts_with(b"\xFF\xFE") {
        return Err("a byte order mark of UTF-16");
    }
    // The walker looks for files only in text without a transfer encoding. The
    // oracle also finds them in decoded text.
    let begins = |line: &[u8]| line.starts_with(b"begin ") || line.starts_with(b"=ybegin ");
    if bytes.split(|&b| b == b'\n').any(begins) {
        return Err("a file in text");
    }
    let is_right = match &*charset.to_ascii_lowercase() {
        "us-ascii" => bytes.is_ascii(),
        "utf-8" => std::str::from_utf8(bytes).is_ok(),
        "iso-8859-1" | "iso-8859-15" | "koi8-r" => bytes.iter().all(|b| !(0x80..0xA0).contains(b)),
        _ => return Err("a charset that is not common"),
    };
    is_right
        .then_some(())
        .ok_or("text that is not in its charset")
}

/// A well-formed message that is derived from `choices`.
pub fn message(choices: &[u8]) -> Vec<u8> {
    let mut out = b"Subject: x\nMIME-Version: 1.0\n".to_vec();
    let mut choices = Choices(choices);
    let crlf = choices.next() & 1 == 1;
    part(&mut choices, &mut vec![], true, &mut out);
    if crlf {
        let lines: Vec<&[u8]> = out.split(|&b| b == b'\n').collect();
        return lines.join(&b"\r\n"[..]);
    }
    out
}

struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    fn next(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&b, rest)) => {
                self.0 = rest;
                b
            }
            None => 0,
        }
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.next() as usize % all.len()]
    }

    fn bytes(&mut self) -> &'a [u8] {
        let n = (self.next() as usize).min(self.0.len());
        let (bytes, rest) = self.0.split_at(n);
        self.0 = rest;
        bytes
    }
}

/// A part with its header. `number` is its place in the message.
fn part(choices: &mut Choices<'_>, number: &mut Vec<usize>, is_message: bool, out: &mut Vec<u8>) {
    let kind = choices.next() % 8;
    if kind == 0 && number.len() < 4 {
        let name: Vec<String> = number.iter().map(usize::to_string).collect();
        let boundary = format!("=_{}_", name.join("."));
        let subtype = choices.of(&["mixed", "alternative", "related"]);
        write_line(
            out,
            format!("Content-Type: multipart/{subtype};\n\tboundary=\"{boundary}\"\n"),
        );
        for i in 0..=choices.next() % 4 {
            write_line(out, format!("--{boundary}"));
            number.push(i.into());
            part(choices, number, false, out);
            number.pop();
        }
        write_line(out, format!("--{boundary}--"));
        return;
    }
    if kind == 1 && number.len() < 4 && !is_message {
        write_line(out, "Content-Type: message/rfc822\n\nSubject: inner".into());
        number.push(0);
        part(choices, number, true, out);
        number.pop();
        return;
    }
    let subtype = choices.of(&["plain", "plain", "html"]);
    let charset = choices.of(&["us-ascii", "utf-8", "ISO-8859-1", "iso-8859-15", "koi8-r"]);
    let flowed = match subtype {
        "plain" => choices.of(&["", "; format=flowed", "; format=flowed; delsp=yes"]),
        _ => "",
    };
    let encoding = choices.of(&["7bit", "8bit", "quoted-printable", "base64", "Base64"]);
    let bytes = text(choices.bytes(), charset, encoding == "7bit");
    write_line(
        out,
        format!("Content-Type: text/{subtype}; charset={charset}{flowed}"),
    );
    if choices.next() % 8 == 7 {
        write_line(
            out,
            "Content-Disposition: attachment; filename=\"a.txt\"".into(),
        );
    }
    write_line(out, format!("Content-Transfer-Encoding: {encoding}\n"));
    match encoding {
        "quoted-printable" => encode_qp(&bytes, choices.next(), out),
        "base64" | "Base64" => encode_base64(&bytes, out),
        _ => out.extend_from_slice(&bytes),
    }
    if !out.ends_with(b"\n") {
        out.push(b'\n');
    }
}

fn write_line(out: &mut Vec<u8>, line: String) {
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
}

/// `bytes` converted to text of the charset, without a boundary.
fn text(bytes: &[u8], charset: &str, ascii: bool) -> Vec<u8> {
    let good = |b: u8| match b {
        b'\n' | 0x20..0x7F => b,
        0xA0.. if !ascii && charset != "us-ascii" => b,
        _ => b"\n <>&;=.-/"[b as usize % 10],
    };
    let text: Vec<u8> = bytes.iter().map(|&b| good(b)).collect();
    let text = match charset {
        "utf-8" => String::from_utf8_lossy(&text).into_owned().into_bytes(),
        _ => text,
    };
    // Boundaries have a `_`. Invalid UTF-8 became U+FFFD.
    let good = |b: &u8| *b != b'_' && (!ascii || b.is_ascii());
    text.into_iter().filter(good).collect()
}

fn encode_qp(bytes: &[u8], soft: u8, out: &mut Vec<u8>) {
    let mut column = 0;
    for (i, &b) in bytes.iter().enumerate() {
        let last = bytes.get(i + 1).is_none_or(|&next| next == b'\n');
        if column >= 10 + usize::from(soft % 60) && b != b'\n' {
            out.extend_from_slice(b"=\n");
            column = 0;
        }
        if b == b'\n' {
            out.push(b);
            column = 0;
        } else if b == b'=' || b >= 0x80 || (b == b' ' && last) || b % 16 == soft % 16 {
            out.extend_from_slice(format!("={b:02X}").as_bytes());
            column += 3;
        } else {
            out.push(b);
            column += 1;
        }
    }
}

fn encode_base64(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for line in bytes.chunks(57) {
        for group in line.chunks(3) {
            let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for i in 0..4 {
                let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63];
                out.push(if i > group.len() { b'=' } else { digit });
            }
        }
        out.push(b'\n');
    }
}
