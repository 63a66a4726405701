//! Linear time with a small constant, on texts made to be slow. The tests count
//! examined bytes, so the results are the same on any machine.

use crate::common::{hostile, slow};
use std::ops::ControlFlow;
use urlgrep::{Extractor, ExtractorBuilder, Hit};
use urlgrep_find::Drive;

/// The lengths of a text of each family.
fn lengths() -> [usize; 2] {
    if slow() {
        [1 << 16, 1 << 18]
    } else {
        [1 << 13, 1 << 15]
    }
}

/// The number of bytes that the scanner examines in `text`, and the number of hits.
fn examined(text: &[u8]) -> (u64, usize) {
    let mut extractor = Extractor::builder().rejects(true).build().stream();
    let mut hits = 0;
    let _ = extractor.search_here(text, |_: &Hit| {
        hits += 1;
        ControlFlow::Continue(())
    });
    (extractor.examined(), hits)
}

/// The same for a text in chunks of `size`.
fn examined_in_chunks(text: &[u8], size: usize) -> (u64, usize) {
    examined_of(text.chunks(size))
}

/// The same for a text that arrives in `chunks`.
fn examined_of<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> (u64, usize) {
    fed(Extractor::builder(), chunks)
}

/// The same for a text that may be rows of a terminal.
fn examined_rows<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> (u64, usize) {
    fed(Extractor::builder().rows(true), chunks)
}

fn fed<'a>(builder: ExtractorBuilder, chunks: impl Iterator<Item = &'a [u8]>) -> (u64, usize) {
    let mut extractor = builder.rejects(true).build().stream();
    let mut hits = 0;
    let mut sink = |_: &Hit| {
        hits += 1;
        ControlFlow::Continue(())
    };
    extractor.reset(0, 1);
    for chunk in chunks {
        let _ = extractor.feed(chunk, &mut sink);
    }
    let _ = extractor.finish(&mut sink);
    (extractor.examined(), hits)
}

#[test]
fn no_text_is_examined_more_than_four_times() {
    let mut failed = vec![];
    for (name, make) in hostile::FAMILIES {
        for n in lengths() {
            let text = make(n);
            let (seen, hits) = examined(&text);
            let (n, limit) = (text.len(), 4 * text.len() as u64 + 4096);
            if seen > limit {
                let times = seen as f64 / n as f64;
                failed.push(format!("{name}: {times:.1} times {n} bytes, {hits} hits"));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The worst results of a random search over texts that repeat a mixture of
/// words of the scanner. Several rules examine each byte.
const MIXTURES: [&str; 8] = [
    "/news:a.bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxa.ba.bmailto:urn:x:ynews:.(?%20mailto:,\
     URL=&=URL:<URL:/ \"http://a=\n?",
    "sip:a.bxxxxxxxxxxxxxxxxa.bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
     xxxxxxxxxxxxxxxxxxxxxxxxxxxxdata:,<http://\n\n<http://\"",
    "tel:1<url:\n\n&\"http://a<sip:xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\
     a.ba.ba.ba.bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "& \"tel:1<url:sip:a.b?=\n=news:xxxxxxxxxxxxxxxxa.bmailto:urn:x:yurn:x:y.data:,.=tel:1.news:xxxxxx\
     xxxxxxxxxx%20URL=data:,URL:mailto:a.bnews:/URL=.sip:",
    "?sip:.sip:a.bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxmailto:doi:10.=\n",
    "http://a.b/c&\n\n<sip:\"http://a)sip:http://a.b/c/http://ahttp://a'http://aURL=&a.b=doi:10.news:\
     mailto:a:b'mailto:mailto:xxxxxxxxxxxxxxxx%20..URL:data:,sip:xxxxxxxxxxxxxxxx",
    // Links of mail gateways without their end, and parts of them.
    "(https://urldefense.com/v3/__a%7Cbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n",
    "(https://urldefense.com/v3/__a%7Cbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb/a-a-\n\
     b-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb/ab%7C/b-a/a-a-\n",
];

#[test]
fn no_mixture_is_examined_more_than_nine_times() {
    for mixture in MIXTURES {
        for n in lengths() {
            let text = mixture.repeat(n / mixture.len());
            let (seen, _) = examined(text.as_bytes());
            let times = seen as f64 / text.len() as f64;
            assert!(seen <= 9 * n as u64 + 4096, "{times:.1} times: {mixture}");
        }
    }
}

#[test]
fn chunks_cost_no_more_than_twice_as_much() {
    let mut failed = vec![];
    for (name, make) in hostile::FAMILIES {
        let text = make(lengths()[0]);
        let (_, hits) = examined(&text);
        for size in [61, 4096] {
            let (seen, found) = examined_in_chunks(&text, size);
            assert_eq!(hits, found, "{name} in chunks of {size}");
            if seen > 8 * text.len() as u64 + 8192 {
                let times = seen as f64 / text.len() as f64;
                failed.push(format!("{name}: {times:.1} times in chunks of {size}"));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The most times that a text is examined whose places are read through a view. A view of 40
/// bytes after each colon reads the text four times, and a candidate in it once more.
const VIEWS: u64 = 16;

/// The cost of a view is linear too: no colon of a long word makes its own page of the whole word.
#[test]
fn views_cost_a_constant_time_for_each_byte() {
    let mut failed = vec![];
    for (name, make) in hostile::VIEWED {
        for n in lengths() {
            let text = make(n);
            let (seen, hits) = examined_rows(std::iter::once(&text[..]));
            let times = seen as f64 / text.len() as f64;
            if seen > VIEWS * text.len() as u64 + 4096 {
                failed.push(format!("{name}: {times:.1} times {n} bytes, {hits} hits"));
            }
            if n > lengths()[0] && !slow() {
                continue;
            }
            for size in [61, 4096] {
                let (seen, found) = examined_rows(text.chunks(size));
                assert_eq!(hits, found, "{name} in chunks of {size}");
                if seen > 2 * VIEWS * text.len() as u64 + 8192 {
                    let times = seen as f64 / text.len() as f64;
                    failed.push(format!("{name}: {times:.1} times in chunks of {size}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// The same for texts that are refanged, with rows and without, and for all other families.
#[test]
fn no_text_is_too_dear_with_rows_and_refanging() {
    let mut failed = vec![];
    for (name, make) in hostile::VIEWED.iter().chain(hostile::FAMILIES) {
        let text = make(lengths()[0]);
        for rows in [true, false] {
            let builder = Extractor::builder().refang(true).rows(rows);
            let (seen, hits) = fed(builder, std::iter::once(&text[..]));
            if seen > VIEWS * text.len() as u64 + 4096 {
                let times = seen as f64 / text.len() as f64;
                failed.push(format!(
                    "{name}, rows {rows}: {times:.1} times, {hits} hits"
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// A waiting candidate is examined again at a line end, but not at every line
/// end. Otherwise short lines in a long wrapper would take quadratic time.
#[test]
fn lines_cost_no_more_than_other_chunks() {
    let mut failed = vec![];
    for (name, make) in hostile::FAMILIES {
        let text = make(lengths()[0]);
        let (_, hits) = examined(&text);
        let (seen, found) = examined_of(text.split_inclusive(|&b| b == b'\n'));
        assert_eq!(hits, found, "{name} by lines");
        if seen > 8 * text.len() as u64 + 8192 {
            let times = seen as f64 / text.len() as f64;
            failed.push(format!("{name}: {times:.1} times by lines"));
        }
    }
    for mixture in MIXTURES {
        let text = mixture.repeat(lengths()[0] / mixture.len());
        let (seen, _) = examined_of(text.as_bytes().split_inclusive(|&b| b == b'\n'));
        if seen > 18 * text.len() as u64 + 8192 {
            let times = seen as f64 / text.len() as f64;
            failed.push(format!("{times:.1} times by lines: {mixture}"));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn there_are_many_families_and_each_has_a_name() {
    let names: std::collections::HashSet<_> = hostile::FAMILIES.iter().map(|f| f.0).collect();
    assert_eq!(names.len(), hostile::FAMILIES.len());
    assert!(names.len() >= 40);
    assert!(hostile::FAMILIES.iter().all(|f| f.1(5000).len() >= 5000));
    assert!(examined(&hostile::prose(1 << 16)).0 <= (2 << 16));
}

/// The same for mail. Each layer examines at most four times its input. The
/// input of the walker is the message. The input of the scanner is the decoded
/// text. It has at most three times the size of the message, because one byte
/// becomes at most a U+FFFD. Slices as large as the message are the worst case of
/// lookahead. Small slices are the worst case of bytes that are kept.
#[cfg(feature = "search")]
mod mail {
    use std::ops::ControlFlow;

    use crate::common::hostile_mail::families;
    use urlgrep::{Extractor, Hit, Stream};
    use urlgrep_base::span::{SeamKind, SourceMap, Span};
    use urlgrep_containers::{ContainerSink, ReadAs, Shape, Splitter, Start, sniff};
    use urlgrep_find::Drive;
    use urlgrep_mail::mime::Walker;
    use urlgrep_mail::mime::{MailSink, MessageMeta, PartEnd, PartInfo, PartKind};

    /// The input of a stream, and its cost in examined bytes.
    struct Counts {
        walker: Walker,
        texts: Texts,
        /// Bytes given to the walker.
        given: u64,
    }

    struct Texts {
        extractor: Stream,
        in_link: bool,
        parts: u64,
        /// Bytes of decoded text, and the number of examined bytes.
        text: u64,
        examined: u64,
        hits: u64,
    }

    impl MailSink for Texts {
        fn part_start(&mut self, part: &PartInfo<'_>) {
            self.in_link = matches!(part.kind, PartKind::HtmlLink { .. });
            if !self.in_link {
                self.extractor.reset(0, 1);
            }
            self.parts += 1;
        }

        fn text(&mut self, bytes: &[u8], _map: &SourceMap) {
            self.text += bytes.len() as u64;
            if !self.in_link {
                let _ = self.extractor.feed(bytes, |_: &Hit| {
                    self.hits += 1;
                    ControlFlow::Continue(())
                });
            }
        }

        fn part_end(&mut self, _end: PartEnd) {
            if std::mem::take(&mut self.in_link) {
                return;
            }
            let _ = self.extractor.finish(|_: &Hit| {
                self.hits += 1;
                ControlFlow::Continue(())
            });
            self.examined += self.extractor.examined();
        }
    }

    impl ContainerSink for Counts {
        fn message_start(&mut self, start: &Start<'_>) {
            assert!(matches!(start.shape, Shape::Message | Shape::Header));
            self.walker.message(MessageMeta { line: start.line });
        }

        fn data(&mut self, bytes: &[u8], offset: u64) {
            self.given += bytes.len() as u64;
            self.walker.feed(bytes, offset, &mut self.texts);
        }

        fn seam(&mut self, kind: SeamKind, span: Span) {
            self.walker.feed_seam(kind, span, &mut self.texts);
        }

        fn message_end(&mut self, _end: u64) {
            self.walker.finish(&mut self.texts);
        }
    }

    fn counts(mail: &[u8], size: usize) -> Counts {
        let mut counts = Counts {
            walker: Walker::default(),
            texts: Texts {
                extractor: Extractor::builder().rejects(true).build().stream(),
                in_link: false,
                parts: 0,
                text: 0,
                examined: 0,
                hits: 0,
            },
            given: 0,
        };
        let hint = match sniff(mail, false, ReadAs::Auto) {
            urlgrep::mail::Container::Text => ReadAs::Message,
            _ => ReadAs::Auto,
        };
        let mut splitter = Splitter::new(hint);
        for chunk in mail.chunks(size) {
            splitter.feed(chunk, &mut counts);
        }
        splitter.finish(&mut counts);
        counts
    }

    #[test]
    fn no_mail_is_examined_more_than_four_times() {
        let mut failed = vec![];
        for family in families() {
            let mail = family.make(super::lengths()[0]);
            let len = mail.len() as u64;
            let mut found = None;
            for size in [usize::MAX, 4096, 61] {
                let Counts {
                    walker,
                    texts,
                    given,
                } = counts(&mail, size);
                assert!(given <= len, "{}", family.name);
                let rows = [
                    ("lines", walker.examined(), 4 * len),
                    ("text", texts.text, 3 * len),
                    ("parts", texts.parts, len / 2),
                    ("scanned", texts.examined, 4 * texts.text.max(len)),
                ];
                for (what, count, limit) in rows {
                    if count > limit + 4096 {
                        let times = count as f64 / len as f64;
                        failed.push(format!("{}, {size}: {what} {times:.2}", family.name));
                    }
                }
                let same = (texts.hits, texts.text, texts.parts);
                assert_eq!(*found.get_or_insert(same), same, "{}", family.name);
            }
        }
        assert!(failed.is_empty(), "{failed:#?}");
    }

    #[test]
    fn there_are_many_families_and_each_has_a_name() {
        let all = families();
        let names: std::collections::HashSet<_> = all.iter().map(|f| f.name).collect();
        assert_eq!(names.len(), all.len());
        assert!(names.len() >= 100, "{}", names.len());
        assert!(all.iter().all(|f| f.make(50_000).len() >= 50_000));
    }
}
