//! Lines that a program draws at the edge of the screen and that are no part of the text above
//! them: the prompt of a pager, the line of state of an editor or of a terminal multiplexer.
//!
//! They matter where a screen is copied (`tmux capture-pane`, a selection with the mouse): the last
//! row of the text then stands directly above them.

use super::records;
use super::words::{is_number, until_blank};

/// True if `line` is one of them. It has no line end.
pub(crate) fn is_state_line(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let word = until_blank(line);
    let rest = line[word.len()..].trim_ascii_start();
    is_prompt_of_pager(line, word, rest)
        || is_tag(word)
        || is_window_of_tmux(word, rest)
        || is_mode_of_vi(word, rest)
        || is_row_of_keys(word, rest)
        || has_ruler(line)
        || is_prompt_of_shell(line)
}

/// `:`, `(END)`, `notes.txt (END)`, `lines 1-3/3 50%` of less, `--More--(50%)` of more, and the line
/// below a page of man.
fn is_prompt_of_pager(line: &[u8], word: &[u8], rest: &[u8]) -> bool {
    let is_digit = u8::is_ascii_digit;
    let is_range = |word: &[u8]| {
        let dash = memchr::memchr(b'-', word);
        dash.is_some_and(|at| {
            is_number(&word[..at]) && word[at + 1..].first().is_some_and(is_digit)
        })
    };
    let begins_range = |text: &[u8]| {
        let range = text.strip_prefix(b"lines ");
        range.is_some_and(|range| is_range(until_blank(range)))
    };
    line == b":"
        || line == b"(END)"
        || line.ends_with(b" (END)")
        || word.starts_with(b"--More--")
        || word == b"Manual" && rest.starts_with(b"page ")
        || begins_range(line)
        || begins_range(rest)
}

/// True for the prompt of a pager that has more to show: `--More--(50%)`.
pub(crate) fn is_prompt_for_more(line: &[u8]) -> bool {
    line.starts_with(b"--More--")
}

/// The prompts of shells that [`records::is_prompt`] does not tell by their first word: `ann@box ~ %`
/// (zsh), `[ann@box ~]$` (Fedora), `box:~ ann$` (macOS), and `(env) ann@box:~$` with the name of an
/// environment before it.
fn is_prompt_of_shell(line: &[u8]) -> bool {
    let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"._-".contains(b);
    let is_name = |name: &[u8]| !name.is_empty() && name.iter().all(is_of_name);
    let has_user = |word: &[u8]| {
        let at = memchr::memchr(b'@', word);
        at.is_some_and(|at| is_name(&word[..at]) && is_name(&word[at + 1..]))
    };
    let word = until_blank(line);
    let rest = line[word.len()..].trim_ascii_start();
    let second = until_blank(rest);
    if let Some(name) = word
        .strip_prefix(b"(")
        .and_then(|word| word.strip_suffix(b")"))
    {
        return is_name(name)
            && (records::is_prompt(second) || second == b"$" || is_prompt_of_user(rest));
    }
    if let Some(user) = word.strip_prefix(b"[") {
        let close = memchr::memchr(b']', rest).and_then(|close| rest.get(close + 1));
        return has_user(user) && close.is_some_and(|b| b"$#%".contains(b));
    }
    let host = word.iter().position(|b| *b == b':');
    let is_of_macos = host.is_some_and(|at| is_name(&word[..at]) && at + 1 < word.len())
        && matches!(second.split_last(), Some((b'$' | b'#' | b'%', name)) if is_name(name));
    is_of_macos || has_user(word) && is_prompt_of_user(line)
}

/// A user, a folder and a mark, each a word: `ann@box ~/src %`.
fn is_prompt_of_user(line: &[u8]) -> bool {
    let mut words = line.split(|&b| b == b' ').filter(|word| !word.is_empty());
    let user = words.next().is_some_and(|word| word.contains(&b'@'));
    let folder = words.next();
    let mark = words.next();
    user && folder.is_some() && mark.is_some_and(|mark| matches!(mark, b"%" | b"$" | b"#" | b">"))
}

/// A word in brackets: the session of tmux (`[main]`), a question (`[y/N]`), the level of a log
/// (`[INFO]`), a job of a shell (`[1]+`).
fn is_tag(word: &[u8]) -> bool {
    let Some(inner) = word.strip_prefix(b"[") else {
        return false;
    };
    let end = memchr::memchr(b']', inner);
    end.is_some_and(|end| end > 0 && matches!(inner[end + 1..], [] | [b'+' | b'-']))
}

/// The keys of a program, at the foot of its screen: `F1Help  F2Setup`, `1Help   2Menu`.
fn is_row_of_keys(word: &[u8], rest: &[u8]) -> bool {
    let is_key = |word: &[u8], digit: u8| {
        let word = word.strip_prefix(b"F").unwrap_or(word);
        matches!(word, [b, name, ..] if *b == digit && name.is_ascii_uppercase())
    };
    let mut words = rest.split(|&b| b == b' ').filter(|word| !word.is_empty());
    is_key(word, b'1') && words.any(|word| is_key(word, b'2'))
}

/// The number and the name of a window, with its flag: `0:zsh*`, `1:logs-`.
fn is_window_of_tmux(word: &[u8], rest: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', word) else {
        return false;
    };
    let name = &word[colon + 1..];
    let has_flag = match name {
        [_, .., b'*'] => true,
        [_, .., b'-'] => !rest.is_empty(),
        _ => false,
    };
    is_number(&word[..colon]) && has_flag
}

/// `-- INSERT --`.
fn is_mode_of_vi(word: &[u8], rest: &[u8]) -> bool {
    let is_mode = |b: &u8| b.is_ascii_uppercase() || *b == b' ';
    let mode = rest.strip_suffix(b" --");
    word == b"--" && mode.is_some_and(|mode| !mode.is_empty() && mode.iter().all(is_mode))
}

/// True for a line that ends with the ruler of vim: `12,3          50%`, `1,1      All`.
fn has_ruler(line: &[u8]) -> bool {
    const PLACES: [&[u8]; 3] = [b"All", b"Top", b"Bot"];
    let Some(blank) = memchr::memrchr(b' ', line) else {
        return false;
    };
    let place = &line[blank + 1..];
    let is_place = PLACES.contains(&place) || place.strip_suffix(b"%").is_some_and(is_number);
    if !is_place {
        return false;
    }
    let before = line[..blank].trim_ascii_end();
    let cursor = &before[memchr::memrchr(b' ', before).map_or(0, |at| at + 1)..];
    let comma = memchr::memchr(b',', cursor);
    comma.is_some_and(|at| {
        is_number(&cursor[..at]) && cursor[at + 1..].first().is_some_and(u8::is_ascii_digit)
    })
}

#[cfg(test)]
mod tests {
    use super::is_state_line;

    #[test]
    fn lines_at_the_edge_of_the_screen() {
        for line in [
            ":",
            "(END)",
            "notes.txt (END)",
            "lines 1-3/3 (END)",
            "lines 12-34",
            "notes.txt lines 1-40/96 41%",
            "--More--(50%)",
            "Manual page ls(1) line 1 (press h for help or q to quit)",
            "[main] 0:zsh* 1:logs-",
            "[y/N]",
            "[INFO] done",
            "[1]+  Done",
            "0:zsh* 1:logs-  \"vm\" 18:22",
            "-- INSERT --",
            "-- VISUAL LINE --",
            "notes.txt [+]                 12,3          50%",
            "notes.txt                     1,1           All",
            "ann@box ~ %",
            "ann@box ~/src % ls",
            "[ann@box ~]$",
            "box:~ ann$",
            "box:src ann$ ls",
            "(base) ann@box:~$ ls",
            "(venv) $ ls",
            "F1Help  F2Setup F3SearchF4FilterF5Tree  F10Quit",
            "1Help   2Menu   3View   4Edit  10Quit",
        ] {
            assert!(is_state_line(line.as_bytes()), "{line}");
        }
        for line in [
            ":80/x",
            "(ENDS)",
            "x(END)",
            "lines of text",
            "[]=1&b=2",
            "[v0.15.2]: http://a.example",
            "[0]=4&b=2",
            "8:30*2",
            "12:x",
            "--long-name",
            "a,b 50%",
            "All",
            "page 1,000 of 50 %",
            "ann@a.example is there",
            "(see) the page",
            "a:b c",
            "x:80/y cost $",
        ] {
            assert!(!is_state_line(line.as_bytes()), "{line}");
        }
    }
}
