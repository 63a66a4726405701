//! Filters of messages and hits: by date, sender, group, role, scheme, host and
//! pattern.
//!
//! The command, the Python package and the C library have the same filters, because
//! all of them give their options to [`Filter::new`] by name.
//!
//! ```
//! use urlgrep::filter::Filter;
//! use std::ops::ControlFlow;
//! use urlgrep::search::Searcher;
//!
//! let filter = Filter::new([("host", &["example.org".to_owned()][..])])?;
//! let mut urls = Vec::new();
//! Searcher::default().search_message(b"\nhttp://a.example/ http://www.example.org/\n", |m| {
//!     urls.extend(filter.accepts(m).then(|| m.hit.to_string()));
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(urls, ["http://www.example.org/"]);
//! # Ok::<(), urlgrep::filter::FilterError>(())
//! ```

mod given;
mod hosts;
mod message;
mod patterns;
mod people;

pub use given::FilterError;
use given::Given;
use hosts::{Hosts, list, schemes};
use message::Messages;
use patterns::{Edges, Patterns, Syntax};
use urlgrep_base::names::Set;
use urlgrep_base::words::words;
use urlgrep_mail::mime::{MessageInfo, Role, RoleKind};
use urlgrep_search::Match;
use urlgrep_url::Caution;

/// True for the roles that `authored` accepts. Header fields are not among them, because
/// nearly all their URLs come from list software and mail programs. A reply also
/// repeats the subject.
fn is_authored(role: RoleKind) -> bool {
    matches!(role, RoleKind::Body | RoleKind::Attachment)
}

/// Accepts or refuses messages and hits. Each thread needs a clone, because each
/// clone has its own scratch memory.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// No option was given.
    is_open: bool,
    messages: Messages,
    /// The wanted roles. Empty for all.
    roles: Set<RoleKind>,
    authored: bool,
    cautions: Cautions,
    patterns: Option<Patterns>,
    invert: bool,
    /// The wanted schemes, in lower case. Empty for all schemes.
    schemes: Vec<String>,
    not_schemes: Vec<String>,
    hosts: Option<Hosts>,
    not_hosts: Option<Hosts>,
}

impl Filter {
    /// The names of all options. `urlgrep --help` describes them.
    pub const OPTIONS: &[&str] = &words::<25>(
        "authored cautions exclude_from exclude_host exclude_scheme exclude_subject exclude_to \
         fixed_strings from group host ignore_case invert_match line_regexp message_id regexp \
         role scheme since skip_deleted smart_case subject to until word_regexp",
    );

    /// The filter for these options and their values. They mean the same as in the
    /// command: `("host", ["a.example", "*.org"])` accepts hits that `--host
    /// a.example --host '*.org'` accepts. The value of a flag is `true`. With the
    /// option `regexp` and no pattern, no hit is accepted.
    ///
    /// # Errors
    ///
    /// There is no such option, a value is malformed, or no hit can pass the filter.
    pub fn new<'o>(
        options: impl IntoIterator<Item = (&'o str, &'o [String])>,
    ) -> Result<Filter, FilterError> {
        let given = Given(options.into_iter().collect());
        let mut names = given.0.iter().map(|(name, _)| *name);
        if let Some(name) = names.find(|name| !Filter::OPTIONS.contains(name)) {
            return Err(FilterError::new(format!("{name}: no such option")));
        }
        let syntax = Syntax {
            fixed: given.flag("fixed_strings")?,
            ignore_case: given.flag("ignore_case")?,
            smart_case: given.flag("smart_case")?,
            edges: match (given.flag("line_regexp")?, given.flag("word_regexp")?) {
                (true, _) => Edges::Url,
                (false, true) => Edges::Word,
                (false, false) => Edges::Anything,
            },
        };
        let has_patterns = given.0.iter().any(|(name, _)| *name == "regexp");
        let patterns: Vec<&String> = given.all("regexp").iter().collect();
        let filter = Filter {
            is_open: given.0.is_empty(),
            messages: Messages::new(&given, syntax.of_text())?,
            roles: roles(given.all("role"))?,
            authored: given.flag("authored")?,
            cautions: Cautions::new(given.all("cautions"))?,
            patterns: has_patterns
                .then(|| Patterns::new(&patterns, syntax))
                .transpose()?,
            invert: given.flag("invert_match")?,
            schemes: schemes("--scheme", given.all("scheme"))?,
            not_schemes: schemes("--exclude-scheme", given.all("exclude_scheme"))?,
            hosts: Hosts::new("--host", given.all("host"))?,
            not_hosts: Hosts::new("--exclude-host", given.all("exclude_host"))?,
        };
        filter.check(&given)?;
        Ok(filter)
    }

    /// Refuses filters that no hit can pass.
    fn check(&self, given: &Given<'_>) -> Result<(), FilterError> {
        let (roles, schemes) = (&self.roles, &self.schemes);
        if self.authored && !roles.is_empty() && !roles.iter().any(is_authored) {
            return Err(FilterError::new(format!(
                "--authored leaves out every role of --role {}",
                given.all("role").join(",")
            )));
        }
        if !schemes.is_empty() && schemes.iter().all(|s| self.not_schemes.contains(s)) {
            return Err(FilterError::new(
                "--exclude-scheme excludes every scheme of --scheme",
            ));
        }
        Ok(())
    }

    /// True if the filter needs decoded messages, with their parts and header fields:
    /// [`SearcherBuilder::details`](urlgrep_search::SearcherBuilder::details).
    #[doc(hidden)]
    #[must_use]
    pub fn needs_messages(&self) -> bool {
        self.messages.is_given()
            || self.messages.excludes()
            || !self.roles.is_empty()
            || self.authored
    }

    /// True if hits of this message are wanted. A message without a readable date
    /// passes neither `since` nor `until`.
    #[must_use]
    pub fn accepts_message(&self, message: &MessageInfo) -> bool {
        self.messages.accept(message)
    }

    /// True if the hit is wanted. The caller refuses the hits of messages that
    /// [`Filter::accepts_message`] does not accept.
    #[must_use]
    pub fn accepts(&self, found: &Match<'_>) -> bool {
        if self.is_open {
            return true;
        }
        // Text outside messages is body, and has neither date nor group.
        let (role, is_text) = match found.message {
            Some(_) => (found.role(), false),
            None => (Some(Role::Body), true),
        };
        self.accepts_role(role)
            && !(is_text && self.messages.is_given())
            && self.cautions.accept(found)
            && (self.is_of_no_url() || self.accepts_url(found) != self.invert)
    }

    fn accepts_role(&self, role: Option<Role>) -> bool {
        let Some(role) = role.map(Role::kind) else {
            return self.roles.is_empty();
        };
        (!self.authored || is_authored(role)) && (self.roles.is_empty() || self.roles.has(role))
    }

    /// True if no option is about URLs.
    fn is_of_no_url(&self) -> bool {
        self.patterns.is_none()
            && self.schemes.is_empty()
            && self.not_schemes.is_empty()
            && self.hosts.is_none()
            && self.not_hosts.is_none()
    }

    /// True if the URL passes all filters. Only text that the grammar accepts has a
    /// host. The scheme of refused text is the text before its first colon.
    fn accepts_url(&self, found: &Match<'_>) -> bool {
        let hit = found.hit;
        let text = hit.text();
        let end = memchr::memchr(b':', text).unwrap_or(text.len());
        let is_own = |name: &String| name.as_bytes().eq_ignore_ascii_case(&text[..end]);
        let among = |names: &[String]| names.iter().any(is_own);
        if among(&self.not_schemes) || !(self.schemes.is_empty() || among(&self.schemes)) {
            return false;
        }
        if self.hosts.is_some() || self.not_hosts.is_some() {
            let host = hit.url().ok().and_then(|url| url.host());
            let among =
                |hosts: &Hosts| host.is_some_and(|host| hosts.accept(host.as_str().as_bytes()));
            if !self.hosts.as_ref().is_none_or(among) || self.not_hosts.as_ref().is_some_and(among)
            {
                return false;
            }
        }
        self.patterns.as_ref().is_none_or(|patterns| {
            patterns.accept(text) || hit.url().is_ok_and(|url| patterns.accept_whole(&url))
        })
    }

    /// The wanted period of messages, in seconds since the epoch.
    #[doc(hidden)]
    pub fn period(&self) -> (Option<i64>, Option<i64>) {
        self.messages.period
    }

    /// Each wanted URL has one of these schemes. Empty if any scheme may be wanted.
    #[doc(hidden)]
    pub fn plain_schemes(&self) -> Vec<String> {
        if self.invert {
            Vec::new()
        } else {
            self.schemes.clone()
        }
    }

    /// The host of each wanted URL is one of these or a subdomain of one. Empty if
    /// any host may be wanted.
    #[doc(hidden)]
    pub fn plain_hosts(&self) -> Vec<String> {
        match &self.hosts {
            Some(hosts) if !self.invert => hosts.domains.clone(),
            _ => Vec::new(),
        }
    }
}

/// The wanted cautions.
#[derive(Clone, Copy, Debug, Default)]
enum Cautions {
    /// The hit may have any, or none.
    #[default]
    Any,
    /// The hit has a caution.
    Some,
    /// The hit has one of these.
    OneOf(Set<Caution>),
}

impl Cautions {
    /// The value is `true`, `false`, or names of cautions.
    fn new(typed: &[String]) -> Result<Cautions, FilterError> {
        let caution = |name: &str| {
            Caution::from_name(name).ok_or_else(|| {
                let names: Vec<_> = Caution::ALL.iter().map(|one| one.name()).collect();
                let names = names.join(", ");
                FilterError::new(format!(
                    "--cautions {name}: there is no such caution; they are {names}"
                ))
            })
        };
        match typed {
            [] => Ok(Cautions::Any),
            [value] if value == "false" => Ok(Cautions::Any),
            [value] if value == "true" => Ok(Cautions::Some),
            names => {
                let names = names.iter().flat_map(|typed| list(typed));
                names
                    .map(caution)
                    .collect::<Result<_, _>>()
                    .map(Cautions::OneOf)
            }
        }
    }

    fn accept(self, found: &Match<'_>) -> bool {
        match self {
            Cautions::Any => true,
            Cautions::Some => !found.cautions().is_empty(),
            Cautions::OneOf(wanted) => found.cautions().iter().any(|one| wanted.has(one)),
        }
    }
}

fn roles(typed: &[String]) -> Result<Set<RoleKind>, FilterError> {
    let role = |name: &str| {
        RoleKind::from_name(name)
            .ok_or_else(|| FilterError::new(format!("--role {name}: there is no such role")))
    };
    typed
        .iter()
        .flat_map(|typed| list(typed))
        .map(role)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use urlgrep_containers::{Container, Position};
    use urlgrep_search::Searcher;

    /// The URLs that a filter accepts in a message and in a text.
    fn accepted(options: &[(&str, &[&str])]) -> Result<Vec<String>, FilterError> {
        let owned = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
        let owned: Vec<(_, Vec<_>)> = options.iter().map(|(n, v)| (*n, owned(v))).collect();
        let filter = Filter::new(owned.iter().map(|(name, values)| (*name, &values[..])))?;
        let mut urls = Vec::new();
        let mut take = |found: &Match<'_>| {
            let is_wanted = found.message.is_none_or(|m| filter.accepts_message(m.info));
            let is_wanted = is_wanted && filter.accepts(found);
            urls.extend(is_wanted.then(|| found.hit.to_string()));
            ControlFlow::Continue(())
        };
        let mut searcher = Searcher::builder().details(true).build();
        let message = b"From: ann@a.example\nDate: 1 Jan 1998 00:00:00 GMT\n\n> http://b.example/\nhttp://c.example/\n";
        let _ = searcher.visit_message(message, &mut take);
        let start = Position::START;
        let _ = searcher.search(Container::Text, start, b"ftp://d.example/\n", &mut take);
        Ok(urls)
    }

    #[test]
    fn globs_of_subdomains_name_their_domain() {
        let rows: [(&[&str], &[&str]); 5] = [
            (&["A.example,*.b.example."], &["a.example", "b.example"]),
            (&["*.b.example,c*.example"], &[]),
            (&["*b.example"], &[]),
            (&["*.*"], &[]),
            (&["[::1]", "2::1"], &["[::1]", "[2::1]"]),
        ];
        for (typed, domains) in rows {
            let typed: Vec<_> = typed.iter().map(|&value| value.to_owned()).collect();
            let filter = Filter::new([("host", &typed[..])]).unwrap();
            assert_eq!(filter.plain_hosts(), domains, "{typed:?}");
        }
    }

    #[test]
    fn options_by_name() {
        let (b, c, d) = ("http://b.example/", "http://c.example/", "ftp://d.example/");
        type Row<'a> = (&'a [(&'a str, &'a [&'a str])], &'a [&'a str]);
        let rows: [Row<'_>; 15] = [
            (&[], &[b, c, d]),
            (&[("host", &["d.example, c.example", "x"])], &[c, d]),
            (&[("scheme", &["ftp,mailto"])], &[d]),
            (&[("role", &["quoted"])], &[b]),
            (&[("role", &["quoted, body"])], &[b, c, d]),
            (&[("authored", &["true"])], &[c, d]),
            (&[("authored", &["false"])], &[b, c, d]),
            (&[("cautions", &["true"])], &[]),
            (&[("cautions", &["false"])], &[b, c, d]),
            (&[("cautions", &["punycode, password"])], &[]),
            (&[("since", &["1998"]), ("until", &["1998-02"])], &[b, c]),
            (&[("from", &["^ann"])], &[b, c]),
            (
                &[("regexp", &["[BD]"]), ("ignore_case", &["true"])],
                &[b, d],
            ),
            (&[("regexp", &[])], &[]),
            (&[("regexp", &["b"]), ("invert_match", &["true"])], &[c, d]),
        ];
        for (options, urls) in rows {
            assert_eq!(accepted(options).unwrap(), urls, "{options:?}");
        }
        let error = accepted(&[("cautions", &["phish"])]).unwrap_err();
        let start = "--cautions phish: there is no such caution; they are password, user, ";
        assert!(error.to_string().starts_with(start), "{error}");
        for (options, error) in [
            (("hosts", &["a"][..]), "hosts: no such option"),
            (("authored", &["yes"]), "--authored: true or false"),
            (("since", &["1998", "1999"]), "--since: one value only"),
            (
                ("role", &["bodies"]),
                "--role bodies: there is no such role",
            ),
        ] {
            assert_eq!(accepted(&[options]).unwrap_err().to_string(), error);
        }
    }
}
