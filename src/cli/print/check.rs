//! `--check`: judges each line of the input as one URL.
//!
//! The output has one line per input line. A valid line becomes `valid`, a tab,
//! and the URL. A blank line stays blank. Any other line becomes `invalid`, a tab,
//! the URL, a tab, and the reason. All fields follow [`escape::field`].

use super::put_display;
use urlgrep::ExtractorBuilder;
use urlgrep::url::{Profile, Reject, Rule, validate};
use urlgrep_base::escape;

/// Appends the verdict on `line`, a line of the input without its line break.
/// Returns true if the line is valid or blank. A line over [`ExtractorBuilder::URL_MAX`] is
/// refused without validation. It is the start of a line of `len` bytes.
pub fn check_line(profile: Profile, line: &[u8], len: usize, out: &mut Vec<u8>) -> bool {
    if line.trim_ascii().is_empty() && len < ExtractorBuilder::URL_MAX {
        out.push(b'\n');
        return true;
    }
    let verdict = match line.len() {
        0..=ExtractorBuilder::URL_MAX => validate(profile, line).map(|_| ()),
        _ => Err(Reject::too_long(profile, len)),
    };
    out.extend_from_slice(match verdict {
        Ok(_) => b"valid\t",
        Err(_) => b"invalid\t",
    });
    escape::field(line, out);
    if let Err(reject) = verdict {
        out.push(b'\t');
        put_display(&reject, escape::field, out);
        let ends = line.iter().find(|b| b":/?#".contains(b));
        if reject.rule == Rule::Scheme && ends != Some(&b':') {
            out.extend_from_slice(b", no scheme such as `https:`");
        }
    }
    out.push(b'\n');
    verdict.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_candidate_forges_a_field() {
        for b in 0..=255u8 {
            let mut out = Vec::new();
            let valid = check_line(Profile::Current, &[b'a', b':', b, b'\\', b], 5, &mut out);
            assert!(!valid, "{b:02x}: a backslash is in no URL");
            assert_eq!(out.iter().filter(|&&b| b == b'\t').count(), 2, "{b:02x}");
            assert_eq!(out.iter().filter(|&&b| b == b'\n').count(), 1, "{b:02x}");
            assert!(out.iter().all(|b| matches!(b, b'\t' | b'\n' | b' '..=b'~')));
        }
    }

    #[test]
    fn a_blank_line_is_no_candidate() {
        for blank in [&b""[..], b" \t"] {
            let mut out = Vec::new();
            assert!(check_line(Profile::Current, blank, blank.len(), &mut out));
            assert_eq!(out, b"\n");
        }
    }

    #[test]
    fn a_missing_scheme_has_words() {
        let reason = |line: &[u8]| {
            let mut out = Vec::new();
            assert!(!check_line(Profile::Iri, line, line.len(), &mut out));
            String::from_utf8(out).unwrap()
        };
        for line in ["a.example/x", "a.example", "/x:y"] {
            assert!(
                reason(line.as_bytes()).ends_with(", no scheme such as `https:`\n"),
                "{line}"
            );
        }
        for line in ["1a:b", ":x", "http://"] {
            assert!(!reason(line.as_bytes()).contains("no scheme"), "{line}");
        }
    }
}
