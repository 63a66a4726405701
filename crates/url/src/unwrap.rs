//! Unwraps links that a mail gateway or a web site put around another link.
//!
//! It knows only services whose links contain the original URL. It looks up and
//! fetches nothing. One table, [`GATEWAYS`], says where each service puts the
//! original and how it encodes it, and [`Url::hops`] interprets it. No decoder
//! makes its text longer, so a chain of links ends.
//! Links of web archives (`web.archive.org`) are excluded, because they name
//! the archived copy.

use super::components::decoded;
use super::parts::{Kind, Url};
use super::validate;
use crate::gateways::Place::{Fragment, In, Rest};
use crate::gateways::Step::{self, After, Base64, Json, Percent, Prefix, Replace, Stars, Until};
use crate::gateways::{GATEWAYS, GOOGLE, Gateway};
use urlgrep_base::digits::{from_base64, hex_byte, sextet};

/// The maximum number of nested links that are removed.
const HOPS_MAX: usize = 10;

/// Schemes of programs that open the URL after them: those of Office ("Office URI Schemes"),
/// of readers of feeds, and of browsers.
const PROGRAMS: [&str; 12] = [
    "feed",
    "ms-access",
    "ms-excel",
    "ms-infopath",
    "ms-powerpoint",
    "ms-project",
    "ms-publisher",
    "ms-spd",
    "ms-visio",
    "ms-word",
    "onenote",
    "view-source",
];

/// A bit for each possible end of a host. Those of [`GATEWAYS`] are set, so most other
/// hosts need no comparison: without this set `--unwrap` of a mailing list took 8 %
/// more instructions, and with it 3 %. A name that ends with a dot sets no bit.
static ENDS: [u64; 8] = {
    let mut ends = [0; 8];
    let mut row = 0;
    while row < GATEWAYS.len() {
        let mut name = 0;
        while name < GATEWAYS[row].hosts.len() {
            let bytes = GATEWAYS[row].hosts[name].as_bytes();
            if let (Some(end), [.., b'a'..=b'z']) = (bytes.last_chunk(), bytes) {
                let bit = end_bit(end);
                ends[bit / 64] |= 1 << (bit % 64);
            }
            name += 1;
        }
        row += 1;
    }
    ends
};

/// The number of a bit of [`ENDS`]. Case does not matter.
const fn end_bit(end: &[u8; 8]) -> usize {
    let lower = u64::from_le_bytes(*end) | 0x2020_2020_2020_2020;
    // Fibonacci hashing: the factor is 2⁶⁴ divided by the golden ratio.
    (lower.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55) as usize
}

/// False if no row of [`GATEWAYS`] can have this host.
fn may_be_gateway(host: &[u8]) -> bool {
    let is_end = |end| ENDS[end_bit(end) / 64] >> (end_bit(end) % 64) & 1 == 1;
    host.last_chunk().is_some_and(is_end) || GOOGLE.iter().any(|name| is_host(name, host))
}

impl Url<'_> {
    /// The URLs inside this link, the outermost first: the URL in it, the URL in
    /// that, and so on, at most ten. Empty unless this URL is a link of a known
    /// mail gateway, web site or tracker that contains its target, or its scheme names the
    /// program that opens the target (`ms-word:ofe|u|https://…`).
    ///
    /// Each URL must have the scheme http, https, ftp or mailto, be valid under
    /// the same profile, and be shorter than the link around it.
    ///
    /// ```
    /// use urlgrep::url::{Profile, validate};
    ///
    /// let url = b"https://urldefense.proofpoint.com/v2/url?u=https-3A__a.example_x-2Dy&d=Dw";
    /// let url = validate(Profile::Current, url).unwrap();
    /// assert_eq!(url.hops().last().unwrap(), "https://a.example/x-y");
    /// ```
    ///
    /// # Complexity
    ///
    /// Linear in the length. For other hosts, only the host is compared.
    pub fn hops(&self) -> impl Iterator<Item = String> + use<> {
        let profile = self.profile();
        let inside = move |url: &String| validate(profile, url.as_bytes()).ok()?.unwrapped_once();
        std::iter::successors(self.unwrapped_once(), inside).take(HOPS_MAX)
    }

    /// The first query parameter that is a whole URL of another host, in percent
    /// encoding or in base64. It is a guess: many a parameter is the page that
    /// the reader came from. Linear.
    #[must_use]
    pub fn inner(&self) -> Option<String> {
        let own = self.host()?.as_str();
        let query = self.query().filter(|_| self.kind() == Kind::Http)?;
        query.split('&').find_map(|parameter| {
            let value = parameter.split_once('=')?.1;
            // Fast path: no other byte begins a URL, an escape, or base64 of a URL.
            if !value.starts_with(|c| "hHfFmM%a".contains(c)) {
                return None;
            }
            let value = decoded(value);
            let url = if value.starts_with(b"aHR0c") {
                run(Base64, value.into_owned())?
            } else {
                value.into_owned()
            };
            let url = self.judged(&url)?;
            let is_own = url.host()?.as_str().eq_ignore_ascii_case(own);
            (!is_own).then(|| url.as_str().to_owned())
        })
    }

    fn unwrapped_once(&self) -> Option<String> {
        if self.kind() != Kind::Http {
            return self.handed();
        }
        let host = self.host()?.as_str().as_bytes();
        let from_path = self.as_bytes().get(self.meta().path_start as usize..)?;
        // Fast path: most links have no room for another one.
        if from_path.len() < 8 || !may_be_gateway(host) {
            return None;
        }
        let path = self.path().as_bytes();
        let rows = GATEWAYS
            .iter()
            .filter(|row| row.hosts.iter().any(|name| is_host(name, host)));
        let fits = |row: &&Gateway| match (row.place, after(row.path, path)) {
            (Rest, rest) => rest.is_some(),
            (_, rest) => row.path.is_empty() || rest == Some(b""),
        };
        let gateway = rows.clone().find(fits)?;
        let text = match gateway.place {
            In(names) => names
                .iter()
                .filter_map(|name| self.parameter(name))
                .find(|value| !value.is_empty())?
                .as_bytes(),
            Rest => after(gateway.path, from_path)?,
            Fragment => self.fragment()?.as_bytes(),
        };
        let mut text = gateway
            .steps
            .iter()
            .try_fold(text.to_vec(), |text, step| run(*step, text))?;
        // Some programs replace two slashes by one.
        let slash = memchr::memchr(b':', &text)? + 1;
        if text.get(slash) == Some(&b'/') && text.get(slash + 1) != Some(&b'/') {
            text.insert(slash, b'/');
        }
        let inner = self.judged(&text)?;
        (text.len() < self.as_bytes().len()).then(|| inner.as_str().to_owned())
    }

    /// The URL in a link whose scheme names the program that opens it.
    fn handed(&self) -> Option<String> {
        let (scheme, rest) = self.as_str().split_once(':')?;
        let is_handed = PROGRAMS
            .iter()
            .any(|program| scheme.eq_ignore_ascii_case(program));
        if !is_handed {
            return None;
        }
        // "Office URI Schemes": `ms-word:ofe|u|https://…|s|…`. Some programs escape the bars.
        let is_web = |part: &&str| {
            let start = part.split_once("://").map(|(scheme, _)| scheme);
            start.is_some_and(|scheme| ["http", "https"].contains(&scheme))
        };
        let rest = rest.replace("%7C", "|").replace("%7c", "|");
        let inner = rest.split('|').find(is_web)?;
        let inner = self.judged(inner.as_bytes())?;
        Some(inner.as_str().to_owned())
    }

    /// `text`, if it is a URL of the web under the same profile.
    fn judged<'t>(&self, text: &'t [u8]) -> Option<Url<'t>> {
        let scheme = &text[..memchr::memchr(b':', text)?];
        let schemes = [&b"http"[..], b"https", b"ftp", b"mailto"];
        let known = schemes
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known));
        validate(self.profile(), text).ok().filter(|_| known)
    }

    /// The value of the first parameter of this name.
    fn parameter(&self, name: &str) -> Option<&str> {
        let mut parameters = self.query()?.split('&');
        parameters.find_map(|parameter| parameter.strip_prefix(name)?.strip_prefix('='))
    }
}

/// True if `host` is `name`, which may begin or end with a dot.
fn is_host(name: &str, host: &[u8]) -> bool {
    let name = name.as_bytes();
    // `google.` and a top-level domain of one or two labels.
    let is_top = |top: &[u8]| {
        let mut labels = top.split(|&b| b == b'.');
        let is_label = |label: &[u8]| (2..=3).contains(&label.len());
        labels.clone().count() <= 2 && labels.all(is_label)
    };
    let Some(more) = host.len().checked_sub(name.len()) else {
        return false;
    };
    match name {
        [.., b'.'] => host[..name.len()].eq_ignore_ascii_case(name) && is_top(&host[name.len()..]),
        [b'.', ..] => host[more..].eq_ignore_ascii_case(name),
        name => host.eq_ignore_ascii_case(name),
    }
}

/// What follows `pattern` in `path`.
fn after<'p>(pattern: &str, mut path: &'p [u8]) -> Option<&'p [u8]> {
    for (i, literal) in pattern.split("/*").enumerate() {
        if i > 0 {
            path = path.strip_prefix(b"/")?;
            path = &path[memchr::memchr(b'/', path)?..];
        }
        path = path.strip_prefix(literal.as_bytes())?;
    }
    Some(path)
}

/// The text after this step of decoding.
fn run(step: Step, mut text: Vec<u8>) -> Option<Vec<u8>> {
    let find = |what: &str, text: &[u8]| memchr::memmem::find(text, what.as_bytes());
    Some(match step {
        Percent => decoded(&text).into_owned(),
        Base64 => from_base64(&text, digit)?.0,
        Json(key) => json(&text, key)?,
        After(marks) => {
            let ends = marks
                .iter()
                .find_map(|mark| Some(find(mark, &text)? + mark.len()));
            text.split_off(ends?)
        }
        Until(mark) => {
            text.truncate(find(mark, &text).unwrap_or(text.len()));
            text
        }
        Prefix(missing) => [missing.as_bytes(), &text].concat(),
        Replace(old, new) => String::from_utf8(text).ok()?.replace(old, new).into(),
        Stars => version_3(&text)?,
    })
}

/// The first string with this key in JSON (RFC 8259 section 7), without parsing
/// what is around it.
fn json(text: &[u8], key: &str) -> Option<Vec<u8>> {
    let quoted = format!("\"{key}\"");
    memchr::memmem::find_iter(text, &quoted).find_map(|at| {
        let value = text[at + quoted.len()..].trim_ascii_start();
        let value = value.strip_prefix(b":")?.trim_ascii_start();
        let mut rest = value.strip_prefix(b"\"")?;
        let mut out = Vec::new();
        loop {
            match *rest {
                [b'"', ..] => return Some(out),
                [b'\\', b'u', a, b, c, d, ref after @ ..] => {
                    let code = u16::from_be_bytes([hex_byte(a, b)?, hex_byte(c, d)?]);
                    let character = char::from_u32(code.into())?;
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    rest = after;
                }
                // No other escape (`\n`) is part of a URL.
                [b'\\', byte, ref after @ ..] | [byte, ref after @ ..] => {
                    out.push(byte);
                    rest = after;
                }
                [] => return None,
            }
        }
    })
}

/// Decodes the text `URL__;CHARACTERS!…`. Each `*` in the URL is replaced by the
/// next character of the list, which is in base64. `**` and a digit of base64
/// are replaced by several characters. Their number is the value of the digit
/// plus 2.
fn version_3(text: &[u8]) -> Option<Vec<u8>> {
    let end = memchr::memmem::find(text, b"__;")?;
    let url = decoded(&text[..end]);
    let rest = &text[end + 3..];
    let list = &rest[..memchr::memchr(b'!', rest)?];
    let list = String::from_utf8(from_base64(list, digit)?.0).ok()?;
    let mut characters = list.chars();
    let mut out = Vec::with_capacity(url.len() + characters.as_str().len());
    let mut rest = &url[..];
    while let Some(at) = memchr::memchr(b'*', rest) {
        out.extend_from_slice(&rest[..at]);
        let count;
        (count, rest) = match &rest[at..] {
            [_, b'*', run, after @ ..] => (usize::from(digit(*run)?) + 2, after),
            after => (1, &after[1..]),
        };
        for _ in 0..count {
            out.extend_from_slice(characters.next()?.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    out.extend_from_slice(rest);
    Some(out)
}

/// The value of a digit of base64, in either alphabet.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'-' => Some(62),
        b'_' => Some(63),
        byte => sextet(byte),
    }
}
