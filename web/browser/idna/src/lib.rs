//! International host names by the browser, for the module of the page.
//!
//! The crate `idna` needs large tables of Unicode, of which a browser has its own: it converts the
//! host of each `URL`. `../Cargo.toml` puts this package in the place of that crate, so it has the name
//! and the interface of that one, as far as the crate `url` uses them. The tests of the page compare
//! it with the command, in a browser.
//!
//! Browsers do not agree on labels that are in Punycode already. So these are decoded here, and the
//! browser must encode them to the same text (UTS #46, section 4.2).

use std::borrow::Cow;
use std::fmt;

#[expect(unsafe_code, reason = "the functions of the host are declared")]
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// The length of the ASCII form of a domain, or `usize::MAX` if it is no domain.
    safe fn domain_to_ascii(domain: *const u8, len: usize) -> usize;
    /// Writes the text whose length was returned last.
    safe fn charset_take(to: *mut u8);
}

/// The ASCII characters that are no part of a domain.
#[derive(Clone, Copy, Debug)]
pub struct AsciiDenyList(&'static [u8]);

impl AsciiDenyList {
    /// Those of the URL Standard ("forbidden domain code point"), without controls.
    pub const URL: AsciiDenyList = AsciiDenyList(b" #%/:<>?@[\\]^|");

    fn has(self, byte: u8) -> bool {
        byte.is_ascii_control() || self.0.contains(&byte)
    }
}

/// A text is no domain.
#[derive(Clone, Copy, Debug)]
pub struct Errors;

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no domain")
    }
}

impl std::error::Error for Errors {}

/// The ASCII form of a domain.
///
/// # Errors
///
/// The text is no domain, or has characters of the list.
pub fn domain_to_ascii_from_cow<'a>(
    domain: Cow<'a, [u8]>,
    denied: AsciiDenyList,
) -> Result<Cow<'a, str>, Errors> {
    let domain = str::from_utf8(&domain).map_err(|_| Errors)?;
    let lower = domain.to_ascii_lowercase();
    let mut ascii = lower.clone();
    if !lower.is_ascii() || lower.split('.').any(|label| label.starts_with("xn--")) {
        // A label in Punycode must be what the browser makes of its letters.
        let unicode = to_unicode(&lower).ok_or(Errors)?;
        ascii = convert(&unicode)?;
        let mut labels = ascii.split('.');
        for label in lower.split('.') {
            let made = labels.next();
            if label.starts_with("xn--") && made != Some(label) {
                return Err(Errors);
            }
        }
    }
    if ascii.bytes().any(|byte| denied.has(byte)) {
        return Err(Errors);
    }
    Ok(Cow::Owned(ascii))
}

/// The letters of a domain. A label that is not Punycode stays.
pub fn domain_to_unicode(domain: &str) -> (String, Result<(), Errors>) {
    match to_unicode(domain) {
        Some(letters) => (letters, Ok(())),
        None => (domain.to_owned(), Err(Errors)),
    }
}

fn to_unicode(domain: &str) -> Option<String> {
    let labels = domain
        .split('.')
        .map(|label| match label.strip_prefix("xn--") {
            Some(code) => decode(code),
            None => Some(label.to_owned()),
        });
    let labels: Option<Vec<String>> = labels.collect();
    Some(labels?.join("."))
}

/// Characters that become `%`, which no domain has. Chromium reads them as an escape.
const PERCENT: [char; 2] = ['\u{FE6A}', '\u{FF05}'];

fn convert(domain: &str) -> Result<String, Errors> {
    if domain.contains(PERCENT) {
        return Err(Errors);
    }
    let len = domain_to_ascii(domain.as_ptr(), domain.len());
    if len == usize::MAX {
        return Err(Errors);
    }
    let mut ascii = vec![0; len];
    charset_take(ascii.as_mut_ptr());
    String::from_utf8(ascii).map_err(|_| Errors)
}

/// Decodes Punycode (RFC 3492, section 6.2). The constants are those of its section 5.
fn decode(code: &str) -> Option<String> {
    let (basic, digits) = code.rsplit_once('-').unwrap_or(("", code));
    let mut letters: Vec<char> = basic.chars().collect();
    let mut n = 128u32;
    let mut at = 0u32;
    let mut bias = 72u32;
    let mut bytes = digits.bytes();
    while bytes.len() > 0 {
        let before = at;
        let mut weight = 1u32;
        for step in 1.. {
            let digit = match bytes.next()? {
                letter @ b'a'..=b'z' => u32::from(letter - b'a'),
                digit @ b'0'..=b'9' => u32::from(digit - b'0') + 26,
                _ => return None,
            };
            at = at.checked_add(digit.checked_mul(weight)?)?;
            let threshold = (36 * step as u32).saturating_sub(bias).clamp(1, 26);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(36 - threshold)?;
        }
        let count = letters.len() as u32 + 1;
        bias = adapt(at - before, count, before == 0);
        n = n.checked_add(at / count)?;
        at %= count;
        letters.insert(at as usize, char::from_u32(n)?);
        at += 1;
    }
    Some(letters.into_iter().collect())
}

/// RFC 3492, section 6.1.
fn adapt(delta: u32, count: u32, is_first: bool) -> u32 {
    let mut delta = delta / if is_first { 700 } else { 2 };
    delta += delta / count;
    let mut k = 0;
    while delta > 455 {
        delta /= 35;
        k += 36;
    }
    k + 36 * delta / (delta + 38)
}
