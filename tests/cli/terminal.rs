//! Text from a terminal, whose width broke a URL. The rules have rows in `testdata/extract`; this
//! says that the command asks them for text without a header, and for nothing else.

use super::kit::Dir;

/// What a program printed, and a terminal of 40 columns broke.
const SCREEN: &str = "\
$ tool login
Open this link to sign in:

https://auth.example.org/device/authoriz
e?client_id=ab12&scope=read%20write&stat
e=9f8e7d6c5b4a

Waiting.
";

const NO_ARGS: [&str; 0] = [];

const WHOLE: &str = "https://auth.example.org/device/authorize?client_id=ab12&scope=read%20write&state=9f8e7d6c5b4a\n";

#[test]
fn text_without_a_header_is_read_as_rows() {
    let dir = Dir::with("screen.txt", SCREEN);
    for options in [&["-j1"][..], &["-j2", "--segment-size=64"]] {
        assert_eq!(dir.run(options.iter().chain(&["screen.txt"])).text(), WHOLE);
    }
    // As `tmux capture-pane -p | urlgrep`.
    assert_eq!(dir.pipe(NO_ARGS, SCREEN.as_bytes()).text(), WHOLE);
    let frame: String = SCREEN
        .lines()
        .map(|row| format!("│ {row:40} │\n"))
        .collect();
    assert_eq!(dir.pipe(NO_ARGS, frame.as_bytes()).text(), WHOLE);
}

#[test]
fn a_message_is_not() {
    let message = format!("From: ann@a.example\nTo: bob@b.example\nSubject: s\n\n{SCREEN}");
    assert_eq!(
        Dir::new().pipe(NO_ARGS, message.as_bytes()).text(),
        "https://auth.example.org/device/authoriz\n"
    );
}

/// Two panes, each with URLs. Rows of both stand between each other, so their places overlap.
const PANES: &str = "\
the job of today                          │the film
https://job.a.example/run?id=4471&view=who│see https://film.a.example/ too
le&page=tab:changes&sort=by-name#entry-907│https://map.a.example/watch?v=dQ4w9&seen
15                                        │=PLr8&to=http://one.example/
the job has ended                         │bye
";

#[test]
fn two_panes_have_urls_in_the_same_rows() {
    let dir = Dir::with("screen.txt", PANES);
    let urls = "https://job.a.example/run?id=4471&view=whole&page=tab:changes&sort=by-name#entry-90715\n\
                https://film.a.example/\n\
                https://map.a.example/watch?v=dQ4w9&seen\n\
                http://one.example/\n";
    for options in [&["-j1"][..], &["-j2", "--segment-size=64"]] {
        assert_eq!(dir.run(options.iter().chain(&["screen.txt"])).text(), urls);
    }
}
