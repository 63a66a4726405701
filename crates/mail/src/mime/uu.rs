//! uuencoded and yEnc files inside text. They are recognised, so that their
//! bytes are not searched as text.

/// The relation of a line to the file that is being skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The line is part of the file.
    Data,
    /// The line is the last line of the file.
    End,
    /// The line is not part of the file. There was no file, or it was cut.
    Text,
}

/// The file that is being skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoded {
    #[default]
    None,
    Uu,
    /// The number of encoded bytes that may still come.
    YEnc(u64),
}

/// The line starts that [`begins`] examines.
pub(super) const MARKS: [&[u8]; 2] = [b"begin ", b"=ybegin "];

/// The file that starts after `line`. `line` has no line break.
///
/// > `begin <mode> <file>`  (POSIX, uuencode; the mode is three octal digits)
/// >
/// > `=ybegin line=128 size=19338 name=joystick.jpg`  (yEnc 1.3)
pub(super) fn begins(line: &[u8]) -> Encoded {
    if let Some(rest) = line.strip_prefix(MARKS[0]) {
        let digits = rest.iter().take_while(|b| matches!(b, b'0'..=b'7')).count();
        let named = rest.get(digits) == Some(&b' ') && rest.len() > digits + 1;
        if (3..=4).contains(&digits) && named {
            return Encoded::Uu;
        }
    } else if let Some(rest) = line.strip_prefix(MARKS[1]) {
        let value = |key: &[u8]| {
            let word = rest
                .split(|&b| b == b' ')
                .find_map(|w| w.strip_prefix(key))?;
            std::str::from_utf8(word).ok()?.parse::<u64>().ok()
        };
        if let (Some(line), Some(size)) = (value(b"line="), value(b"size="))
            && line > 0
        {
            // Each byte may be escaped, and each line has a line end.
            let most = size.saturating_mul(2);
            let breaks = (most / line).saturating_mul(2);
            return Encoded::YEnc(most.saturating_add(breaks).saturating_add(4096));
        }
    }
    Encoded::None
}

impl Encoded {
    /// The relation of `line` to the file. The line break may be missing.
    pub(super) fn line(&mut self, line: &[u8]) -> Verdict {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        match self {
            Encoded::None => Verdict::Text,
            Encoded::Uu if body == b"end" => Verdict::End,
            Encoded::Uu if is_uu(body) => Verdict::Data,
            Encoded::Uu => Verdict::Text,
            Encoded::YEnc(_) if body.starts_with(b"=yend ") => Verdict::End,
            Encoded::YEnc(left) => match left.checked_sub(line.len() as u64) {
                Some(n) => {
                    *left = n;
                    Verdict::Data
                }
                // The file is longer than its stated size.
                None => Verdict::Text,
            },
        }
    }
}

/// > … a length … followed by encoded characters … in the range 32 to 96 …
/// > groups of 4 characters for 3 bytes (POSIX, uuencode)
///
/// Spaces at the end of a line may have been lost. Some encoders add a check
/// character.
fn is_uu(body: &[u8]) -> bool {
    let Some((&first, data)) = body.split_first() else {
        return false;
    };
    if !body.iter().all(|b| (32..=96).contains(b)) {
        return false;
    }
    let length = usize::from((first - 32) & 63);
    let coded = length.div_ceil(3) * 4;
    if length == 0 {
        return data.trim_ascii().is_empty();
    }
    data.len() <= coded + 2 && data.len() + 4 > coded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_first_lines() {
        assert_eq!(begins(b"begin 644 a.gif"), Encoded::Uu);
        assert_eq!(begins(b"begin 0755 a b"), Encoded::Uu);
        assert_eq!(begins(b"begin 644 "), Encoded::None);
        assert_eq!(begins(b"begin 689 a.gif"), Encoded::None);
        assert_eq!(begins(b"begin with this"), Encoded::None);
        assert_eq!(
            begins(b"=ybegin line=128 size=10 name=x"),
            Encoded::YEnc(4116)
        );
        assert_eq!(
            begins(b"=ybegin part=1 line=0 size=10 name=x"),
            Encoded::None
        );
        assert_eq!(begins(b"=ybegin name=x"), Encoded::None);
    }

    #[test]
    fn knows_data() {
        let mut uu = Encoded::Uu;
        assert_eq!(uu.line(b"#0V%T\r\n"), Verdict::Data);
        assert_eq!(uu.line(b"`\n"), Verdict::Data);
        assert_eq!(uu.line(b" \n"), Verdict::Data);
        assert_eq!(uu.line(b"end\n"), Verdict::End);
        assert_eq!(uu.line(b"Mthis is text\n"), Verdict::Text);
        assert_eq!(uu.line(b"\n"), Verdict::Text);
        let mut yenc = Encoded::YEnc(10);
        assert_eq!(yenc.line(b"\x00\xff*+\n"), Verdict::Data);
        assert_eq!(yenc.line(b"=yend size=3\n"), Verdict::End);
        assert_eq!(yenc.line(b"more than that\n"), Verdict::Text);
    }
}
