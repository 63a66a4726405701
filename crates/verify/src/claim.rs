//! Reads a record strictly by the schema. The names of the schema are here once
//! more, so that a record is not judged by the tables that wrote it.

use std::collections::BTreeMap;
use std::ops::Deref;

use serde::de::IgnoredAny;

use super::seam::Within;
use super::{VerifyError, differs, show};
use urlgrep_rows::record::json::{self, ReadErrorKind};
use urlgrep_rows::record::{Bytes, Component, Field, OwnedRecord};

const VERSION: u64 = 2;
/// The maximum length of the URL of a hit. A longer URL is refused as too long.
const URL_MAX: usize = 8192;
const FORMS: &str = "wrapped bracketed quoted prefixed bare link suffix namespace";
const DOUBTS: &str = "inner-space script joined blank-line unclosed browser unmasked typeset doubled abbreviated escape placeholder \
    refanged";
const READINGS: &str = "plain hyphen space joined qp raw script scheme tail outer inner \
    written browser";
const PROFILES: &str = "url-00 url-03 www-uri-00 url-06 rfc1738 current iri whatwg";
const CAUTIONS: &str = "password user low-port encoded-cr encoded-lf encoded-nul port-range \
    text-differs ip-number userinfo-looks-like-host punycode mixed-script invalid-reverse-solidus invalid-URL-unit invalid-credentials \
    special-scheme-missing-following-solidus file-invalid-Windows-drive-letter-host";
/// The names in the order in which they occur in a URL.
const COMPONENTS: &str = "scheme user password host port path typecode to headers group article number \
    gtype selector database wtype length wpath search gopher-plus object version attributes fields \
    id content-id nid nss parameters query fragment";
const ROLES: &str = "body quoted signature footer header attachment";

/// A record that was read back: a claim about its source.
#[derive(Clone, Debug)]
pub struct Claim {
    pub(super) row: Stated,
    path: Vec<u8>,
    pub(super) url: Vec<u8>,
}

#[derive(serde::Deserialize)]
struct RowKind {
    v: u64,
    r#type: String,
}

impl Claim {
    /// Reads one line of `--json`. Returns `None` for a note, an error, and the
    /// end of a request of `--batch`. These have nothing to confirm.
    ///
    /// # Errors
    ///
    /// The line is not a record of this version of the schema.
    pub fn read(line: &[u8]) -> Result<Option<Claim>, VerifyError> {
        let wrong = |error: serde_json::Error| differs(format!("not a record: {error}"));
        let kind: RowKind = serde_json::from_slice(line).map_err(wrong)?;
        if kind.v != VERSION {
            return Err(differs(format!(
                "version {} of the schema is not supported, only {VERSION}",
                kind.v
            )));
        }
        if matches!(&*kind.r#type, "note" | "error" | "end") {
            return Ok(None);
        }
        // By the reader of `urlgrep-rows`, so that it is compiled once: with serde it is half of this
        // crate.
        let row = match json::Reader::new(line).next() {
            Some(Ok(row)) => row,
            Some(Err(error)) => match error.kind {
                ReadErrorKind::Json(error) => return Err(wrong(error)),
                _ => return Err(differs(error.to_string())),
            },
            None => return Err(differs("not a record".to_owned())),
        };
        let keys: BTreeMap<String, IgnoredAny> = serde_json::from_slice(line).map_err(wrong)?;
        let all = Field::KEYS
            .iter()
            .flat_map(|key| [Some(key.name()), key.bytes_name()]);
        if let Some(key) = all.flatten().find(|&key| !keys.contains_key(key)) {
            return Err(differs(format!("not a record: missing field `{key}`")));
        }
        Ok(Some(Claim {
            path: bytes(Some(&row.path), &row.path_bytes)?,
            url: bytes(Some(required(&row.url, "url")?), &row.url_bytes)?,
            row: Stated(row),
        }))
    }

    /// The path of the source, in raw bytes.
    #[must_use]
    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &[u8] {
        &self.url
    }

    /// The URL in the source. If the URL was unwrapped, this is the link around
    /// it. If it was serialised, this is the text as it was written.
    pub(super) fn source_url(&self) -> &[u8] {
        let mut alternates = self.row.alternates.iter().flatten();
        let outer = alternates.find(|other| matches!(&*other.kind, "outer" | "written"));
        outer.map_or(&self.url, |outer| outer.url.as_bytes())
    }

    /// The member of an attached archive. Empty if there is none.
    pub(super) fn member(&self) -> Result<Vec<u8>, VerifyError> {
        bytes(self.row.member.as_ref(), &self.row.member_bytes)
    }

    /// True if the URL is in decoded text, not in the source itself.
    #[must_use]
    pub fn is_decoded(&self) -> bool {
        self.row.decoded.is_some()
    }

    /// Checks everything that can be checked without the source.
    pub(super) fn check_without_source(&self) -> Result<(), VerifyError> {
        self.row.check_without_source(&self.url)
    }
}

/// The bytes of a text. If the `…_bytes` key is present, these are its bytes.
/// They must not be UTF-8, and the text must be their displayed form.
fn bytes(text: Option<&String>, bytes: &Option<Bytes>) -> Result<Vec<u8>, VerifyError> {
    let text = text.map(String::as_str).unwrap_or_default();
    match bytes {
        None => Ok(text.as_bytes().to_vec()),
        Some(Bytes(bytes))
            if std::str::from_utf8(bytes).is_ok() || String::from_utf8_lossy(bytes) != text =>
        {
            Err(differs("a text differs from its bytes"))
        }
        Some(Bytes(bytes)) => Ok(bytes.clone()),
    }
}

/// The value of a key that may not be null in a hit or a reject.
fn required<'r, T>(value: &'r Option<T>, key: &str) -> Result<&'r T, VerifyError> {
    value
        .as_ref()
        .ok_or_else(|| differs(format!("`{key}` is null")))
}

/// A row whose statements are checked.
#[derive(Clone, Debug)]
pub(super) struct Stated(pub(super) OwnedRecord);

impl Deref for Stated {
    type Target = OwnedRecord;

    fn deref(&self) -> &OwnedRecord {
        &self.0
    }
}

impl Stated {
    /// Where in a message the URL is.
    pub(super) fn within(&self) -> Within {
        match (&self.header, &self.part) {
            (Some(_), _) => Within::Header,
            (None, Some(_)) => Within::Part,
            (None, None) => Within::Text,
        }
    }

    /// The place of the URL in the source. `None` if the URL is in decoded
    /// text.
    pub(super) fn extent(&self) -> Result<Option<(u64, u64)>, VerifyError> {
        let all = self.segments.is_some() && self.seams.is_some() && self.decoded.is_none();
        let none = self.segments.is_none() && self.seams.is_none() && self.decoded.is_some();
        match (self.offset, self.end) {
            (Some(offset), Some(end)) if all => Ok(Some((offset, end))),
            (None, None) if none => Ok(None),
            _ => Err(differs(
                "the record needs offset, end, segments and seams, or else decoded",
            )),
        }
    }

    fn check_without_source(&self, url: &[u8]) -> Result<(), VerifyError> {
        check_name("form", FORMS, required(&self.form, "form")?)?;
        check_name("profile", PROFILES, required(&self.profile, "profile")?)?;
        check_name("role", ROLES, self.role.as_deref().unwrap_or("body"))?;
        for doubt in required(&self.doubt, "doubt")? {
            check_name("doubt", DOUBTS, doubt)?;
        }
        for alternate in required(&self.alternates, "alternates")? {
            check_name("alternate", READINGS, &alternate.kind)?;
        }
        for caution in required(&self.cautions, "cautions")? {
            check_name("caution", CAUTIONS, caution)?;
        }
        required(&self.continues, "continues")?;
        required(&self.glued, "glued")?;
        let components = required(&self.components, "components")?;
        self.check_texts()?;
        if self.message_number == Some(0) {
            return Err(differs("the number of a message is 0"));
        }
        let of_message = self.message_number.is_some() || self.message_end.is_some();
        if of_message && self.message_start.is_none() {
            return Err(differs("a message has no start"));
        }
        match memchr::memchr(b':', url) {
            Some(colon) => {
                let lower = url[..colon].to_ascii_lowercase();
                if self.scheme.as_ref().is_some_and(|s| s.as_bytes() != lower) {
                    return Err(differs(format!("the scheme is {}", show(&lower))));
                }
            }
            None if self.scheme.is_some() => return Err(differs("the URL has no scheme")),
            None => {}
        }
        match (&*self.r#type, &self.rule, self.rule_at, &self.reason) {
            ("hit", None, None, None) if self.rule_found.is_none() => {
                self.check_hit(url, components)
            }
            ("reject", Some(rule), Some(at), Some(reason)) if components.is_empty() => {
                self.check_reject(url, rule, at, reason)
            }
            _ => Err(differs("the record is neither a hit nor a reject")),
        }
    }

    /// Checks that each text with a `…_bytes` key is the displayed form of
    /// those bytes.
    fn check_texts(&self) -> Result<(), VerifyError> {
        let texts = [
            (&self.header, &self.header_bytes),
            (&self.message_id, &self.message_id_bytes),
            (&self.from, &self.from_bytes),
            (&self.subject, &self.subject_bytes),
            (&self.newsgroups, &self.newsgroups_bytes),
            (&self.list_id, &self.list_id_bytes),
        ];
        for (text, base64) in texts {
            bytes(text.as_ref(), base64)?;
        }
        if self.note.is_some() {
            return Err(differs("a hit or a reject has the key of a note"));
        }
        Ok(())
    }

    /// Checks what only a hit has: a URL, its components, cautions, and the two URLs of a link.
    fn check_hit(&self, url: &[u8], components: &[Component]) -> Result<(), VerifyError> {
        self.check_bytes(url)?;
        check_components(url, components)?;
        self.check_host_and_port(components)?;
        self.check_cautions(url, components)?;
        self.check_link()
    }

    /// Checks that the URL has a scheme, and only bytes that its profile allows.
    fn check_bytes(&self, url: &[u8]) -> Result<(), VerifyError> {
        // Only RFC 3987 and the URL Standard allow characters beyond ASCII.
        let beyond = matches!(self.profile.as_deref(), Some("iri" | "whatwg"))
            && std::str::from_utf8(url).is_ok();
        // > The C0 control percent-encode set are the C0 controls and all code points
        // > greater than U+007E (~).  (URL Standard, section 1.3)
        // Nothing else is encoded in an opaque path, so it may have blanks.
        let is_opaque =
            || memchr::memchr(b':', url).is_some_and(|at| url.get(at + 1) != Some(&b'/'));
        let has_blanks = self.profile.as_deref() == Some("whatwg") && is_opaque();
        let is_allowed =
            |b: &u8| b.is_ascii_graphic() || beyond && !b.is_ascii() || has_blanks && *b == b' ';
        if !url.iter().all(is_allowed) || self.scheme.is_none() {
            return Err(differs(
                "a hit has no scheme, or bytes that a URL cannot have",
            ));
        }
        if url.len() > URL_MAX {
            return Err(differs(format!("a hit has more than {URL_MAX} bytes")));
        }
        Ok(())
    }

    /// Checks that `host` and `port` are those of the components.
    fn check_host_and_port(&self, components: &[Component]) -> Result<(), VerifyError> {
        let host = component(components, "host").map(<[u8]>::to_ascii_lowercase);
        if self.host.as_ref().map(String::as_bytes) != host.as_deref() {
            return Err(differs("the host differs from the component"));
        }
        let port = component(components, "port");
        let port = port.and_then(|port| str::from_utf8(port).ok()?.parse().ok());
        if self.port != port.filter(|&port: &u64| port <= 65_535) {
            return Err(differs("the port differs from the component"));
        }
        Ok(())
    }

    /// Checks the cautions that the bytes of the URL decide.
    ///
    /// A caution may also be about the text as it was written: `http://:@a.example/` is
    /// serialised without its password, and `http://a.example/%0D/..` without its escape.
    fn check_cautions(&self, url: &[u8], components: &[Component]) -> Result<(), VerifyError> {
        let written = self.written();
        let escaped = |hex| has_escape(url, hex) || has_escape(written, hex);
        let scheme = component(components, "scheme");
        let is_mail = scheme.is_some_and(|name| name.eq_ignore_ascii_case(b"mailto"));
        let expected = [
            ("encoded-cr", !is_mail && escaped(b"0D")),
            ("encoded-lf", !is_mail && escaped(b"0A")),
            ("encoded-nul", escaped(b"00")),
        ];
        for (name, is_expected) in expected {
            if self.has_caution(name) != is_expected {
                return Err(differs(format!("the caution {name} is wrong")));
            }
        }
        let is_wrong = match component(components, "password") {
            Some(_) => !self.has_caution("password"),
            None => self.has_caution("password") && !may_have_password(written),
        };
        if is_wrong {
            return Err(differs("the caution password is wrong"));
        }
        Ok(())
    }

    /// Checks that the URL is that of the link or that of its text, if the two differ.
    fn check_link(&self) -> Result<(), VerifyError> {
        let text_differs = self.has_caution("text-differs");
        let url = self.url.as_deref();
        match (self.target.as_deref(), self.text.as_deref()) {
            (None, None) if text_differs => Err(differs(
                "text-differs needs the URLs of the link and of its text",
            )),
            (None, None) => Ok(()),
            (target, _) if text_differs && target != url => Err(differs(
                "text-differs is a caution about the link, not about its text",
            )),
            (Some(target), Some(text))
                if target != text && [Some(target), Some(text)].contains(&url) =>
            {
                Ok(())
            }
            _ => Err(differs(
                "the URL is neither that of the link nor that of its text",
            )),
        }
    }

    fn has_caution(&self, name: &str) -> bool {
        let mut cautions = self.cautions.iter().flatten();
        cautions.any(|caution| caution == name)
    }

    /// The text that was serialised as the URL. Empty if it is the URL.
    fn written(&self) -> &[u8] {
        let mut alternates = self.alternates.iter().flatten();
        let written = alternates.find(|other| other.kind == "written");
        written.map_or(b"", |written| written.url.as_bytes())
    }

    fn check_reject(
        &self,
        url: &[u8],
        rule: &str,
        at: u64,
        reason: &str,
    ) -> Result<(), VerifyError> {
        let has_link = self.target.is_some() || self.text.is_some();
        let has_parts = self.host.is_some() || self.port.is_some() || has_link;
        if self.cautions.iter().flatten().count() > 0 || has_parts {
            return Err(differs("a reject has cautions, a host or a port"));
        }
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        if at > url.len() || url.get(at).map(|&byte| u64::from(byte)) != self.rule_found {
            return Err(differs(format!("byte {at} of the URL differs")));
        }
        let profile = self.profile.as_deref().unwrap_or_default();
        let start = format!("{profile} {rule}, byte {at}: ");
        if !reason.starts_with(&start) {
            return Err(differs(format!("the reason does not start with {start}")));
        }
        Ok(())
    }
}

/// The value of a component.
fn component<'c>(components: &'c [Component], name: &str) -> Option<&'c [u8]> {
    let component = components.iter().find(|c| c.name == name);
    component.map(|component| component.value.as_bytes())
}

/// Checks that the components have known names, each once, and make up the URL.
fn check_components(url: &[u8], components: &[Component]) -> Result<(), VerifyError> {
    // Each component is compared with all earlier ones, so their number is
    // limited.
    if components.len() > COMPONENTS.split(' ').count() {
        return Err(differs("there are too many components"));
    }
    for (i, component) in components.iter().enumerate() {
        check_name("component", COMPONENTS, &component.name)?;
        if components[..i].iter().any(|c| c.name == component.name) {
            return Err(differs(format!(
                "there are two components {}",
                component.name
            )));
        }
    }
    let values = components.iter().map(|c| c.value.as_bytes());
    let values: Vec<_> = values.collect();
    if component(components, "scheme").is_none() || !covers(url, &values) {
        return Err(differs("the components do not make up the URL"));
    }
    Ok(())
}

/// Checks that a name is one of `names`.
fn check_name(what: &str, names: &str, name: &str) -> Result<(), VerifyError> {
    if names.split(' ').any(|known| known == name) {
        return Ok(());
    }
    Err(differs(format!("{what}: no {}", show(name.as_bytes()))))
}

/// True if a `:` before an `@` may begin a password.
fn may_have_password(written: &[u8]) -> bool {
    let after_scheme = memchr::memchr(b':', written).map_or(0, |at| at + 1);
    let rest = &written[after_scheme..];
    let at = memchr::memrchr(b'@', rest);
    at.is_some_and(|at| memchr::memchr(b':', &rest[..at]).is_some())
}

/// True if `url` contains the escape of a byte.
fn has_escape(url: &[u8], hex: &[u8; 2]) -> bool {
    let mut rest = url;
    while let Some(at) = memchr::memchr(b'%', rest) {
        let escape = rest.get(at + 1..at + 3).unwrap_or_default();
        if escape.eq_ignore_ascii_case(hex) {
            return true;
        }
        rest = rest.get(at + 3..).unwrap_or_default();
    }
    false
}

/// True if `parts` are in `url` one after the other, and only separators are
/// before, between and after them. A byte that can be a separator may also
/// belong to a component. So every layout is tried.
///
/// # Complexity
///
/// Quadratic in the length of the URL, which is at most [`URL_MAX`].
fn covers(url: &[u8], parts: &[&[u8]]) -> bool {
    if parts.iter().map(|part| part.len()).sum::<usize>() > url.len() {
        return false;
    }
    // For each offset: whether the layout so far can end there.
    let mut ends = vec![false; url.len() + 1];
    ends[0] = true;
    over_separators(url, &mut ends);
    for part in parts {
        let mut next = vec![false; url.len() + 1];
        for (at, _) in ends.iter().enumerate().filter(|(_, end)| **end) {
            if url[at..].starts_with(part) {
                next[at + part.len()] = true;
            }
        }
        over_separators(url, &mut next);
        ends = next;
    }
    ends[url.len()]
}

/// Adds the offsets that can be reached over separators from an offset in
/// `ends`.
fn over_separators(url: &[u8], ends: &mut [bool]) {
    for at in 0..url.len() {
        if ends[at]
            && let Some(len) = separator(&url[at..])
        {
            ends[at + len] = true;
        }
    }
}

/// The length of the separator at the start of `text`. A separator is between
/// components and does not belong to any of them.
fn separator(text: &[u8]) -> Option<usize> {
    const WORDS: &[&[u8]] = &[b"type=", b"%09", b"%00", b"%2509"];
    let word = WORDS.iter().find(|word| {
        text.get(..word.len())
            .is_some_and(|t| t.eq_ignore_ascii_case(word))
    });
    match text.first()? {
        b':' | b'/' | b'?' | b'#' | b'@' | b';' | b'=' | b'&' => Some(1),
        _ => word.map(|word| word.len()),
    }
}
