//! Removes the query parameters that only track a reader.
//!
//! The names are a table, `tracking.txt`, with who sets each. A parameter that is not in the
//! table stays, whatever its name looks like, because a link without a parameter that its
//! page needs is a wrong link. Nothing is fetched.
//!
//! Four kinds of URLs are not changed, because there a name of the table may be a part of
//! what the URL names:
//!
//! * A *signed* URL. Its signature covers the query, so that the server refuses another one.
//! * A path that has another URL in it, as in a web archive. The query belongs to that URL.
//! * A page *of a reader*, such as that to unsubscribe. A parameter says who the reader is.
//! * What follows a parameter with an unescaped URL. It may belong to that URL.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::components::decoded;
use super::parts::{Kind, Url};
use super::validate;

/// Names of parameters that sign a query: AWS (Signature Version 2 and 4, CloudFront), Google
/// Cloud Storage, Azure (shared access signatures), Alibaba Cloud, and common usage.
const SIGNATURES: [&str; 8] = [
    "x-amz-signature",
    "x-goog-signature",
    "x-oss-signature",
    "signature",
    "sig",
    "hmac",
    "signed",
    "__signature",
];

/// What the path of a page of a reader contains. Marketo and Kit name the reader by parameters
/// of the table, there and nowhere else.
const OF_READER: [&str; 6] = [
    "unsubscri",
    "emailwebview",
    "preference",
    "optout",
    "opt-out",
    "opt_out",
];

/// The rows of the table by name, and those whose name ends with `*`.
static TABLE: LazyLock<Table> = LazyLock::new(|| Table::parse(include_str!("tracking.txt")));

#[derive(Debug, Default)]
struct Table {
    names: HashMap<&'static str, Hosts>,
    prefixes: Vec<(&'static str, Hosts)>,
}

/// The hosts on which a name counts. Empty for all.
type Hosts = Vec<&'static str>;

impl Table {
    fn parse(text: &'static str) -> Table {
        let mut table = Table::default();
        for line in text.lines() {
            let mut columns = line.split('|').map(str::trim);
            let (Some(name), Some(hosts)) = (columns.next(), columns.next()) else {
                continue;
            };
            if name.starts_with('#') {
                continue;
            }
            let hosts: Hosts = hosts.split(',').filter(|host| !host.is_empty()).collect();
            match name.strip_suffix('*') {
                Some(prefix) => table.prefixes.push((prefix, hosts)),
                None => {
                    table.names.insert(name, hosts);
                }
            }
        }
        table
    }

    /// True if a parameter of this name only tracks, on this host.
    fn has(&self, name: &str, host: &str) -> bool {
        let counts = |hosts: &Hosts| hosts.is_empty() || hosts.iter().any(|of| is_of(of, host));
        let mut prefixes = self.prefixes.iter();
        self.names.get(name).is_some_and(counts)
            || prefixes.any(|(prefix, hosts)| name.starts_with(prefix) && counts(hosts))
    }
}

/// True if `host` is `name` or a subdomain of it. After a `name` that ends with a dot, a
/// top-level domain of one or two labels of at most three letters follows: `co.uk`.
fn is_of(name: &str, host: &str) -> bool {
    if !name.ends_with('.') {
        let before = host.strip_suffix(name);
        return before.is_some_and(|before| before.is_empty() || before.ends_with('.'));
    }
    host.match_indices(name).any(|(at, _)| {
        let is_label = at == 0 || host[..at].ends_with('.');
        let mut labels = host[at + name.len()..].split('.');
        let is_short = |label: &str| (2..=3).contains(&label.len());
        is_label && labels.clone().count() <= 2 && labels.all(is_short)
    })
}

impl Url<'_> {
    /// The URL without the query parameters that only track its reader, such as `utm_source`
    /// and `fbclid`. `None` if it has none. Of a fragment, only one that consists of such
    /// parameters is removed. The other parameters stay as written, in their order.
    ///
    /// Only URLs of http and https are changed, and only by the rows of a table. Signed URLs
    /// are not changed, nor those whose path has another URL in it, nor pages to unsubscribe.
    ///
    /// ```
    /// use urlgrep::url::{Profile, validate};
    ///
    /// let url = b"https://shop.example/p/1?utm_source=x&id=1&fbclid=y";
    /// let url = validate(Profile::Current, url).unwrap();
    /// assert_eq!(url.clean().unwrap(), "https://shop.example/p/1?id=1");
    /// let url = validate(Profile::Current, b"https://shop.example/p/1?source=x").unwrap();
    /// assert_eq!(url.clean(), None);
    /// ```
    ///
    /// # Complexity
    ///
    /// Linear in the length.
    #[must_use]
    pub fn clean(&self) -> Option<String> {
        let (query, fragment) = (self.query(), self.fragment());
        if query.is_none() && fragment.is_none() || self.kind() != Kind::Http {
            return None;
        }
        let host = self.host()?.as_str().to_ascii_lowercase();
        let host = host.strip_suffix('.').unwrap_or(&host);
        let kept_query = query.and_then(|query| without_tracking(query, host));
        let kept_fragment = fragment.filter(|fragment| !only_tracks(fragment, host));
        let is_query_same = kept_query.as_deref() == query;
        if is_query_same && kept_fragment == fragment {
            return None;
        }
        // Few URLs come here, so these checks are the last.
        let path = self.path();
        if has_url(path) || is_of_reader(path) || query.is_some_and(is_signed) {
            return None;
        }
        let after = query.map_or(0, |query| query.len() + 1)
            + fragment.map_or(0, |fragment| fragment.len() + 1);
        let text = self.as_str();
        let mut out = text[..text.len().checked_sub(after)?].to_owned();
        for (mark, part) in [('?', kept_query.as_deref()), ('#', kept_fragment)] {
            if let Some(part) = part {
                out.push(mark);
                out.push_str(part);
            }
        }
        let is_valid = validate(self.profile(), out.as_bytes()).is_ok();
        is_valid.then_some(out)
    }
}

/// True if a text has the beginning of an unescaped or an escaped URL in it. Some programs
/// replace two slashes by one.
fn has_url(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let begins = ["http:/", "https:/", "http%3a", "https%3a"];
    begins.iter().any(|begin| text.contains(begin))
}

/// True for the path of a page that knows its reader by a parameter.
fn is_of_reader(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    OF_READER.iter().any(|word| path.contains(word))
}

/// True if a parameter of the query is a signature.
fn is_signed(query: &str) -> bool {
    query
        .split('&')
        .any(|parameter| SIGNATURES.contains(&&*name_of(parameter)))
}

/// The query without parameters that only track. `None` if nothing is left.
fn without_tracking<'q>(query: &'q str, host: &str) -> Option<Cow<'q, str>> {
    let tracks = |parameter: &str| TABLE.has(&name_of(parameter), host);
    // Fast path: most queries have no such parameter.
    if !query.is_empty() && !query.split(['&', '?']).any(tracks) {
        return Some(query.into());
    }
    let mut kept = Vec::new();
    let mut is_removed = false;
    let mut is_of_other = false;
    for parameter in query.split('&') {
        if is_of_other {
            kept.push(parameter);
            continue;
        }
        // Some programs append `?utm_source=…` to a URL that has a query already. After
        // another URL it may belong to that.
        let own = match parameter.split_once('?') {
            Some((own, appended)) if tracks(appended) && !has_url(own) => own,
            _ => parameter,
        };
        let is_whole = own.len() == parameter.len();
        if tracks(own) || own.is_empty() && !is_whole {
            is_removed = true;
        } else {
            kept.push(own);
            is_of_other = own.contains("://");
        }
    }
    if is_removed && kept.is_empty() {
        return None;
    }
    Some(kept.join("&").into())
}

/// True if all parameters of a fragment only track. Google Analytics and AT Internet read
/// theirs from there too.
fn only_tracks(fragment: &str, host: &str) -> bool {
    fragment
        .split('&')
        .all(|parameter| parameter.contains('=') && TABLE.has(&name_of(parameter), host))
}

/// The name of a parameter in lower case, without escapes.
fn name_of(parameter: &str) -> Cow<'_, str> {
    let end = memchr::memchr(b'=', parameter.as_bytes());
    let name = &parameter[..end.unwrap_or(parameter.len())];
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
    if name.bytes().all(is_plain) {
        return name.into();
    }
    let name = decoded(name);
    String::from_utf8_lossy(&name).to_ascii_lowercase().into()
}

#[cfg(test)]
mod tests {
    use super::super::profile::Profile;
    use super::*;

    #[test]
    fn the_table_has_rows_that_say_who() {
        let text = include_str!("tracking.txt");
        let rows: Vec<&str> = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect();
        assert!(rows.len() >= 40, "{}", rows.len());
        assert_eq!(
            TABLE.names.len() + TABLE.prefixes.len(),
            rows.len(),
            "a name twice"
        );
        for row in rows {
            let columns: Vec<&str> = row.split('|').map(str::trim).collect();
            assert_eq!(columns.len(), 3, "{row}");
            assert!(columns[2].len() > 4, "{row}: who sets it?");
            let lower = columns[..2]
                .iter()
                .all(|text| **text == *text.to_lowercase());
            assert!(lower && !columns[0].is_empty(), "{row}");
            // A name of one or two letters has other meanings elsewhere.
            assert!(columns[0].len() > 2 || !columns[1].is_empty(), "{row}");
        }
    }

    /// The rows of `testdata/clean.toml`.
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Rows {
        row: Vec<Row>,
    }

    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        url: String,
        /// The clean URL. Without it the URL stays as it is.
        clean: Option<String>,
        /// What the parameters decide on the page of a real site.
        decides: Option<String>,
        #[serde(rename = "why")]
        _why: Option<String>,
    }

    #[test]
    fn each_row_of_links() {
        let rows: Rows = toml::from_str(include_str!("../../../testdata/clean.toml")).unwrap();
        let stays = rows.row.iter().filter(|row| row.clean.is_none()).count();
        assert!(rows.row.len() >= 100 && stays >= 60, "{stays}");
        let decide = rows.row.iter().filter(|row| row.decides.is_some());
        assert!(decide.clone().count() >= 60);
        assert!(decide.clone().all(|row| row.clean.is_none()));
        for Row { url, clean, .. } in &rows.row {
            for profile in [Profile::Current, Profile::Iri] {
                let Ok(valid) = validate(profile, url.as_bytes()) else {
                    assert!(profile == Profile::Current && !url.is_ascii(), "{url}");
                    continue;
                };
                assert_eq!(valid.clean(), *clean, "{url}");
                if let Some(clean) = clean {
                    let again = validate(profile, clean.as_bytes()).unwrap();
                    assert_eq!(again.clean(), None, "{clean}: twice");
                }
            }
        }
    }
}
