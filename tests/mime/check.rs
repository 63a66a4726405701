//! Walks a message, and checks the map for every byte of its text.

use urlgrep_base::span::{SeamKind, SourceMap, Span};
use urlgrep_mail::mime::*;

#[derive(Default, Clone, PartialEq)]
pub struct Seen {
    pub path: String,
    pub kind: String,
    pub text: Vec<u8>,
    pub opaque: usize,
    pub seams: Vec<String>,
    pub anchors: Vec<String>,
    pub line: u64,
    pub file: String,
    pub roles: Vec<Role>,
    /// The number of line feeds in the text.
    pub feeds: u64,
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut roles = self.roles.clone();
        roles.dedup();
        let text = self.text.escape_ascii();
        write!(
            f,
            "{} {} line {}: \"{text}\" opaque {} {:?} {:?} {roles:?}",
            self.path, self.kind, self.line, self.opaque, self.seams, self.anchors
        )
    }
}

/// Collects the parts, and checks the map for every byte against the message.
struct Check<'a> {
    raw: &'a [u8],
    lines: Vec<u64>,
    open: Vec<(Seen, RoleTracker)>,
    /// The links of the open part: their index in `parts`, their offset in its text, and the
    /// role by the elements around them.
    links: Vec<(usize, u64, Option<Role>)>,
    parts: Vec<Seen>,
    notes: Vec<MessageNoteKind>,
    info: MessageInfo,
    infos: usize,
}

impl<'a> Check<'a> {
    fn new(raw: &'a [u8]) -> Check<'a> {
        let mut line = 1;
        let lines = raw.iter().map(|&b| {
            let here = line;
            line += u64::from(b == b'\n');
            here
        });
        Check {
            raw,
            lines: lines.collect(),
            open: vec![],
            links: vec![],
            parts: vec![],
            notes: vec![],
            info: MessageInfo::default(),
            infos: 0,
        }
    }
}

impl MailSink for Check<'_> {
    fn part_start(&mut self, part: &PartInfo<'_>) {
        let kind = match part.kind {
            PartKind::Header { name } => format!("header {}", String::from_utf8_lossy(name)),
            PartKind::Body => "body".into(),
            PartKind::Attachment => "attachment".into(),
            PartKind::HtmlText => "html".into(),
            PartKind::HtmlLink {
                link,
                element,
                attribute,
                ..
            } => format!(
                "link {link} {} {}",
                String::from_utf8_lossy(element),
                format!("{attribute:?}").to_lowercase()
            ),
            PartKind::Preamble => "preamble".into(),
            PartKind::Epilogue => "epilogue".into(),
            PartKind::Binary => "binary".into(),
            other => panic!("{other:?}"),
        };
        let mut roles = RoleTracker::default();
        roles.start(&self.info, part);
        if let Some(at) = part.source.filter(|&at| at < self.raw.len() as u64) {
            assert_eq!(part.line, self.lines[at as usize], "line of {kind}");
        }
        let seen = Seen {
            path: part.path.into(),
            kind,
            line: part.line,
            file: String::from_utf8(part.within_file.to_vec()).unwrap(),
            ..Seen::default()
        };
        self.open.push((seen, roles));
    }

    fn text(&mut self, bytes: &[u8], map: &SourceMap) {
        assert!(!bytes.is_empty());
        let (seen, roles) = self.open.last_mut().unwrap();
        let start = seen.text.len() as u64;
        assert_eq!(map.text_end(), start + bytes.len() as u64);
        if !seen.kind.starts_with("link ") {
            roles.feed(bytes);
        }
        let (mut segments, mut seams) = (vec![], vec![]);
        for (i, &b) in bytes.iter().enumerate() {
            let at = start + i as u64;
            let before = seen.feeds;
            seen.feeds += u64::from(b == b'\n');
            seen.text.push(b);
            segments.clear();
            seams.clear();
            // This includes bytes removed before the byte, except at the first
            // byte.
            let from = at.saturating_sub(1);
            if !map.map(Span::new(at, at + 1), 0, &mut segments, &mut seams) {
                // A seam for a character of several bytes can only be mapped as
                // a whole.
                let inside = |b: &&u8| **b & 0xC0 == 0x80;
                let back = bytes[..=i].iter().rev().take_while(inside).count() as u64;
                let on = bytes[i + 1..].iter().take_while(inside).count() as u64;
                let whole = Span::new(at.saturating_sub(back), at + 1 + on);
                let is_blank = |start: u64| {
                    let mut seams = vec![];
                    map.map(Span::new(start, start + 3), 0, &mut vec![], &mut seams)
                        && matches!(seams[..], [s] if s.kind == SeamKind::Blank)
                };
                if (at.saturating_sub(2)..=at).any(is_blank) {
                    let name = format!("{:?}", SeamKind::Blank);
                    if seen.seams.last() != Some(&name) {
                        seen.seams.push(name);
                    }
                } else if !map.map(whole, 0, &mut segments, &mut seams) {
                    seen.opaque += 1;
                }
                continue;
            }
            let delta = map.line_delta(at).unwrap();
            let line = 1 + before;
            let line = line.checked_add_signed(delta).unwrap();
            if let [s] = segments[..] {
                assert_eq!(s.len(), 1);
                assert_eq!(self.raw[s.start as usize], b, "byte {at} of {}", seen.kind);
                assert_eq!(line, self.lines[s.start as usize], "line of byte {at}");
            } else if let [s] = seams[..] {
                assert!(s.len >= 1 && s.span.end <= self.raw.len() as u64);
                check_seam(
                    s.kind,
                    &self.raw[s.span.start as usize..s.span.end as usize],
                    b,
                );
            } else {
                panic!("no place for byte {at}");
            }
            let (mut segments, mut seams) = (vec![], vec![]);
            if map.map(Span::new(from, at + 1), 0, &mut segments, &mut seams) {
                for s in seams
                    .iter()
                    .filter(|s| s.len == 0 || from == at || s.at == 1)
                {
                    let name = format!("{:?}", s.kind);
                    if seen.seams.last() != Some(&name) {
                        seen.seams.push(name);
                    }
                }
            }
        }
    }

    fn part_end(&mut self, end: PartEnd) {
        let (mut seen, mut roles) = self.open.pop().unwrap();
        // A link has the role of the text at its place.
        if let Some((around, roles)) = self.open.last() {
            let at = around.text.len() as u64;
            self.links.push((self.parts.len(), at, roles.markup_role()));
            self.parts.push(seen);
            return;
        }
        roles.finish(end.last);
        for (link, at, marked) in self.links.drain(..) {
            let role = roles.role_at(at).expect("known at the end");
            let role = marked.unwrap_or(role);
            let link = &mut self.parts[link];
            link.roles = vec![role; link.text.len()];
        }
        for at in 0..seen.text.len() as u64 {
            seen.roles
                .push(roles.role_at(at).expect("known at the end"));
        }
        self.parts.push(seen);
    }

    fn headers(&mut self, message: &MessageInfo) {
        assert_eq!(self.infos, 0);
        assert!(self.parts.is_empty() && self.open.is_empty());
        self.infos += 1;
        self.info = message.clone();
    }

    fn anchor(&mut self, link: Option<u32>, at: u64) {
        let (seen, _) = self.open.last_mut().unwrap();
        assert!(at >= seen.text.len() as u64);
        let link = link.map_or("-".to_string(), |l| l.to_string());
        seen.anchors.push(format!("{link}@{at}"));
    }

    fn enclosed(&mut self, by: Enclosing, at: u64) {
        let (seen, roles) = self.open.last_mut().unwrap();
        assert!(at >= seen.text.len() as u64);
        roles.enclosed(by, at);
        let here = self.links.iter_mut().filter(|link| link.1 == at && at > 0);
        here.for_each(|link| link.1 -= 1);
    }

    fn note(&mut self, note: MessageNote<'_>) {
        self.notes.push(note.kind);
    }
}

fn check_seam(kind: SeamKind, source: &[u8], byte: u8) {
    // The mark itself may be in quoted-printable.
    let is = |mark: u8, coded: &str| source[0] == mark || source.starts_with(coded.as_bytes());
    match kind {
        SeamKind::QpByte => {
            // A soft line break may stand between the digits.
            let digits = source.iter().filter(|b| b.is_ascii_hexdigit()).copied();
            let hex = String::from_utf8(digits.collect()).unwrap();
            assert_eq!(u8::from_str_radix(&hex, 16).unwrap(), byte);
        }
        SeamKind::Entity => assert!(is(b'&', "=26")),
        SeamKind::Escape => assert!(is(b'\\', "=5C")),
        SeamKind::Markup => {
            assert!(is(b'<', "=3C"));
            match byte {
                b'\n' => {}
                b' ' => assert!(source.starts_with(b"<text:s")),
                b'-' => assert!(source.starts_with(b"<w:noBreakHyphen")),
                other => panic!("{other} in place of a tag"),
            }
        }
        other => panic!("{other:?} has no decoded byte"),
    }
}

/// The places where a mailbox added `>` before `From `, or a news spool added a
/// dot before a dot.
fn quotes(raw: &[u8]) -> Vec<(usize, SeamKind)> {
    let mut out = vec![];
    for i in 0..raw.len() {
        let line = &raw[i..];
        if i > 0 && raw[i - 1] != b'\n' {
            continue;
        }
        let marks = line.iter().take_while(|&&b| b == b'>').count();
        if marks > 0 && line[marks..].starts_with(b"From ") {
            out.push((i, SeamKind::FromQuote));
        } else if line.starts_with(b"..") {
            out.push((i, SeamKind::DotStuff));
        }
    }
    out
}

/// Walks `raw` in chunks of `size` bytes. Bytes that the container added are
/// left out.
pub fn walk(
    walker: &mut Walker,
    raw: &[u8],
    size: usize,
) -> (Vec<Seen>, Vec<MessageNoteKind>, MessageInfo) {
    let mut check = Check::new(raw);
    walker.message(MessageMeta::default());
    let mut from = 0;
    let feed = |from: usize, to: usize, check: &mut Check<'_>, walker: &mut Walker| {
        for (i, chunk) in raw[from..to].chunks(size).enumerate() {
            walker.feed(chunk, (from + i * size) as u64, check);
        }
    };
    for (at, kind) in quotes(raw) {
        feed(from, at, &mut check, walker);
        let at = at as u64;
        walker.feed_seam(kind, Span::new(at, at + 1), &mut check);
        from = at as usize + 1;
    }
    feed(from, raw.len(), &mut check, walker);
    walker.finish(&mut check);
    assert!(check.open.is_empty());
    (check.parts, check.notes, check.info)
}
