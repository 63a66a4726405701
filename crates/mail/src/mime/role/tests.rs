//! Compares the prefilter with a simple version, which tests every line for
//! every shape.

use proptest::prelude::*;

use super::{Role, RoleTracker};

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

/// The tracker after complete lines. `take` processes each line.
fn track(lines: &[String], take: impl Fn(&mut RoleTracker, &[u8], u64)) -> RoleTracker {
    let mut roles = RoleTracker::default();
    roles.set_author(b"Jean Doe via list <jean@a.example>");
    for line in lines {
        let end = roles.line_start + line.len() as u64;
        take(&mut roles, line.as_bytes(), end);
        roles.line += 1;
        roles.line_start = end;
        roles.end = end;
    }
    roles
}

fn plain(roles: &mut RoleTracker, line: &[u8], _: u64) {
    let role: Role = roles.shaped(line);
    roles.count(role, !line.trim_ascii().is_empty());
    roles.push_run(roles.line_start, role);
}

/// The role at the start of each line, which is the same if roles were requested before.
fn roles_by_lines(lines: &[&str]) -> Vec<Role> {
    let [mut whole, mut pieces] = [RoleTracker::default(), RoleTracker::default()];
    let (mut starts, mut early) = (Vec::new(), Vec::new());
    for (i, line) in lines.iter().enumerate() {
        let line = [line, "\n"].concat();
        starts.push(whole.end + whole.waiting.len() as u64);
        whole.feed(line.as_bytes());
        pieces.feed(line.as_bytes());
        early.push((starts[i / 2], pieces.role_at(starts[i / 2])));
    }
    whole.finish(true);
    pieces.finish(true);
    let role = |at: &u64| {
        let role = whole.role_at(*at);
        assert_eq!(role, pieces.role_at(*at), "{at} of {lines:?}");
        role.expect("the part has ended")
    };
    let roles: Vec<Role> = starts.iter().map(role).collect();
    for (at, role) in early {
        let last = roles[starts.iter().position(|&start| start == at).unwrap()];
        assert!(role.is_none_or(|role| role == last), "{at} of {lines:?}");
    }
    roles
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

proptest! {
    #[test]
    fn questions_in_between_make_no_difference(
        picks in prop::collection::vec(0..LINES.len(), 0..60)
    ) {
        let lines: Vec<&str> = picks.iter().map(|&i| LINES[i]).collect();
        roles_by_lines(&lines);
    }

    #[test]
    fn the_prefilter_misses_no_shape(
        picks in prop::collection::vec((0..LINES.len(), any::<bool>()), 0..40)
    ) {
        let lines: Vec<String> = picks
            .iter()
            .map(|&(i, crlf)| [LINES[i], if crlf { "\r\n" } else { "\n" }].concat())
            .collect();
        let fast = track(&lines, |roles, line, end| roles.line(line, end, false));
        let slow = track(&lines, plain);
        prop_assert_eq!(format!("{fast:?}"), format!("{slow:?}"));
    }

    #[test]
    fn the_prefilter_misses_no_shape_in_random_bytes(lines in prop::collection::vec("[-_=*+. \\t>|:OnFfrom0-9a-c]{0,30}\n", 0..20)) {
        let fast = track(&lines, |roles, line, end| roles.line(line, end, false));
        let slow = track(&lines, plain);
        prop_assert_eq!(format!("{fast:?}"), format!("{slow:?}"));
    }
}
