//! The whole way through mail: a container is split into messages, a message
//! decoded into texts, each text searched, and each hit led back to the bytes
//! of the file.
//!
//! A [`Searcher`] is fed the bytes of a container, or of one message, and
//! gives a [`Finds`] each URL with all that is known of its place. It does no
//! input or output, and keeps its memory from one message to the next.
//!
//! ```
//! use urlgrep::search::{Find, Finds, Searcher};
//!
//! struct Print;
//! impl Finds for Print {
//!     fn find(&mut self, find: &Find<'_>) -> bool {
//!         assert_eq!(find.hit.url(), b"http://www.example.org/a=b");
//!         assert_eq!(find.place.unwrap().span().start, 62);
//!         true
//!     }
//! }
//!
//! let mail = b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\n> see http://www.exa=\nmple.org/a=3Db\n";
//! # let mail = &mail[..];
//! let mut searcher = Searcher::new(Default::default());
//! searcher.search_message(mail, &mut Print);
//! ```

mod anchors;
mod decode;
mod join;
mod waiting;

use std::convert::Infallible;
use std::fmt;
use std::io::{self, Read};

use crate::extract::{Extractor, ExtractorBuilder, Hit};
use crate::mail::mime::{self, HeaderPolicy, Role, Walker, WalkerConfig};
use crate::mail::{
    As, Container, ContainerSink, Position, SNIFF, Shape, Splitter, Start, is_undecided, sniff,
};
use crate::span::{Seam, Span};

use self::decode::Parts;
use self::join::{Current, Join};

/// How many bytes [`Searcher::search_reader`] reads at a time.
const READ: usize = 64 * 1024;

/// What a [`Searcher`] is asked to do.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How URLs are found and judged.
    pub extractor: ExtractorBuilder,
    /// Which header fields are searched.
    pub headers: HeaderPolicy,
    /// Whether hits are held back until their message has ended, so that
    /// [`Message::end`] is known. A message over 64 KiB is not waited for.
    pub message_ends: bool,
    /// Whether what a hit is to the reader ([`Find::role`]) and what its message
    /// says of itself ([`Message::info`]) are found out, which takes a quarter
    /// of the time. On by default.
    pub details: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            extractor: ExtractorBuilder::default(),
            headers: HeaderPolicy::default(),
            message_ends: false,
            details: true,
        }
    }
}

/// Receives what a [`Searcher`] finds.
pub trait Finds {
    /// A URL, or a reject. Returns whether to go on.
    fn find(&mut self, find: &Find<'_>) -> bool;

    /// The header of a message was read. Returns whether its URLs are wanted.
    fn message(&mut self, _message: &Message<'_>) -> bool {
        true
    }

    /// Something was wrong and was tolerated.
    fn note(&mut self, _note: &Note<'_>) {}
}

/// The message that is being searched.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Its number in the container, from 1.
    pub number: u64,
    /// Offset of its first byte, after the separator line.
    pub start: u64,
    /// Offset after its last byte, if it is known by now and asked for; see
    /// [`Options::message_ends`].
    pub end: Option<u64>,
    /// What its header says; nothing where [`Options::details`] is off.
    pub info: &'a mime::MessageInfo,
}

/// Where the bytes of a URL stand in the source.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The bytes that are copied into the URL, in order.
    pub segments: &'a [Span],
    /// What lies between them, in order. Both together have no gap.
    pub seams: &'a [Seam],
}

impl Place<'_> {
    /// From the URL's own first byte to after its last.
    #[must_use]
    pub fn span(&self) -> Span {
        let ends = |segment: Option<&Span>, seam: Option<&Seam>| {
            let seam = seam.map(|s| s.span);
            (segment.copied(), seam)
        };
        let start = match ends(self.segments.first(), self.seams.first()) {
            (Some(a), Some(b)) => a.start.min(b.start),
            (a, b) => a.or(b).map_or(0, |s| s.start),
        };
        let end = match ends(self.segments.last(), self.seams.last()) {
            (Some(a), Some(b)) => a.end.max(b.end),
            (a, b) => a.or(b).map_or(start, |s| s.end),
        };
        Span::new(start, end)
    }
}

/// A hit and where it was.
#[derive(Clone, Copy, Debug)]
pub struct Find<'a> {
    /// The URL. Its segments and seams count in the decoded text of the part.
    pub hit: &'a Hit,
    /// Where its bytes stand in the source; `None` if they do not stand there
    /// (base64, a re-encoded charset).
    pub place: Option<Place<'a>>,
    /// The line of the source; where there is no place, the line on which the
    /// part begins.
    pub line: Option<u64>,
    /// The message it stands in; `None` in plain text.
    pub message: Option<Message<'a>>,
    /// The number of its MIME part; `None` in a header and in plain text.
    pub part: Option<&'a str>,
    /// The name of the header field it stands in.
    pub header: Option<&'a [u8]>,
    /// What it is to the reader of the message; `None` in plain text, and
    /// where [`Options::details`] is off.
    pub role: Option<Role>,
}

impl Find<'_> {
    /// About how many bytes a copy takes.
    fn weight(&self) -> usize {
        let place = self.place.map_or(0, |place| {
            size_of_val(place.segments) + size_of_val(place.seams)
        });
        self.hit.weight() + place
    }
}

/// Something tolerated.
#[derive(Clone, Copy)]
pub struct Note<'a> {
    /// In a few words, for people.
    pub text: &'a dyn fmt::Display,
    /// In one word, for programs.
    pub name: &'a str,
    /// Where, if that is known.
    pub at: Option<u64>,
    /// The number of the message.
    pub message: Option<u64>,
    /// The number of the part.
    pub part: Option<&'a str>,
}

/// Searches containers, messages and plain text.
///
/// # Memory
///
/// Bounded, whatever a message holds. The largest parts of it:
///
/// * the header block, at most [`MAX_HEADER`](mime::MAX_HEADER);
/// * the maps of decoded text and of one link, at most three pieces of 48 bytes
///   for each of 36 KiB of text and 16 KiB of a link;
/// * the hits of links that wait for the text before them: 1,024 of them, or
///   256 KiB;
/// * with [`Options::message_ends`], the hits of the first 64 KiB of a message;
/// * hits after a rule that may begin a footer: those of the next 4 KiB.
#[derive(Debug)]
pub struct Searcher {
    options: Options,
    splitter: Option<Splitter>,
    is_text: bool,
    walker: Walker,
    message: Current,
    parts: Parts,
}

impl Searcher {
    /// A searcher; start with [`Searcher::begin`].
    #[must_use]
    pub fn new(options: Options) -> Searcher {
        Searcher {
            options,
            splitter: None,
            is_text: true,
            walker: Walker::new(
                WalkerConfig::default()
                    .headers(options.headers)
                    .info(options.details),
            ),
            message: Current::default(),
            parts: Parts::new(options),
        }
    }

    /// The options it was made with.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// Starts a container, or a piece of one that begins at `at` (a
    /// [`Cut`](crate::mail::Cut) of it, or a ground state of plain text). What was
    /// not finished is forgotten.
    pub fn begin(&mut self, container: Container, at: Position) {
        self.forget();
        self.is_text = container == Container::Text;
        if self.is_text {
            self.splitter = None;
            self.parts.text.extractor.reset(at.offset, at.line.max(1));
        } else {
            self.splitter = Some(Splitter::resume(container, at));
        }
    }

    /// The next bytes of the container. Returns false once the sink has had
    /// enough; then nothing more is searched before [`Searcher::begin`].
    pub fn feed<F: Finds>(&mut self, bytes: &[u8], finds: &mut F) -> bool {
        self.run(
            finds,
            |splitter, join| {
                splitter.feed(bytes, join);
                // What comes next may be long in coming.
                join.flush();
            },
            |extractor, sink| extractor.feed(bytes, sink),
        )
    }

    /// The container, or the piece of it, ends here.
    pub fn finish<F: Finds>(&mut self, finds: &mut F) -> bool {
        self.run(
            finds,
            |splitter, join| splitter.finish(join),
            |extractor, sink| extractor.finish(sink),
        )
    }

    /// Bytes follow that cannot be read: a read error, a truncated file. Gives
    /// the hits that these cannot change; the others are rejects with the rule
    /// [`InputEnded`](crate::url::Rule::InputEnded), as for
    /// [`Extractor::break_off`]. A header field or a link that is not complete
    /// is not searched. The end of the message is not known.
    pub fn break_off<F: Finds>(&mut self, finds: &mut F) -> bool {
        self.run(
            finds,
            |_, join| join.break_off(),
            |extractor, sink| extractor.break_off(sink),
        )
    }

    /// All of a container, or of a piece of it, at once: as `begin`, `feed`
    /// and `finish`, but plain text is not copied.
    pub fn search<F: Finds>(
        &mut self,
        container: Container,
        at: Position,
        bytes: &[u8],
        finds: &mut F,
    ) -> bool {
        self.begin(container, at);
        if self.is_text {
            return self.run(
                finds,
                |_, _| {},
                |extractor, sink| extractor.search_here(bytes, sink),
            );
        }
        self.feed(bytes, finds) && self.finish(finds)
    }

    /// One message in memory. Offsets count from its first byte. Allocates
    /// nothing once it has seen messages of its size, HTML apart.
    pub fn search_message<F: Finds>(&mut self, message: &[u8], finds: &mut F) -> bool {
        self.forget();
        self.is_text = false;
        self.splitter = None;
        let mut join = Join {
            walker: &mut self.walker,
            message: &mut self.message,
            parts: &mut self.parts,
            finds,
            message_ends: self.options.message_ends,
        };
        join.message_start(&Start {
            number: 1,
            shape: Shape::Message,
            head: b"",
            head_span: Span::new(0, 0),
            line: 1,
        });
        join.data(message, 0);
        join.message_end(message.len() as u64);
        !self.message.stopped
    }

    /// Everything that `rdr` yields, which is recognised by its first bytes
    /// unless `hint` says what it is. Retains a bounded part of it.
    ///
    /// # Errors
    ///
    /// What the reader returns; what was read before that is searched, and
    /// ends as [`Searcher::break_off`] says. If it is too little to recognise
    /// what it is, nothing is.
    pub fn search_reader<F: Finds>(
        &mut self,
        mut rdr: impl Read,
        hint: As,
        finds: &mut F,
    ) -> io::Result<()> {
        let mut chunk = vec![0; READ];
        let (mut len, mut begun) = (0, false);
        loop {
            let (error, eof) = match rdr.read(&mut chunk[len..]) {
                Ok(n) => {
                    len += n;
                    (None, n == 0)
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => (Some(e), true),
            };
            if !begun && (eof || len >= SNIFF) {
                let head = &chunk[..len.min(SNIFF)];
                if error.is_some() && is_undecided(head, hint) {
                    return error.map_or(Ok(()), Err);
                }
                begun = true;
                let whole = eof && error.is_none();
                self.begin(sniff(head, whole, hint), Position::START);
            }
            if begun {
                if !self.feed(&chunk[..len], finds) {
                    return Ok(());
                }
                len = 0;
            }
            if let Some(error) = error {
                self.break_off(finds);
                return Err(error);
            }
            if eof {
                self.finish(finds);
                return Ok(());
            }
        }
    }

    /// Forgets what was not finished, or not taken.
    fn forget(&mut self) {
        self.message = Current::default();
        self.parts.forget();
    }

    /// Does `mail` with the splitter of a container, or `text` with the
    /// extractor of plain text.
    fn run<F: Finds>(
        &mut self,
        finds: &mut F,
        mail: impl FnOnce(&mut Splitter, &mut Join<'_, F>),
        text: impl FnOnce(&mut Extractor, &mut Give<'_>) -> Result<bool, Infallible>,
    ) -> bool {
        if self.message.stopped {
            return false;
        }
        if let Some(splitter) = &mut self.splitter {
            let mut join = Join {
                walker: &mut self.walker,
                message: &mut self.message,
                parts: &mut self.parts,
                finds,
                message_ends: self.options.message_ends,
            };
            mail(splitter, &mut join);
        } else {
            let mut sink = |hit: &Hit| Ok(finds.find(&plain(hit)));
            let mut give: Give<'_> = &mut sink;
            let Ok(go_on) = text(&mut self.parts.text.extractor, &mut give);
            self.message.stopped = !go_on;
        }
        !self.message.stopped
    }
}

/// Takes the hits of an extractor.
type Give<'g> = &'g mut dyn FnMut(&Hit) -> Result<bool, Infallible>;

/// A hit of plain text, which is its own source.
fn plain(hit: &Hit) -> Find<'_> {
    Find {
        hit,
        place: Some(Place {
            segments: hit.segments(),
            seams: hit.seams(),
        }),
        line: hit.line(),
        message: None,
        part: None,
        header: None,
        role: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Urls(Vec<String>);

    impl Finds for Urls {
        fn find(&mut self, find: &Find<'_>) -> bool {
            let number = find.message.map_or(0, |message| message.number);
            self.0.push(format!(
                "{number} {}",
                String::from_utf8_lossy(find.hit.url())
            ));
            true
        }
    }

    /// Gives one byte at a time, and an error at the end.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some((&first, rest)) = self.0.split_first() else {
                return Err(io::Error::other("gone"));
            };
            buffer[0] = first;
            self.0 = rest;
            Ok(1)
        }
    }

    /// Takes one hit of each text.
    #[derive(Default)]
    struct First(Vec<String>);

    impl Finds for First {
        fn find(&mut self, find: &Find<'_>) -> bool {
            self.0
                .push(String::from_utf8_lossy(find.hit.url()).into_owned());
            false
        }
    }

    #[test]
    fn what_was_not_taken_is_no_hit_of_the_next_text() {
        // Hits behind a rule wait, for it may begin a footer.
        let rule = "_".repeat(22);
        let two = format!("Subject: x\n\n{rule}\nhttp://one.example/\nhttp://two.example/\n");
        let none = "Subject: y\n\nno URL\n";
        for message_ends in [false, true] {
            let mut searcher = Searcher::new(Options {
                message_ends,
                ..Options::default()
            });
            let mut first = First::default();
            for text in [&two, none, &two] {
                searcher.search_message(text.as_bytes(), &mut first);
            }
            for text in [&two, none, &two] {
                searcher.search(
                    Container::Message,
                    Position::START,
                    text.as_bytes(),
                    &mut first,
                );
            }
            // What was fed and not finished is forgotten as well.
            searcher.begin(Container::Message, Position::START);
            searcher.feed(two.as_bytes(), &mut first);
            searcher.search_message(none.as_bytes(), &mut first);
            assert_eq!(first.0, ["http://one.example/"; 4], "{message_ends}");
        }
    }

    #[test]
    fn a_reader_is_recognised_and_searched_to_its_end() {
        let mbox =
            b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\n<URL:http://a.ex\nample/>\n\n\
            From a@b Thu Jan  1 00:00:00 1970\nSubject: y\n\nhttp://b.example/\n";
        let mut searcher = Searcher::new(Options::default());
        let expected = ["1 http://a.example/", "2 http://b.example/"];
        let mut urls = Urls::default();
        searcher
            .search_reader(&mbox[..], As::Auto, &mut urls)
            .unwrap();
        assert_eq!(urls.0, expected);
        let mut urls = Urls::default();
        assert!(
            searcher
                .search_reader(Slow(mbox), As::Auto, &mut urls)
                .is_err()
        );
        assert_eq!(urls.0, expected);
        let mut urls = Urls::default();
        searcher
            .search_reader(&b"http://c.example/"[..], As::Auto, &mut urls)
            .unwrap();
        assert_eq!(urls.0, ["0 http://c.example/"]);
    }
}
