//! Messages whose text is their bytes, recognised by their header blocks.

use super::header::{Name, body_end, line_feed, other_name};
use super::policy::HeaderPolicy;
use urlgrep_containers::fields::{self, Known};

/// The values of Content-Type that leave a body as it is, in lower case.
const PLAIN: [&[u8]; 6] = [
    b"text/plain",
    b"text",
    b"text/plain; charset=us-ascii",
    b"text/plain; charset=\"us-ascii\"",
    b"text/plain; charset=utf-8",
    b"text/plain; charset=\"utf-8\"",
];

/// The length of the header block at the start of `message`, with the blank line after
/// it, if the walker would hand no field of it to its sink, read the body as it is, and
/// have no note. `None` if this is not certain. `wants` is true for a line of a value that
/// the sink may want.
///
/// A uuencoded or yEnc file in the body still has a note. Without `begin ` there is none.
///
/// The second value is [`PartInfo::declares_none`](super::PartInfo::declares_none).
pub fn plain_header(
    message: &[u8],
    policy: HeaderPolicy,
    wants: impl Fn(&[u8]) -> bool,
) -> Option<(usize, bool)> {
    let mut start = 0;
    let mut declares_none = false;
    // Whether the next line may continue a value, and whether that is searched.
    let (mut may_fold, mut is_searched) = (false, false);
    let searches_all = policy == HeaderPolicy::All;
    loop {
        let rest = &message[start..];
        let row = match rest.first()? {
            ..=b' ' => None,
            _ => fields::known(rest),
        };
        // A known name has no line feed.
        let len = 1 + line_feed(rest, row.map_or(0, |row| row.len))?;
        let line = &rest[..body_end(rest, len)];
        start += len;
        let value = match line.first() {
            // A header may follow blank lines.
            None if start == len => return None,
            None => return Some((start, declares_none)),
            Some(b' ' | b'\t') if may_fold => line,
            Some(b' ' | b'\t') => return None,
            Some(_) => {
                let name = match row {
                    Some(row) if !line[row.len + 1..].starts_with(b"//") => Name::from(row),
                    _ => other_name(line)?,
                };
                let value = &line[name.colon + 1..];
                let (known, writer) = name.known;
                let is = |plain: &&[u8]| value.trim_ascii().eq_ignore_ascii_case(plain);
                let is_plain = match known {
                    Known::ContentType => PLAIN.iter().any(is),
                    Known::TransferEncoding => [&b"7bit"[..], b"8bit"].iter().any(is),
                    known => known >= Known::Answered,
                };
                if !is_plain {
                    return None;
                }
                declares_none |= known == Known::TransferEncoding;
                // Another line would change the value of these fields.
                may_fold = known >= Known::Answered;
                is_searched = policy.searches(writer) && (may_fold || searches_all);
                value
            }
        };
        if is_searched && wants(value.trim_ascii_start()) {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MailSink, MessageMeta, MessageNote, PartInfo, PartKind, Walker};
    use super::*;
    use urlgrep_base::span::SourceMap;

    /// What a walker finds after the header block.
    #[derive(Default)]
    struct Body {
        in_body: bool,
        declares_none: bool,
        parts: Vec<(String, String)>,
        text: Vec<u8>,
        notes: usize,
    }

    impl MailSink for Body {
        fn part_start(&mut self, part: &PartInfo<'_>) {
            self.in_body = !matches!(part.kind, PartKind::Header { .. });
            self.declares_none = part.declares_none;
            if self.in_body {
                let name = (part.path.to_owned(), part.content_type.to_owned());
                self.parts.push(name);
            }
        }
        fn text(&mut self, bytes: &[u8], _map: &SourceMap) {
            if self.in_body {
                self.text.extend_from_slice(bytes);
            }
        }
        fn note(&mut self, _note: MessageNote<'_>) {
            self.notes += 1;
        }
    }

    #[test]
    fn a_plain_header_leaves_the_body_as_it_is() {
        #[rustfmt::skip]
        let lines: &[&[u8]] = &[
            b"Subject: a\n", b"X-Y: b \r\n", b" c\n", b"\td\r\n", b"To:\n", b"CONTENT-TYPE: text\n", b"Lines: 3\n",
            b"Content-Type: text/plain\n", b"Content-type: TEXT/PLAIN; charset=us-ascii\r\n", b"a.b@c: d\n",
            b"Content-Transfer-Encoding: 7BIT\n", b"Content-Transfer-Encoding: 8bit \n", b"In-Reply-To: e's\n",
            // Not plain.
            b"Content-Type: text/plain; charset=utf-7\n", b"content-transfer-encoding: base64\n", b"odd\n", b"a b: c\n",
            b"From f\n", b">From g\n", b"http://h\n", b": i\n", b" \n", b"\xE9: j\n", b"k\x7F: l\n", b"m\x01: n\n", b"Date : o\n",
            b"Content-Transfer-Encoding: x-p\n", b"Content-Type: multipart/mixed; boundary=q\n", b"--r\n", b"Subject: =?s\n",
        ];
        let mut seed = 1u64;
        let mut next = |n: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
            (seed >> 33) as usize % n
        };
        let (mut plain, mut others) = (0, 0);
        for round in 0..20_000 {
            let header = (0..next(6)).flat_map(|_| match next(8) {
                0 => lines[next(lines.len())],
                _ => lines[next(13)],
            });
            let mut message: Vec<u8> = header.copied().collect();
            message.extend_from_slice([&b"\n"[..], b"\r\n"][round % 2]);
            let length = message.len();
            message.extend_from_slice(b"A+AGE- =41\n\n--r\nbody\n");
            match plain_header(&message, HeaderPolicy::Written, |value| {
                value.contains(&b'?')
            }) {
                Some((n, declares_none)) => {
                    let text = message.escape_ascii();
                    let (mut walker, mut body) = (Walker::default(), Body::default());
                    walker.message(MessageMeta::default());
                    walker.feed(&message, 0, &mut body);
                    walker.finish(&mut body);
                    let part = ("1".to_owned(), "text/plain".to_owned());
                    assert_eq!(body.parts, [part], "{text}");
                    assert!(body.text == message[n..] && body.notes == 0, "{text}");
                    assert_eq!(n, length, "{text}");
                    assert_eq!(body.declares_none, declares_none, "{text}");
                    plain += 1;
                }
                None => others += 1,
            }
        }
        assert!(plain > 5000 && others > 5000, "{plain} {others}");
    }
}
