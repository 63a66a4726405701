//! Punycode (RFC 3492): an ASCII form of host names with characters beyond
//! ASCII.

/// RFC 3492 section 5.
const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;
const SKEW: u32 = 38;
const DAMP: u32 = 700;
const INITIAL_BIAS: u32 = 72;
const INITIAL_N: u32 = 128;

/// The maximum length of a label that is converted, in characters. The
/// algorithm is quadratic in this length. A DNS label has at most 63 bytes.
const LABEL_MAX: usize = 63;

/// Converts each label that is not ASCII to `xn--` and its Punycode (RFC 3490
/// section 4). Labels are separated by `.` or by one of its three other forms
/// (section 3.1). The converted labels become lower case, and are not normalised
/// further. ASCII labels are kept as they are. `None` if a label to convert has
/// more than `LABEL_MAX` characters.
#[must_use]
pub fn to_ascii(name: &str) -> Option<String> {
    let mut out = String::with_capacity(2 * name.len());
    for (i, label) in name
        .split(['.', '\u{3002}', '\u{FF0E}', '\u{FF61}'])
        .enumerate()
    {
        if i > 0 {
            out.push('.');
        }
        if label.is_ascii() {
            out.push_str(label);
        } else {
            let label: Vec<char> = label.chars().flat_map(char::to_lowercase).collect();
            out.push_str("xn--");
            encode(&label, &mut out)?;
        }
    }
    Some(out)
}

/// RFC 3492 section 6.3.
fn encode(label: &[char], out: &mut String) -> Option<()> {
    if label.len() > LABEL_MAX {
        return None;
    }
    out.extend(label.iter().filter(|c| c.is_ascii()));
    let basic = label.iter().filter(|c| c.is_ascii()).count() as u32;
    if basic > 0 {
        out.push('-');
    }
    let mut n = INITIAL_N;
    let mut delta = 0u32;
    let mut bias = INITIAL_BIAS;
    let mut handled = basic;
    while (handled as usize) < label.len() {
        let next = label
            .iter()
            .map(|&c| u32::from(c))
            .filter(|&c| c >= n)
            .min()?;
        delta = delta.checked_add((next - n).checked_mul(handled + 1)?)?;
        n = next;
        for c in label.iter().map(|&c| u32::from(c)) {
            if c < n {
                delta += 1;
            }
            if c == n {
                put_number(delta, bias, out);
                bias = adapt(delta, handled + 1, handled == basic);
                delta = 0;
                handled += 1;
            }
        }
        delta += 1;
        n += 1;
    }
    Some(())
}

/// Appends a generalized variable-length integer (RFC 3492 section 3.3).
fn put_number(mut q: u32, bias: u32, out: &mut String) {
    let mut k = BASE;
    loop {
        let t = k.saturating_sub(bias).clamp(T_MIN, T_MAX);
        if q < t {
            return out.push(digit(q));
        }
        out.push(digit(t + (q - t) % (BASE - t)));
        q = (q - t) / (BASE - t);
        k += BASE;
    }
}

/// `a` to `z` are 0 to 25, `0` to `9` are 26 to 35.
fn digit(value: u32) -> char {
    let value = value as u8;
    char::from(if value < 26 {
        b'a' + value
    } else {
        b'0' + value - 26
    })
}

/// RFC 3492 section 6.1.
fn adapt(delta: u32, points: u32, is_first: bool) -> u32 {
    let mut delta = delta / if is_first { DAMP } else { 2 };
    delta += delta / points;
    let mut k = 0;
    while delta > (BASE - T_MIN) * T_MAX / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + SKEW)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3492 section 7.1 (A), (B), (I), (L), and names of today.
    #[test]
    fn the_samples_of_the_rfc() {
        for (name, ascii) in [
            ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"),
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
            (
                "почемужеонинеговорятпорусски",
                "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l",
            ),
            ("3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("Ä.例子。中国", "xn--4ca.xn--fsqu00a.xn--fiqs8s"),
        ] {
            assert_eq!(to_ascii(name).as_deref(), Some(ascii));
        }
        assert_eq!(to_ascii(&"ä".repeat(64)), None);
    }
}
