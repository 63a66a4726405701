//! Compares the reading of a text in pages with that of the whole text, and the prefilter with
//! a simple version, which tests every line for every shape.

use memchr::memchr_iter;
use proptest::prelude::*;

use super::lines::{Line, Lines};
use super::tail::{Source, Tail};
use super::{Page, Role, RoleTracker};
use super::{attribution, letters, shapes, titles};

/// Lines of all shapes, and lines that nearly have a shape.
const LINES: &[&str] = &[
    "",
    " ",
    "\t",
    "word and words",
    "Word and words",
    "> quoted",
    " > quoted",
    "\t> quoted",
    ">> twice",
    "| bar",
    "|",
    "| framed |",
    ": colon",
    ":-)",
    "Jo> initials",
    " Jo> initials",
    "  Jo> initials",
    "ABCD> initials",
    "ABCDE> none",
    "jo> none",
    "On 3 Mar 1998, Jo",
    "On 3 Mar 1998, Jo wrote:",
    "  On 3 Mar 1998, Jo wrote:",
    "on 3 Mar 1998 we wrote:",
    "Jo <jo@example.org> wrote:",
    "Jo <jo@a.example> wrote in message news:1@a.example...",
    "  news:1@a.example...",
    "-----END PGP SIGNATURE-----",
    "--- begin forwarded text",
    "--- end forwarded text",
    "*Jean Doe*",
    "From: Jo",
    "*From:* Jo",
    "FROM : Jo",
    "  from:",
    "From here on",
    "Sent: Monday",
    "Date: Monday",
    "To: Ann",
    "Subject: x",
    " a folded line",
    "-- ",
    "--",
    "---",
    "1. one",
    "2. two",
    "retries = 3",
    "Jean",
    "Jean 39:44",
    "Oh, and the page is http://a.example/",
    "----------  Forwarded Message  ----------",
    "-------------------------------------------------------",
    "____________________",
    "xxxxxxxxxxxxxxxxxxxxxxxx",
    "-.-.-.-.-.-.-.-.-.-.-.-",
    "  =-=-=-=-=-=-=-=-=-=-=-",
    "ababababababababababab",
    "-----== Posted via Deja News ==-----",
    "Sent via Deja.com http://www.deja.com/",
    "posted from here",
    "  -**** Posted from remarQ ****-",
    "+ posted via x",
    "= sent through x",
    "+ added",
    "-\tremoved",
    "-removed",
    "* item",
    "Sent by me",
    "Sent from my phone",
    "Jean Doe",
    "  - Jean",
    "Dr Jean",
    "jeans and more",
    "-----Original Message-----",
    " ----- Forwarded message ----- ",
    "----- End forwarded message -----",
    "    indented",
    "To unsubscribe from this list: send a line",
    "Begin forwarded message:",
    "-----Urspr?ngliche Nachricht-----",
    "Anfang der weitergeleiteten Nachricht:",
    "-------- Конец пересылаемого сообщения --------",
    "Von: Jo Doe <jo@a.example>",
    "*Gesendet:* Montag, 3. Mai 2021 10:00",
    "An: Ann",
    "De\u{a0}: Jo Doe <jo@a.example>",
    "??: Jo Doe <jo@a.example>",
    "??: 3 May 2021 10:00",
    "发件人： Jo <jo@a.example>",
    "主题： x",
    "Am 3. Mai 2021 um 10:00 schrieb Jo Doe <",
    "jo@a.example>:",
    "3 мая 2021 г. в 10:00, Jo Doe <jo@a.example>:",
    "A sentence that goes on:",
    "Viele Grüße",
    "mfg",
    "С уважением,",
    "Von meinem iPhone gesendet",
    "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "Outlook erhalten <https://aka.ms/o0ukef>",
    "<https://aka.ms/o0ukef>",
    "--~--~---------~--~----~------------~-------~--~----~",
    "-~----------~----~----~----~------~----~------~--~---",
    "_______________________________________________",
    "talk mailing list, http://a.example/listinfo/talk",
    "This is an automatically generated e-mail. To reply, visit:",
    "You received this message because you are subscribed",
    "This e-mail and any attachments are confidential.",
    "_ Original Message _",
    "BEGIN",
    "Finally",
    "-------------- next part --------------",
    "A non-text attachment was scrubbed...",
    "To unsubscribe from this mailing list",
    "http://www.example.org/",
    "http://www.example.org/listinfo/talk",
    "A sentence that has more than fifty bytes, as in the middle of a letter",
];

/// The role at the start of each line. It is the same if the text is read in pages.
fn roles_by_lines(lines: &[&str]) -> Vec<Role> {
    let [mut whole, mut pages] = [RoleTracker::default(), RoleTracker::default()];
    let (mut starts, mut end) = (Vec::new(), 0);
    for line in lines {
        let line = [line, "\n"].concat();
        starts.push(end);
        end += line.len() as u64;
        whole.feed(line.as_bytes());
        let (first, second) = line.as_bytes().split_at(line.len() / 2);
        pages.feed(first);
        pages.turn();
        pages.drop_page();
        pages.feed(second);
    }
    whole.finish(true);
    pages.finish(true);
    let roles = starts.iter().map(|&at| {
        let role = whole.role_at(at);
        assert_eq!(role, pages.role_at(at), "{at} of {lines:?}");
        role.expect("the part has ended")
    });
    roles.collect()
}

#[test]
fn a_letter_after_the_second_dashes() {
    let prose = LINES[LINES.len() - 1];
    let lines = [
        "x", "--", "a", "a", "a", "a", "--", prose, "b", "b", "", "c", "c", "c", "c", "c", "c", "",
        "d",
    ];
    let roles = roles_by_lines(&lines);
    assert!(roles.iter().all(|&role| role == Role::Body), "{roles:?}");
}

#[test]
fn the_text_below_a_line_that_waits_is_unknown_where_a_part_breaks_off() {
    let mut roles = RoleTracker::default();
    let text = b"words\n> On 3 May 2021, Jo wrote:\nhttp://a.example/\n";
    roles.feed(text);
    roles.cut_off();
    assert_eq!(roles.role_at(0), Some(Role::Body));
    assert_eq!(roles.role_at(8), Some(Role::Quoted(1)));
    assert_eq!(roles.role_at(36), None);
    roles.finish(true);
    assert_eq!(roles.role_at(36), Some(Role::Body));
}

/// Lines of footers.
const FOOTER: &[&str] = &[
    "",
    "____________________",
    "-.-.-.-.-.-.-.-.-.-.-.-",
    "talk mailing list",
    "talk mailing list",
    "http://a.example/mailman/listinfo/talk",
    "(in the body)",
    "Sent via a.example http://a.example/",
    "words at the end",
    "> words",
];

/// A tracker of a message by Jean Doe that has this text.
fn tracker(text: &[u8]) -> RoleTracker {
    let mut roles = RoleTracker::default();
    roles.reader.lines.letter.from = b"Jean Doe via list <jean@a.example>".to_vec();
    roles.feed(text);
    roles
}

/// The rows and runs of a text whose lines are all tested for all shapes.
fn read_slowly(page: &Page) -> Lines {
    let mut lines = Lines::default();
    for end in memchr_iter(b'\n', &page.text) {
        let line = Line {
            at: lines.next,
            bytes: &page.text[lines.next..=end],
        };
        lines.next = line.end();
        lines.line(page, &line);
    }
    lines
}

/// Asserts that the prefilter lets all shapes pass.
fn assert_no_shape_is_missed(text: &[u8]) {
    let mut roles = tracker(text);
    roles.reader.read(&roles.page, false, false);
    let reader = &mut roles.reader;
    reader.facts.read_author(&reader.lines.letter.from);
    let slow = read_slowly(&roles.page);
    assert_eq!(
        format!("{:?}", roles.reader.lines.runs),
        format!("{:?}", slow.runs)
    );
    assert_eq!(
        format!("{:?}", roles.reader.lines.rows),
        format!("{:?}", slow.rows)
    );
    let source = Source {
        page: &roles.page,
        facts: &roles.reader.facts,
        lines: &slow,
    };
    for i in 0..slow.rows.len() {
        let head = source.line(i).head();
        let first = head.iter().copied().find(|b| !b.is_ascii_whitespace());
        let may_begin = first.is_some_and(|first| {
            shapes::may_have_shape(head, first) || roles.reader.facts.author.is_named(head, first)
        });
        if may_begin {
            continue;
        }
        // A name after words, below a blank line, of the author's own text.
        let mut tail = Tail::default();
        tail.worded = 1;
        tail.blank_after = 1;
        let before = format!("{tail:?}");
        tail.begin(source, i, None);
        assert_eq!(format!("{tail:?}"), before, "{}", head.escape_ascii());
    }
}

proptest! {
    #[test]
    fn pages_make_no_difference(
        picks in prop::collection::vec((0..LINES.len(), 1..40_usize), 0..60)
    ) {
        // Most lines occur once. A text must be longer than what is kept of a page.
        let repeat = |&(i, times): &(usize, usize)| {
            let times = if times % 4 == 0 { times } else { 1 };
            std::iter::repeat_n(LINES[i], times)
        };
        let lines: Vec<&str> = picks.iter().flat_map(repeat).collect();
        roles_by_lines(&lines);
    }

    /// A footer and a quotation are known without the search of the tail, which would find the
    /// same.
    #[test]
    fn the_search_of_the_tail_changes_no_known_role(
        picks in prop::collection::vec(0..LINES.len(), 0..30),
        footer in prop::collection::vec(0..FOOTER.len(), 0..8),
        last in prop::collection::vec(0..LINES.len(), 0..2),
    ) {
        let lines = picks.iter().map(|&i| LINES[i]);
        let lines = lines.chain(footer.iter().map(|&i| FOOTER[i]));
        let text: String = lines.chain(last.iter().map(|&i| LINES[i])).map(|line| format!("{line}\n")).collect();
        let ask = |is_searched: bool, is_upwards: bool| {
            let mut roles = tracker(text.as_bytes());
            roles.finish(true);
            let RoleTracker { page, reader } = &mut roles;
            if is_searched {
                reader.ended = None;
                reader.end(page, true);
                let (first, last) = reader.tail_from.take().unwrap();
                reader.end_tail(page, first, last);
            }
            let ends = memchr_iter(b'\n', text.as_bytes());
            let mut places: Vec<u64> = ends.map(|at| at as u64).collect();
            if is_upwards {
                places.reverse();
            }
            let roles = places.iter().map(|&at| reader.role_at(page, at));
            roles.collect::<Vec<_>>()
        };
        prop_assert_eq!(ask(false, false), ask(true, false), "{}", text);
        prop_assert_eq!(ask(false, true), ask(true, true), "{}", text);
    }

    #[test]
    fn the_prefilter_misses_no_shape(
        picks in prop::collection::vec((0..LINES.len(), any::<bool>()), 0..40)
    ) {
        let lines: Vec<String> = picks
            .iter()
            .map(|&(i, crlf)| [LINES[i], if crlf { "\r\n" } else { "\n" }].concat())
            .collect();
        assert_no_shape_is_missed(lines.concat().as_bytes());
    }

    #[test]
    fn the_prefilter_misses_no_shape_in_random_bytes(lines in prop::collection::vec("[-_=*+. \\t>|:OnFfrom0-9a-c]{0,30}\n", 0..20)) {
        assert_no_shape_is_missed(lines.concat().as_bytes());
    }
}

/// All texts of at most four of these pieces.
fn texts(pieces: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut texts = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..4 {
        let to = texts.len();
        for i in from..to {
            texts.extend(
                pieces
                    .iter()
                    .map(|piece| [&texts[i], *piece].concat())
                    .collect::<Vec<_>>(),
            );
        }
        from = to;
    }
    texts
}

#[test]
fn texts_are_trimmed_as_in_the_plain_version() {
    let plain = |mut text: Vec<u8>, before: &[&[u8]], after: &[&[u8]]| loop {
        let rest = before.iter().find_map(|mark| text.strip_prefix(*mark));
        let rest = rest.or_else(|| after.iter().find_map(|mark| text.strip_suffix(*mark)));
        match rest {
            Some(rest) => text = rest.to_vec(),
            None => return text,
        }
    };
    let marks: [&[u8]; 7] = [
        b" ",
        b"\n",
        b"*",
        b"_",
        b"\xC2\xA0",
        b"\xE2\x80\x8E",
        b"\xE2\x81\xA9",
    ];
    let both: [&[u8]; 4] = [b" ", b"\n", b"*", b"\xC2\xA0"];
    for text in texts(&[
        b" ",
        b"\n",
        b"*",
        b"_",
        b"a",
        b"\xC2",
        b"\xA0",
        b"\xE2\x80\x8E",
        b":",
    ]) {
        let found = attribution::without_blanks(&text);
        assert_eq!(
            found,
            plain(text.clone(), &[], &marks),
            "{}",
            text.escape_ascii()
        );
        let found = titles::trim_blanks(&text);
        assert_eq!(
            found,
            plain(text.clone(), &both, &both),
            "{}",
            text.escape_ascii()
        );
    }
}

#[test]
fn lower_case_is_that_of_the_plain_version() {
    let texts = texts(&[b" ", b"\t", b"A", b"b", b"?", b"_", b"Z"]);
    let long = texts
        .iter()
        .map(|text| [b"Words of 8 ", &text[..], b" or more "].concat());
    for text in texts.iter().cloned().chain(long) {
        let mut plain = Vec::new();
        for b in text.to_ascii_lowercase() {
            let b = if b.is_ascii_whitespace() { b' ' } else { b };
            if b != b' ' || plain.last() != Some(&b' ') {
                plain.push(b);
            }
        }
        plain.pop_if(|b| *b == b' ');
        assert_eq!(
            letters::lower::<Vec<u8>>(&text),
            plain,
            "{}",
            text.escape_ascii()
        );
    }
}
