//! Beginnings of a line that show that it is a record of its own: a date, a time, a level, the
//! same word as the line above, a directive of a playlist, a prompt. No URL goes on with them.
//!
//! Chats and logs put a date before each message (`02/03/2020, 10:02 - Ida: ok`), and a date with
//! slashes looks like the rest of a path. In an export of WhatsApp of 36 URLs, 15 had the date of
//! the next message at their end.

use super::class::is_space;
use super::words::is_number;

/// The beginnings of the names of months in Danish, Dutch, English, French, German, Italian,
/// Norwegian, Portuguese, Spanish and Swedish.
const MONTHS: [&str; 40] = [
    "jan", "gen", "ene", "feb", "fev", "fév", "mar", "mär", "mrz", "mrt", "maa", "apr", "avr",
    "abr", "may", "mai", "maj", "mag", "mei", "jun", "jui", "giu", "jul", "lug", "aug", "aoû",
    "ago", "aou", "sep", "set", "oct", "okt", "ott", "out", "nov", "dec", "des", "dez", "dic",
    "déc",
];

/// The levels of logs.
const LEVELS: [&str; 18] = [
    "alert", "crit", "critical", "debug", "emerg", "err", "error", "fatal", "fine", "info",
    "notice", "severe", "trace", "verbose", "warn", "warning", "inf", "wrn",
];

/// The maximum length of a level with its marks.
const LEVEL_MAX: usize = 12;

/// The maximum length of a word that is read as a date or a time.
const DATE_MAX: usize = 48;

/// True for a word that reads as a date or a time: three numbers, or two and the name of a
/// month, with the same mark between them (`2024/01/02`, `31.07.2010`, `02/Jan/2024:15:04:06`),
/// eight digits and a time (`20200302/1001`), or hours and minutes (`15:04:06,123`). Punctuation
/// may follow it.
pub(crate) fn is_date_or_time(word: &[u8]) -> bool {
    // Nearly all words begin with a letter, and few of them with a month.
    let may_begin = match word {
        [b'0'..=b'9', ..] => true,
        [b'a'..=b'z' | b'A'..=b'Z', _, _, rest @ ..] => rest.iter().any(u8::is_ascii_digit),
        _ => false,
    };
    if word.len() > DATE_MAX || !may_begin {
        return false;
    }
    let is_mark = |b: &u8| b",:;.)]".contains(b);
    let marks = word.iter().rev().take_while(|b| is_mark(b)).count();
    let word = &word[..word.len() - marks];
    is_time(word) || is_compact(word) || date_len(word).is_some_and(|len| ends_date(&word[len..]))
}

/// True if `rest` may follow a date: nothing, or a time.
fn ends_date(rest: &[u8]) -> bool {
    match rest {
        [] => true,
        [
            b'T' | b't' | b':' | b'_' | b'-' | b',' | b';' | b'@',
            time @ ..,
        ] => is_time(time) || time.is_empty() || time.len() == 6 && is_number(time),
        _ => false,
    }
}

/// The length of the date at the beginning of `word`.
fn date_len(word: &[u8]) -> Option<usize> {
    let is_mark = |b: &u8| b"/-.".contains(b);
    let first = word.iter().position(is_mark)?;
    let mark = word[first];
    let second = first + 1 + word[first + 1..].iter().position(|&b| b == mark)?;
    let last = &word[second + 1..];
    let is_letter = |b: &u8| b.is_ascii_alphabetic() || !b.is_ascii();
    let digits = |part: &[u8]| part.iter().take_while(|b| b.is_ascii_digit()).count();
    let len = match digits(last) {
        0 => last.iter().take_while(|b| is_letter(b)).count(),
        len => len,
    };
    let parts = [&word[..first], &word[first + 1..second], &last[..len]];
    is_date(parts).then_some(second + 1 + len)
}

/// True if one of the parts is a year, one a month and one a day, the month between the others
/// or before the day.
fn is_date(parts: [&[u8]; 3]) -> bool {
    // Of two or four digits.
    let is_year = |part: &[u8]| match part.len() {
        2 => is_number(part),
        4 => is_number(part) && matches!(part, [b'1', b'9', ..] | [b'2', b'0' | b'1', ..]),
        _ => false,
    };
    let is_day = |part: &[u8]| is_number(part) && part.len() < 3 && (1..32).contains(&value(part));
    let is_month = |part: &[u8]| is_day(part) && value(part) < 13 || is_month_name(part);
    let [a, b, c] = parts;
    is_year(a) && is_month(b) && is_day(c)
        || is_day(a) && is_month(b) && is_year(c)
        || is_month(a) && is_day(b) && is_year(c)
}

fn is_month_name(part: &[u8]) -> bool {
    let lower = part.to_ascii_lowercase();
    let is_name = lower
        .iter()
        .all(|b| b.is_ascii_alphabetic() || !b.is_ascii());
    is_name
        && (3..=12).contains(&lower.len())
        && MONTHS
            .iter()
            .any(|month| lower.starts_with(month.as_bytes()))
}

/// True for eight digits of a date, and digits of a time: `20200302/1001`, `20200302T100102Z`.
fn is_compact(word: &[u8]) -> bool {
    let Some((date, [b'/' | b'T' | b'-' | b'_' | b':' | b'.', time @ ..])) =
        word.split_at_checked(8)
    else {
        return false;
    };
    let time = time.strip_suffix(b"Z").unwrap_or(time);
    is_date([&date[..4], &date[4..6], &date[6..]])
        && (matches!(time.len(), 4 | 6) && is_number(time) || is_time(time))
}

/// True for hours and minutes, with seconds, fractions and a zone or half of the day.
fn is_time(word: &[u8]) -> bool {
    let mut parts = word.splitn(3, |&b| b == b':');
    let (Some(hours), Some(minutes)) = (parts.next(), parts.next()) else {
        return false;
    };
    let is_hours = (1..3).contains(&hours.len()) && is_number(hours) && value(hours) < 25;
    let is_sixty = |part: &[u8]| part.len() == 2 && is_number(part) && value(part) < 61;
    let Some((minutes, zone)) = minutes.split_at_checked(2) else {
        return false;
    };
    let Some(seconds) = parts.next() else {
        return is_hours && is_sixty(minutes) && is_zone(zone);
    };
    let Some((seconds, rest)) = seconds.split_at_checked(2) else {
        return false;
    };
    let fraction = match rest {
        [b'.' | b',' | b':', digits @ ..] => {
            1 + digits.iter().take_while(|b| b.is_ascii_digit()).count()
        }
        _ => 0,
    };
    is_hours
        && is_sixty(minutes)
        && zone.is_empty()
        && is_sixty(seconds)
        && is_zone(&rest[fraction..])
}

/// True for nothing, a zone (`Z`, `+0100`) or a half of the day.
fn is_zone(rest: &[u8]) -> bool {
    match rest {
        [] | [b'Z' | b'z'] => true,
        [b'+' | b'-', zone @ ..] => zone.iter().all(|b| b.is_ascii_digit() || *b == b':'),
        [b'a' | b'A' | b'p' | b'P', b'm' | b'M'] => true,
        _ => false,
    }
}

/// True for the level of a line of a log, perhaps with brackets or a colon.
pub(crate) fn is_level(word: &[u8]) -> bool {
    // Nearly all words are longer or shorter than a level with its marks.
    if !(3..=LEVEL_MAX).contains(&word.len()) {
        return false;
    }
    let is_mark = |b: &u8| b"[]<>():|,".contains(b);
    let start = word.iter().take_while(|b| is_mark(b)).count();
    let end = word.len() - word.iter().rev().take_while(|b| is_mark(b)).count();
    let name = word.get(start..end).unwrap_or_default();
    LEVELS
        .iter()
        .any(|level| name.eq_ignore_ascii_case(level.as_bytes()))
}

/// True for a level and the name of what has written the line, as Python's logs have them:
/// `INFO:root:started`.
fn begins_with_level(word: &[u8]) -> bool {
    memchr::memchr(b':', word).is_some_and(|at| is_level(&word[..at]))
}

/// True if a line that begins with `word` is a record like the line above, which begins with
/// `above`: both have a date, or a level, or the same word or tag.
pub(crate) fn begin_alike(above: &[u8], word: &[u8]) -> bool {
    !word.is_empty()
        && (above == word && word.iter().any(u8::is_ascii_alphanumeric)
            || is_level(above) && is_level(word)
            || begins_with_level(above) && begins_with_level(word)
            || is_date_or_time(above) && is_date_or_time(word))
}

/// True for a word that is a value of its own and stands below URLs in lists: an address of IPv4, perhaps
/// with a port, a price, a version (`v1.2.3`, `flake8==5.0.4`) or a hash with its name
/// (`sha256:3ccf11cd`).
pub(crate) fn is_value(word: &[u8]) -> bool {
    let is_of_number = |b: &u8| b.is_ascii_digit() || *b == b'.';
    let is_numbers =
        |text: &[u8]| text.iter().all(is_of_number) && text.split(|&b| b == b'.').all(is_number);
    match word {
        [b'$', price @ ..] => is_numbers(price),
        [b'v', version @ ..] => version.contains(&b'.') && is_numbers(version),
        [b'0'..=b'9', ..] => {
            let end = memchr::memchr2(b':', b'/', word).unwrap_or(word.len());
            let port = &word[word.len().min(end + 1)..];
            let is_address = memchr::memchr_iter(b'.', &word[..end]).count() == 3;
            is_address && is_numbers(&word[..end]) && port.iter().all(u8::is_ascii_digit)
        }
        _ => {
            let pin = memchr::memmem::find(word, b"==").map(|at| &word[at + 2..]);
            let is_pin = pin.is_some_and(|pin| pin.first().is_some_and(u8::is_ascii_digit));
            let names = [&b"sha256:"[..], b"sha1:", b"sha512:", b"md5:"];
            let hash = names.iter().find_map(|name| word.strip_prefix(*name));
            is_pin
                || hash
                    .is_some_and(|hash| !hash.is_empty() && hash.iter().all(u8::is_ascii_hexdigit))
        }
    }
}

/// True for two paths whose first folder is the same, as in a list of changes: `tools/a.tcl:` and
/// `tools/b`.
pub(crate) fn is_in_same_folder(above: &[u8], word: &[u8]) -> bool {
    let slash = memchr::memchr(b'/', above);
    slash.is_some_and(|at| {
        let folder = &above[..=at];
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"._-".contains(b);
        at > 1 && above[..at].iter().all(is_name) && word.starts_with(folder)
    })
}

/// True for a measure of progress (`4/8K`, `45%`).
pub(crate) fn is_progress(word: &[u8]) -> bool {
    let is_size = |part: &[u8]| {
        let digits = part
            .iter()
            .take_while(|b| b.is_ascii_digit() || **b == b'.')
            .count();
        let unit = &part[digits..];
        digits > 0 && unit.len() < 4 && unit.iter().all(|b| b"kKmMgGtTiIbB".contains(b))
    };
    if let Some(number) = word.strip_suffix(b"%") {
        return is_size(number);
    }
    let slash = memchr::memchr(b'/', word);
    slash.is_some_and(|at| {
        let (done, all) = (&word[..at], &word[at + 1..]);
        let has_unit = word.iter().any(|b| b"kKmMgGtT".contains(b));
        is_size(done) && is_size(all) && has_unit
    })
}

/// True for two short numbers with a slash between them, which stand alone on a line as the number of a
/// page, a date or a measure of progress: `2/14`, `01/2024`. A path of dates begins with a year.
pub(crate) fn is_fraction(word: &[u8]) -> bool {
    const DIGITS_MAX: usize = 4;
    if matches!(word, [b'1', b'9', ..] | [b'2', b'0', _, _, ..]) {
        return false;
    }
    let mut parts = word.split(|&b| b == b'/');
    let mut is_part = || {
        let part = parts.next();
        part.is_some_and(|part| part.len() <= DIGITS_MAX && is_number(part))
    };
    is_part() && is_part() && parts.next().is_none()
}

/// True if no URL ends as `url` does, so nearly any word may be its rest.
pub(crate) fn is_open(url: &[u8]) -> bool {
    url.last().is_some_and(|b| b"-_=&?%+".contains(b))
}

/// True for a path from the folder of the reader: `./a`, `../a`, `~/a`. Few lines break a URL before these
/// marks.
pub(crate) fn is_own_path(word: &[u8]) -> bool {
    [&b"./"[..], b"../", b"~/"]
        .iter()
        .any(|mark| word.starts_with(mark))
}

/// True if two lines of one word each are the names of a list, below a URL whose line has `width` bytes:
/// two files of one kind or with one beginning, or paths of one folder. A line that the width broke had room for the second
/// name after the first.
pub(crate) fn are_names(first: &[u8], second: &[u8], width: usize) -> bool {
    const SAME: usize = 4;
    let is_name = |word: &[u8]| {
        let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"._-+/".contains(b);
        word.first().is_some_and(u8::is_ascii_alphanumeric) && word.iter().all(is_of_name)
    };
    let extension = |word: &'_ [u8]| {
        let dot = memchr::memrchr2(b'.', b'/', word)?;
        (word[dot] == b'.' && dot + 1 < word.len()).then_some(dot + 1)
    };
    let is_of_kind = || match (extension(first), extension(second)) {
        (Some(one), Some(other)) => {
            let same = first.iter().zip(second).take_while(|(a, b)| a == b);
            first[one..] == second[other..] || same.count() >= SAME
        }
        _ => false,
    };
    let is_of_folder = || {
        let slash = memchr::memchr(b'/', first);
        slash.is_some_and(|at| second.starts_with(&first[..=at]))
    };
    is_name(first)
        && is_name(second)
        && first.len() + second.len() <= width
        && (is_of_kind() || is_of_folder())
}

/// Requests of roff with which lines of manuals begin (groff(7)).
const REQUESTS: [&[u8]; 26] = [
    b"B", b"BI", b"BR", b"EE", b"EX", b"I", b"IP", b"IR", b"LP", b"PD", b"PP", b"RB", b"RE", b"RS",
    b"SH", b"SM", b"SS", b"TH", b"TP", b"UE", b"UR", b"br", b"fi", b"ie", b"nf", b"sp",
];

/// True if a line that begins with `token`, and goes on with `rest`, is one of a manual or of a
/// program: a request of roff (`.RE`), an attribute of AsciiDoc or a field of reStructuredText
/// (`:stem:`), a comment (`.. x`, `// x`) or an assignment (`index = [0]`). URLs stand above such
/// lines.
pub(crate) fn is_of_program(token: &[u8], rest: &[u8]) -> bool {
    let is_apart = rest.first().is_none_or(|b| b.is_ascii_whitespace());
    match token {
        b".." | b"//" => return is_apart,
        [b'.', name @ ..] => return REQUESTS.contains(&name),
        [b':', name @ .., b':'] if is_apart => {
            let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"_-!".contains(b);
            return !name.is_empty() && name.iter().all(is_name);
        }
        _ => {}
    }
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"_.".contains(b);
    let value = rest.trim_ascii_start();
    let marks = [&b"= "[..], b":= ", b"+= "];
    token.iter().all(is_name)
        && rest.len() > value.len()
        && marks.iter().any(|mark| value.starts_with(mark))
}

/// True for a name and its value, which an equals sign divides: `timeout=30`, `flake8==5.0.4`.
pub(crate) fn names_value(token: &[u8]) -> bool {
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let len = token.iter().take_while(is_name).count();
    let is_mark = token.get(len) == Some(&b'=');
    let begins = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    is_mark && len > 1 && begins(token[0]) && token.len() > len + 1
}

/// True for a [name and its value](names_value) in a file of settings, and no part of a path: the name
/// has dots, as that of a property (`logging.file=a/b.log`), or the value is a path from the root
/// (`LOG=/var/log/a`).
pub(crate) fn names_setting(token: &[u8]) -> bool {
    let Some(at) = memchr::memchr(b'=', token).filter(|_| names_value(token)) else {
        return false;
    };
    token[..at].contains(&b'.') || token[at + 1..].starts_with(b"/")
}

/// True if the line of a URL and the next one are properties of a calendar or a vCard. A property
/// begins with its name, and a line that goes on with one begins with a blank (RFC 5545 3.1, RFC 6350
/// 3.2). `before` is what stands before the URL in its line, `indent` what stands before `token` in
/// the next.
pub(crate) fn are_properties(before: &[u8], indent: &[u8], token: &[u8]) -> bool {
    let is_property = |line: &[u8]| {
        let is_of_name = |b: &&u8| b.is_ascii_alphanumeric() || b"-.".contains(b);
        let len = line.iter().take_while(is_of_name).count();
        let (group, rest) = line.split_at(len);
        let name = &group[memchr::memrchr(b'.', group).map_or(0, |at| at + 1)..];
        let is_name = name.starts_with(b"X-")
            || name.len() > 1
                && name[0].is_ascii_uppercase()
                && !name.iter().any(u8::is_ascii_lowercase);
        is_name && matches!(rest.first(), Some(b':' | b';'))
    };
    indent.is_empty() && is_property(token) && is_property(before)
}

/// True if `first` and `next`, the first words of two lines, are the numbers of these lines.
pub(crate) fn is_next_number(first: &[u8], next: &[u8]) -> bool {
    const DIGITS_MAX: usize = 7;
    let number = |word: &[u8]| {
        let is_number = word.len() <= DIGITS_MAX && word.iter().all(u8::is_ascii_digit);
        let digits = std::str::from_utf8(word).ok().filter(|_| is_number)?;
        digits.parse::<u32>().ok()
    };
    number(first).is_some_and(|number_of_line| number(next) == Some(number_of_line + 1))
}

/// True if the line of a URL and the next one, which begins with `token`, are settings of a program,
/// as `env` prints them: `CALLBACK_URL=https://a.example/?b=1` and `RETRY_COUNT=12`. `before` is
/// what stands before the URL in its line. A URL that its line broke may go on with `c=2&d=3`, and
/// with the rest of a name.
pub(crate) fn are_settings(before: &[u8], url: &[u8], token: &[u8]) -> bool {
    let is_name = |name: &[u8]| {
        let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"_.-".contains(b);
        name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(is_of_name)
    };
    let own = before.trim_ascii();
    let own = own
        .strip_suffix(b"\"")
        .or(own.strip_suffix(b"'"))
        .unwrap_or(own);
    // The URL of a driver of Java has another scheme before its own.
    let own = own.strip_suffix(b"jdbc:").unwrap_or(own);
    let Some(own) = own.trim_ascii_end().strip_suffix(b"=") else {
        return false;
    };
    let own = own.trim_ascii_end();
    let (before_name, own) = own.split_at(memchr::memrchr(b' ', own).map_or(0, |at| at + 1));
    let Some(len) = memchr::memchr(b'=', token) else {
        return false;
    };
    // The line has the name and nothing before it, so a name of any kind begins the next one.
    let is_line = matches!(
        before_name.trim_ascii(),
        [] | b"export" | b"set" | b"setenv"
    );
    let is_capital = |name: &[u8]| !name.iter().any(u8::is_ascii_lowercase);
    // A query that is open at the end of its line may go on, but its parameters rarely begin with a
    // capital as the name before it does.
    let begins = |name: &[u8]| name.first().is_some_and(u8::is_ascii_uppercase);
    let may_be_value = url.last() == Some(&b'-') || !is_open(url);
    let is_setting = is_line && !url.contains(&b'?') && may_be_value;
    let may_end = match url.last() {
        Some(b'?' | b'&') => begins(own) && begins(token),
        _ if is_setting => true,
        // Its last parameter is empty, because no value has another equals sign in it. Names of one
        // letter are rather those of parameters.
        Some(b'=') => len > 1 && token.len() > len + 1 && token[len + 1] != b'=',
        last => last.is_some_and(u8::is_ascii_alphanumeric),
    };
    // A setting may have a path in its name.
    let parts = |name: &'_ [u8]| name.split(|&b| b == b'/' && is_setting).all(is_name);
    is_name(own)
        && parts(&token[..len])
        && (is_line || is_capital(own) == is_capital(&token[..len]))
        && may_end
        && !token.contains(&b'&')
}

/// True if two lines are of the two sides of a difference between files, which `diff -u` marks with
/// `+` and `-` directly before the text, or if the first is a line of both, after a blank.
pub(crate) fn are_sides(line: &[u8], next: &[u8]) -> bool {
    let side = |line: &[u8]| match *line {
        [mark @ (b'+' | b'-'), text, ..] if !is_space(text) => Some(mark),
        [b' ', _, ..] => Some(b' '),
        _ => None,
    };
    let below = side(next).filter(|mark| *mark != b' ');
    below.is_some() && side(line).is_some_and(|mark| Some(mark) != below)
}

/// The folders of Unix below its root.
const ROOT: [&[u8]; 17] = [
    b"bin", b"boot", b"dev", b"etc", b"home", b"lib", b"mnt", b"opt", b"proc", b"root", b"run",
    b"sbin", b"srv", b"sys", b"tmp", b"usr", b"var",
];

/// True for a path of a computer, with or without its first slash: `var/tmp/old`.
pub(crate) fn begins_in_root(word: &[u8]) -> bool {
    let path = word.strip_prefix(b"/").unwrap_or(word);
    let slash = memchr::memchr(b'/', path);
    slash.is_some_and(|at| ROOT.contains(&&path[..at]))
}

/// True for a full line of uuencoded text: `M` and 60 characters from the blank to the grave
/// accent.
pub(crate) fn is_uuencoded(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    matches!(line, [b'M', text @ ..] if text.len() == 60)
        && line.iter().all(|b| matches!(b, b' '..=b'`'))
}

/// True for the number of a mail at a server of Google, which follows a link in its reports:
/// `41si5422799iwn.27`.
pub(crate) fn is_number_of_mail(word: &[u8]) -> bool {
    let part = |from: usize, is: fn(&u8) -> bool| {
        let len = word[from..].iter().take_while(|b| is(b)).count();
        (len > 0).then_some(from + len)
    };
    let end = part(0, u8::is_ascii_digit)
        .and_then(|at| part(at, u8::is_ascii_lowercase))
        .and_then(|at| part(at, u8::is_ascii_digit))
        .and_then(|at| part(at, u8::is_ascii_lowercase));
    end.is_some_and(|at| word[at..].strip_prefix(b".").is_some_and(is_number))
}

/// True for the prompt of a shell: `ann@host:~/src$`, `root@host:/#`, `bash-5.2$`. In a screen that is
/// copied it follows what a program has printed last, which is often a link: `git push` prints one.
pub(crate) fn is_prompt(word: &[u8]) -> bool {
    const SHELLS: [&[u8]; 6] = [b"ash-", b"bash-", b"fish-", b"ksh-", b"sh-", b"zsh-"];
    let Some((mark, start)) = word.split_last() else {
        return false;
    };
    let is_version = |b: &u8| b.is_ascii_digit() || *b == b'.';
    if b"$#%".contains(mark)
        && SHELLS.iter().any(|name| {
            start
                .strip_prefix(*name)
                .is_some_and(|rest| !rest.is_empty() && rest.iter().all(is_version))
        })
    {
        return true;
    }
    // The folder may have blanks, so the mark need not end the word.
    let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"_.-".contains(b);
    let name = word.iter().take_while(|b| is_of_name(b)).count();
    let Some(rest) = word[name..].strip_prefix(b"@") else {
        return false;
    };
    let host = rest.iter().take_while(|b| is_of_name(b)).count();
    name > 0 && host > 0 && matches!(rest[host..], [b':', b'~' | b'/', ..])
}

fn value(part: &[u8]) -> u32 {
    part.iter()
        .take(4)
        .fold(0, |sum, b| 10 * sum + u32::from(b - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts() {
        for word in [
            "root@box:/src#",
            "ann@build-2.example:~/src$",
            "ann@box:~$",
            "ann@box:~/My",
            "bash-5.2$",
            "sh-5.1#",
            "zsh-5.9%",
        ] {
            assert!(is_prompt(word.as_bytes()), "{word}");
        }
        for word in [
            "",
            "$",
            "bash-5.2",
            "bash-manual$",
            "bash-$",
            "ann@a.example",
            "ann:secret@a.example:8080/b",
            "git@a.example:b/c.git",
            "@scope/package:~1",
            "x/ann@box:/b",
        ] {
            assert!(!is_prompt(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn dates_and_times() {
        for word in [
            "02/03/2020,",
            "3/2/20,",
            "2024/01/02",
            "17/06/09",
            "02/Jan/2024:15:04:06",
            "31.07.2010",
            "2020/03/02,",
            "20200302/1001",
            "15:04:06,123",
            "15:04:06.123456:",
            "2024-01-02T15:04:05Z",
            "2024-01-02T15:04:05+01:00",
            "2-Mar-2020;",
            "02-März-2020",
            "Mar/02/2020",
            "10:02",
            "10:02AM",
            "2024-01-02_15:04",
            "20200302T100102Z",
            "12.31.99)",
            "9:05:00",
            "2024-01-02-150405",
        ] {
            assert!(is_date_or_time(word.as_bytes()), "{word}");
        }
        for word in [
            "2020/03/02/index.html",
            "2020/03",
            "1.2.3",
            "10.0.0.1",
            "3.11.4",
            "20200302",
            "a/b/c",
            "99/99/99",
            "12/34/5678",
            "2014.01.002",
            "02/03/",
            "1234567/89",
            "10:2",
            "99:99:99",
            "2020-03-02-title",
            "2020/03/02.html",
            "12/abc/2020",
            "",
            "/02/03/2020",
            "2020//03",
            "28-30-31",
            "10:02x",
        ] {
            assert!(!is_date_or_time(word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn lines_of_programs() {
        let is = |token: &str, rest: &str| is_of_program(token.as_bytes(), rest.as_bytes());
        assert!(is(".RE", "") && is(".IP", " 3") && is("a_b", " = [0]") && is("n", " := 1"));
        assert!(is("..", " note:: x") && is("//", "") && is(":stem:", "") && is(":a-b:", " c"));
        assert!(!is("..", "/x") && !is("//", "x") && !is("::", "") && !is(":a/b:", ""));
        assert!(!is(".zip", "") && !is("page", " == x") && !is("a", "=b") && !is("a", " =b"));
        let line = b"M0V]N9W)E<W,@<VAA;&P@;6%K92!N;R!L87<@+BXN(&%B<FED9VEN9R!T:&4@";
        assert!(is_uuencoded(line) && !is_uuencoded(&line[..40]));
        assert!(is_number_of_mail(b"41si5422799iwn.27"));
        assert!(!is_number_of_mail(b"41si5422799iwn") && !is_number_of_mail(b"index.27"));
    }

    #[test]
    fn records() {
        let alike = |a: &str, b: &str| begin_alike(a.as_bytes(), b.as_bytes());
        assert!(alike("[INFO]", "WARN:") && alike("GET", "GET") && alike("10:01", "10:02:03"));
        assert!(!alike("the", "page") && !alike("--", "--") && !alike("INFO", "index.html"));
        for word in ["4/8K", "1.5M/20M", "45%", "100%"] {
            assert!(is_progress(word.as_bytes()), "{word}");
        }
        for word in ["4/8", "a/8K", "4K", "4/8Kx", "%20", "v1/8M/x", ""] {
            assert!(!is_progress(word.as_bytes()), "{word}");
        }
    }
}
