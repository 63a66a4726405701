//! The date at the end of a `From ` line.
//!
//! There is no standard for this date. RFC 4155 (Appendix A) asks for the
//! format of ctime(3) in UTC, `Thu Jan  1 00:00:00 1970`. Archives have other
//! forms. There may be a zone before or after the year, no seconds, a year of
//! two digits, or the order of RFC 822. UUCP appends ` remote from HOST`. Every
//! form has a time of day, and a weekday or a zone. These distinguish a
//! separator from prose.

/// True if the line (without its line end) ends with a date. A date is a
/// weekday, then `month day time [zone] year [zone]` in the order of asctime,
/// or `day month year time [zone]` in the order of RFC 822. `remote from HOST`
/// may follow. In the order of RFC 822 a zone can replace the weekday:
/// `3 Mar 98 23:08:33 +0500`. Nothing but words in parentheses may follow that
/// zone. Elsewhere a zone is one or two words: `EST`, `MET DST`, `-0800 (PST)`.
///
/// The text before the date does not matter.
///
/// # Complexity
///
/// Linear in the line. At most a few words are read after each weekday and each
/// number, and the words in parentheses after a zone.
#[must_use]
pub fn ends_with_date(line: &[u8]) -> bool {
    if ends_with_asctime(line) {
        return true;
    }
    let mut words = Words { rest: line };
    while let Some(word) = words.next() {
        if is_weekday(word) && is_date(words.clone()) || is_day(word) && is_zoned(words.clone()) {
            return true;
        }
    }
    false
}

/// Fast path: true if the line ends with `Www Mmm dd hh:mm:ss yyyy`. Nearly all
/// separators do.
fn ends_with_asctime(line: &[u8]) -> bool {
    let Some((before, date)) = line.split_last_chunk::<24>() else {
        return false;
    };
    let digits = |at: usize| date[at..at + 2].iter().all(u8::is_ascii_digit);
    before.last().is_none_or(|&b| b == b' ')
        && [3, 7, 10, 19].iter().all(|&at| date[at] == b' ')
        && is_weekday(&date[..3])
        && is_month(&date[4..7])
        && is_day(date[8..10].strip_prefix(b" ").unwrap_or(&date[8..10]))
        && is_time(&date[11..19])
        && digits(20)
        && digits(22)
}

/// True if the line is only a date that begins with a weekday (see
/// [`ends_with_date`]).
#[must_use]
pub fn is_date_line(line: &[u8]) -> bool {
    let mut words = Words { rest: line };
    words.next().is_some_and(is_weekday) && is_date(words)
}

/// The words of a line. A word is a run of bytes other than space and tab.
#[derive(Clone)]
struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let blank = |b: &u8| *b == b' ' || *b == b'\t';
        let start = self.rest.iter().position(|b| !blank(b))?;
        let rest = &self.rest[start..];
        let end = rest.iter().position(blank).unwrap_or(rest.len());
        self.rest = &rest[end..];
        Some(&rest[..end])
    }
}

/// True if the words after a weekday, up to the end of the line, complete a
/// date.
fn is_date(mut words: Words<'_>) -> bool {
    let Some(first) = words.next() else {
        return false;
    };
    let known = if is_month(first) {
        asctime(&mut words)
    } else {
        is_day(first) && words.next().is_some_and(is_month) && rfc822(&mut words)
    };
    known && is_end(words)
}

/// Reads `month year time zone`, which follow the day, and any number of words
/// in parentheses, up to the end of the line.
fn is_zoned(mut words: Words<'_>) -> bool {
    words.next().is_some_and(is_month)
        && rfc822(&mut words)
        && words.next().is_some_and(is_zone)
        && words.all(|word| word.starts_with(b"(") && is_zone(word))
}

/// Reads `day time [zone [zone]] year`, which follow the month.
fn asctime(words: &mut Words<'_>) -> bool {
    if !(words.next().is_some_and(is_day) && words.next().is_some_and(is_time)) {
        return false;
    }
    // A zone may be `EST`, `+0000`, or the two words `MET DST`.
    for _ in 0..3 {
        match words.next() {
            Some(word) if is_year(word) => return true,
            Some(word) if is_zone(word) => {}
            _ => return false,
        }
    }
    false
}

/// Reads `year time`, which follow the day and the month.
fn rfc822(words: &mut Words<'_>) -> bool {
    words.next().is_some_and(is_year) && words.next().is_some_and(is_time)
}

/// Reads `[zone [zone]] [remote from HOST]`, up to the end of the line. A zone
/// may be in parentheses.
fn is_end(mut words: Words<'_>) -> bool {
    let mut word = words.next();
    for _ in 0..2 {
        word = match word {
            Some(w) if w != b"remote" && is_zone(w) => words.next(),
            other => other,
        };
    }
    match word {
        None => true,
        Some(w) => {
            w == b"remote"
                && words.next() == Some(b"from")
                && words.next().is_some()
                && words.next().is_none()
        }
    }
}

fn is_weekday(word: &[u8]) -> bool {
    let word = word.strip_suffix(b",").unwrap_or(word);
    lower(word).is_some_and(|word| {
        matches!(
            &word,
            b"sun" | b"mon" | b"tue" | b"wed" | b"thu" | b"fri" | b"sat"
        )
    })
}

#[rustfmt::skip]
fn is_month(word: &[u8]) -> bool {
    lower(word).is_some_and(|word| {
        matches!(
            &word,
            b"jan" | b"feb" | b"mar" | b"apr" | b"may" | b"jun"
                | b"jul" | b"aug" | b"sep" | b"oct" | b"nov" | b"dec"
        )
    })
}

/// A word of three letters in lower case. Setting bit 0x20 turns no other byte
/// into a letter.
fn lower(word: &[u8]) -> Option<[u8; 3]> {
    let &[a, b, c] = word else { return None };
    Some([a | 0x20, b | 0x20, c | 0x20])
}

/// A number of one or two digits in `low..=high`.
fn is_number(word: &[u8], low: u8, high: u8) -> bool {
    let digit = |b: u8| b.is_ascii_digit().then(|| b - b'0');
    let value = match *word {
        [a] => digit(a),
        [a, b] => digit(a).zip(digit(b)).map(|(a, b)| 10 * a + b),
        _ => None,
    };
    value.is_some_and(|n| (low..=high).contains(&n))
}

fn is_day(word: &[u8]) -> bool {
    is_number(word, 1, 31)
}

/// True for `hour:minute` or `hour:minute:second`. A leap second is allowed.
fn is_time(word: &[u8]) -> bool {
    let (hour, rest) = match word {
        [_, b':', rest @ ..] => (&word[..1], rest),
        [_, _, b':', rest @ ..] => (&word[..2], rest),
        _ => return false,
    };
    let (minute, second) = match rest {
        [_, _] => (rest, None),
        [_, _, b':', second @ ..] => (&rest[..2], Some(second)),
        _ => return false,
    };
    is_number(hour, 0, 23)
        && is_number(minute, 0, 59)
        && second.is_none_or(|second| second.len() == 2 && is_number(second, 0, 60))
}

/// True for two or four digits.
fn is_year(word: &[u8]) -> bool {
    matches!(word.len(), 2 | 4) && word.iter().all(u8::is_ascii_digit)
}

/// True for `+0000`, `-07:00`, a name such as `PST` or `MET`, one of these in
/// parentheses, or a POSIX rule (section 8.3, `TZ`) such as `EST5EDT4,M4.1.0`.
fn is_zone(word: &[u8]) -> bool {
    let ([b'(', word @ .., b')'] | word) = word;
    if let [b'+' | b'-', digits @ ..] = word {
        return (2..=5).contains(&digits.len())
            && digits.iter().all(|b| b.is_ascii_digit() || *b == b':');
    }
    let name = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let rule = &word[name..];
    match rule {
        [] => (1..=5).contains(&name),
        [b'0'..=b'9' | b'+' | b'-', ..] => {
            (3..=5).contains(&name)
                && rule.len() <= 32
                && rule
                    .iter()
                    .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"+-,./:".contains(b))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_from_lines() {
        for line in [
            "From mboxrd@z Thu Jan  1 00:00:00 1970",
            "From list Thu Dec 21 07:24:52 1995",
            "From user at host.example  Sat May  6 03:13:11 2000",
            "From x@y Sat Jan 19 15:26:33 EST 2002",
            "From 1844347792267117879@xxx Fri Sep 26 17:19:42 +0000 2025",
            "From x@y Fri Sep 26 17:19:42 2025 +0000",
            "From x@y Fri Sep 26 17:19:42 2025 -07:00 (PDT)",
            "From x Mon Jun 3 12:50 1996",
            "From x Mon Jun 03 9:50:27 MET DST 96",
            "From x!y Mon Jun  3 12:50:27 1996 remote from uupsi7",
            "From x!y Mon Jun  3 12:50:27 PDT 1996 remote from uupsi7",
            "From x Thu, 1 Jan 1970 00:00:00 +0000",
            "From x Thu, 1 Jan 70 00:00:00 GMT",
            "From  Mon Jun  3 12:50:27 1996",
            "From \"Jim Sun\" Mon Jun  3 12:50:27 1996   ",
            "From - mon jun  3 23:59:60 1996",
            "From x@y 3 Mar 98 23:08:33 +0500",
            "From x@y  01 Feb 98 11:30:22 +0100 (MET)",
            "From x@y Fri, 13 Mar 98 10:00:00 EST5EDT4,M4.1.0",
            "From x@y Wed, 4 Mar 1998 10:00:00 (+0100)",
            "From x@y Wed, 4 Mar 1998 10:00:00 -0800 (PST)",
        ] {
            assert!(ends_with_date(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn prose_is_no_date() {
        for line in [
            "From ",
            "From the performance point of view if speed is all you want",
            "From Russia with love",
            "From Mon Jan 1 10:00:00 1990 to Fri Jan 5 10:00:00 1990.",
            "From Monday Jan 1 10:00:00 1990",
            "From x Mon Jan 1990",
            "From x Mon Jan 32 10:00:00 1990",
            "From x Mon Jan 0 10:00:00 1990",
            "From x Mon Jan 3 24:00:00 1990",
            "From x Mon Jan 3 10:0:00 1990",
            "From x Mon Jan 3 10:00:00:00 1990",
            "From x Mon Jan 3 10:00:00 199",
            "From x Mon Jan 3 10:00:00 1990,",
            "From x Jan 3 10:00:00 1990",
            "From x Mon Jan 3 10:00:00 1990 remote from",
            "From x Mon Jan 3 10:00:00 1990 remote from a b",
            "From x Mon Jan 3 10:00:00 A B C 1990",
            "From x Thu, 1 Jan 1970",
            "From x@y 3 Mar 98 23:08:33",
            "From x@y 3 Mar 98 +0500",
            "From x@y 3 Mar 98 23:08:33 +0500 on",
            "From x@y Wed, 4 Mar 1998 10:00:00 EST5http://",
        ] {
            assert!(!ends_with_date(line.as_bytes()), "{line}");
        }
        assert!(is_date_line(b"Fri Nov 19 16:14:55 1982"));
        assert!(!is_date_line(b"x Fri Nov 19 16:14:55 1982"));
    }

    /// The fast path accepts only lines that the slow path accepts.
    #[test]
    fn asctime_is_one_of_the_dates() {
        let line = b"From a Thu Jan  1 00:00:00 1970";
        assert!(ends_with_asctime(line) && ends_with_asctime(&line[7..]));
        let mut others = 0;
        for at in 0..line.len() {
            for byte in 0..=255 {
                let mut line = *line;
                line[at] = byte;
                if ends_with_asctime(&line) {
                    others += 1;
                    assert_eq!(line[6], b' ');
                    assert!(is_date_line(&line[7..]), "{}", line.escape_ascii());
                }
            }
        }
        assert!(others > 1000);
    }

    #[test]
    fn weekdays_only() {
        let line = "Mon ".repeat(100_000);
        assert!(!ends_with_date(line.as_bytes()));
    }
}
