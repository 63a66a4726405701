//! Patterns of URLs and header fields.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use regex_automata::{meta, util::syntax};
use urlgrep_url::{Profile, Url, validate};

use super::given::FilterError;

/// The maximum size of a compiled set of patterns in bytes. It is ten times the
/// default of one pattern.
const REGEX_SIZE: usize = 100 << 20;

/// The number of patterns that are compiled together. Compiling a set is
/// quadratic in its patterns, and the states of a large set exceed the cache of
/// its automaton: 20,000 names of hosts took 2.3 s to compile and 13 ms a URL in
/// one set, 0.7 s and 0.5 ms in sets of 1,000.
const TOGETHER: usize = 1000;

/// Patterns of URLs.
#[derive(Clone, Debug)]
pub struct Patterns {
    as_written: PatternSet,
    /// Copies of the patterns that have upper case before their first single
    /// `/`. In the copies this part is in lower case.
    lowered: PatternSet,
    /// The patterns that are whole URLs, in canonical form: of plain strings with `-x`.
    whole: HashSet<String>,
}

/// Searches for all patterns at once. Time is linear in the text.
#[derive(Clone, Debug)]
enum PatternSet {
    Regex(Vec<meta::Regex>),
    /// Plain strings. A regex set of the same strings is slower: 200,000 of them
    /// took 81 s.
    Fixed {
        strings: AhoCorasick,
        edges: Edges,
    },
}

/// The condition on the bytes around a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edges {
    Anything,
    /// `-w`: no letter, digit or `_` is next to the match.
    Word,
    /// `-x`: the match is the whole URL.
    Url,
}

/// The syntax options of patterns.
#[derive(Clone, Copy, Debug)]
pub struct Syntax {
    pub fixed: bool,
    pub ignore_case: bool,
    pub smart_case: bool,
    pub edges: Edges,
}

impl Syntax {
    /// The syntax options of patterns for header fields. A field is no URL, so `-x` has no
    /// effect on it.
    pub fn of_text(self) -> Syntax {
        let edges = if self.edges == Edges::Word {
            Edges::Word
        } else {
            Edges::Anything
        };
        Syntax { edges, ..self }
    }

    /// True if these patterns ignore case. With `-S` they do if they have no
    /// upper case letter. A letter after a backslash does not count, because it
    /// is the name of a class.
    fn ignores_case(self, patterns: &[&String]) -> bool {
        let is_lower = |pattern: &&String| {
            let mut escaped = false;
            pattern.chars().all(|c| {
                let is_name = escaped && !self.fixed;
                escaped = c == '\\' && !escaped;
                is_name || !c.is_uppercase()
            })
        };
        self.ignore_case || (self.smart_case && patterns.iter().all(is_lower))
    }

    /// The regular expression of a pattern.
    pub fn regex(self, text: &str) -> String {
        let text = if self.fixed {
            regex::escape(text)
        } else {
            text.to_owned()
        };
        match self.edges {
            Edges::Anything => text,
            // Half boundaries, as in ripgrep: `-w` also finds a pattern that
            // begins or ends with punctuation.
            Edges::Word => format!(r"\b{{start-half}}(?:{text})\b{{end-half}}"),
            Edges::Url => format!("^(?:{text})$"),
        }
    }
}

impl Patterns {
    /// Matches if any of `patterns` matches. An empty list matches nothing,
    /// like an empty pattern file in grep.
    ///
    /// # Errors
    ///
    /// A pattern is malformed, or there are too many.
    pub fn new(patterns: &[&String], syntax: Syntax) -> Result<Patterns, FilterError> {
        let ignore_case = syntax.ignores_case(patterns);
        let lowered: Vec<String> = if ignore_case {
            Vec::new()
        } else {
            patterns
                .iter()
                .filter_map(|p| lower_pattern(p, syntax.fixed))
                .collect()
        };
        for pattern in patterns {
            check_glob("pattern", pattern, syntax)?;
        }
        Ok(Patterns {
            as_written: PatternSet::new(patterns, syntax, ignore_case)?,
            lowered: PatternSet::new(&lowered.iter().collect::<Vec<_>>(), syntax, false)?,
            whole: if syntax.fixed && syntax.edges == Edges::Url {
                let urls = patterns.iter().filter_map(|p| canonical(p.as_bytes()));
                urls.collect()
            } else {
                HashSet::new()
            },
        })
    }

    /// True if a pattern is another spelling of the whole URL. Lists of URLs that other programs
    /// have read, and `--tally=url`, have the canonical form.
    pub fn accept_whole(&self, url: &Url<'_>) -> bool {
        !self.whole.is_empty() && self.whole.contains(&url.canonical())
    }

    /// True if a pattern matches the URL. Case is ignored in the scheme and the
    /// host (RFC 3986, section 6.2.2.1).
    pub fn accept(&self, url: &[u8]) -> bool {
        if self.as_written.is_match(url) {
            return true;
        }
        let lower = lower(url);
        lower
            .as_ref()
            .is_some_and(|url| self.as_written.is_match(url))
            || self
                .lowered
                .starts_before(host(url).end, lower.as_deref().unwrap_or(url))
    }
}

impl PatternSet {
    fn new(
        patterns: &[&String],
        syntax: Syntax,
        ignore_case: bool,
    ) -> Result<PatternSet, FilterError> {
        // Only the regex engine ignores the case of letters beyond ASCII.
        if syntax.fixed && (!ignore_case || patterns.iter().all(|p| p.is_ascii())) {
            let edges = syntax.edges;
            let marked = patterns.iter().map(|p| edges.mark_pattern(p));
            let mut marked: Vec<_> = marked.collect();
            if ignore_case {
                for pattern in &mut marked {
                    pattern.make_ascii_lowercase();
                }
            }
            // A pattern that begins with another one accepts no more URLs. With
            // such patterns `AhoCorasick` takes quadratic time to compile.
            marked.sort_unstable();
            marked.dedup_by(|next, kept| next.starts_with(kept));
            let strings = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostFirst)
                .ascii_case_insensitive(ignore_case)
                .build(marked)
                .map_err(malformed)?;
            return Ok(PatternSet::Fixed { strings, edges });
        }
        let config = meta::Config::new()
            .nfa_size_limit(Some(REGEX_SIZE))
            .utf8_empty(false);
        let parser = syntax::Config::new()
            .case_insensitive(ignore_case)
            .utf8(false);
        let compile = |patterns: &[&String]| {
            let patterns: Vec<_> = patterns.iter().map(|p| syntax.regex(p)).collect();
            let mut builder = meta::Builder::new();
            builder.configure(config.clone()).syntax(parser);
            builder.build_many(&patterns).map_err(malformed_regex)
        };
        let sets = patterns.chunks(TOGETHER).map(compile);
        sets.collect::<Result<_, _>>().map(PatternSet::Regex)
    }

    fn is_match(&self, text: &[u8]) -> bool {
        match self {
            PatternSet::Regex(sets) => sets.iter().any(|set| set.is_match(text)),
            PatternSet::Fixed { strings, edges } => strings.is_match(&*edges.mark(text)),
        }
    }

    /// True if a match in `text` starts before `end`.
    fn starts_before(&self, end: usize, text: &[u8]) -> bool {
        match self {
            PatternSet::Regex(sets) => sets
                .iter()
                .any(|set| set.find(text).is_some_and(|found| found.start() < end)),
            PatternSet::Fixed { strings, edges } => {
                let marked = edges.mark(text);
                let is_mark = |b: &&u8| **b >= BEGIN && *edges != Edges::Anything;
                strings.find(&*marked).is_some_and(|found| {
                    let marks = marked[..found.start()].iter().filter(is_mark).count();
                    found.start() - marks < end
                })
            }
        }
    }
}

/// The error as [`regex`] words it, with the pattern at fault.
fn malformed_regex(error: meta::BuildError) -> FilterError {
    match (error.size_limit(), error.syntax_error()) {
        (Some(limit), _) => malformed(regex::Error::CompiledTooBig(limit)),
        (_, Some(syntax)) => FilterError::of_regex(format!("pattern: {syntax}")),
        _ => malformed(error),
    }
}

/// Refuses a pattern that begins with `*`. It is written as a glob, and is no regular
/// expression.
pub fn check_glob(option: &str, pattern: &str, syntax: Syntax) -> Result<(), FilterError> {
    if syntax.fixed || !pattern.starts_with('*') {
        return Ok(());
    }
    Err(FilterError::new(format!(
        "{option} {pattern}: a pattern is a regular expression, so leave out the first `*`"
    )))
}

fn malformed(e: impl std::fmt::Display) -> FilterError {
    FilterError::new(format!("pattern: {e}"))
}

/// `pattern` with lower case before its first single `/`. `None` if there is no
/// upper case. Classes (`\W`, `\p{Lu}`) and flags (`(?U)`) are unchanged.
fn lower_pattern(pattern: &str, fixed: bool) -> Option<String> {
    let mut lowered = String::with_capacity(pattern.len());
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(c) = rest.chars().next() {
        let kept = match rest.as_bytes() {
            [b'/', b'/', ..] => 2,
            [b'/', ..] if !in_class => rest.len(),
            _ if fixed => 0,
            [b'\\', b'p' | b'P' | b'x' | b'u' | b'U', b'{', ..] => {
                rest.find('}').map_or(rest.len(), |at| at + 1)
            }
            [b'\\', ..] => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            [b'(', b'?', ..] => rest.find([':', ')', '>']).map_or(rest.len(), |at| at + 1),
            _ => 0,
        };
        if kept == 0 {
            in_class = !fixed && (c == '[' || in_class && c != ']');
            lowered.push(c.to_ascii_lowercase());
            rest = &rest[c.len_utf8()..];
        } else {
            lowered.push_str(&rest[..kept]);
            rest = &rest[kept..];
        }
    }
    (lowered != pattern).then_some(lowered)
}

/// Marks of [`Edges`] in a text: a match may begin or end here. They are not in
/// UTF-8.
const BEGIN: u8 = 0xFE;
const END: u8 = 0xFF;

impl Edges {
    /// `text` with marks at the places at which a match may begin or end. So a
    /// string with marks at its ends occurs only there, and one search for all
    /// strings is enough.
    fn mark(self, text: &[u8]) -> Cow<'_, [u8]> {
        if self == Edges::Anything {
            return Cow::Borrowed(text);
        }
        let is_word = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let mut marked = Vec::with_capacity(2 * text.len());
        for at in 0..=text.len() {
            let (before, after) = (text[..at].last(), text.get(at));
            let (begins, ends) = match self {
                Edges::Url => (before.is_none(), after.is_none()),
                _ => (!is_word(before), !is_word(after)),
            };
            marked.extend(ends.then_some(END));
            marked.extend(begins.then_some(BEGIN));
            // Bytes that are not UTF-8 are in no pattern.
            marked.extend(after.map(|&b| b.min(BEGIN - 1)));
        }
        Cow::Owned(marked)
    }

    /// A plain pattern with marks at its ends.
    fn mark_pattern(self, pattern: &str) -> Vec<u8> {
        let mut marked = self.mark(pattern.as_bytes()).into_owned();
        if !pattern.is_empty() && self != Edges::Anything {
            marked.pop_if(|last| *last == BEGIN);
            let outside = usize::from(marked.first() == Some(&END));
            marked.drain(..outside);
        }
        marked
    }
}

/// The canonical form of a URL that somebody typed. `None` if it is none.
fn canonical(url: &[u8]) -> Option<String> {
    let url = validate(Profile::Iri, url).ok()?;
    Some(url.canonical())
}

/// The range of the host in a URL. Without a host the range is empty, at the
/// end of the scheme.
fn host(url: &[u8]) -> Range<usize> {
    let scheme = memchr::memchr(b':', url).unwrap_or(0);
    if !url[scheme..].starts_with(b"://") {
        return scheme..scheme;
    }
    let start = scheme + 3;
    let rest = &url[start..];
    let len = rest.iter().position(|b| b"/?#".contains(b));
    let end = start + len.unwrap_or(rest.len());
    let user = memchr::memrchr(b'@', &url[start..end]).map_or(0, |at| at + 1);
    start + user..end
}

/// The URL with its scheme and host in lower case. `None` if they already are.
fn lower(url: &[u8]) -> Option<Vec<u8>> {
    let scheme = memchr::memchr(b':', url)?;
    let host = host(url);
    if !url[..host.end].iter().any(u8::is_ascii_uppercase) {
        return None;
    }
    let mut url = url.to_vec();
    url[..scheme].make_ascii_lowercase();
    url[host].make_ascii_lowercase();
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `how` has the options for fixed strings, for ignoring case and for smart
    /// case (`-S`), and the condition on the ends.
    fn make(patterns: &[&str], how: (bool, bool, bool, Edges)) -> Result<Patterns, FilterError> {
        let patterns: Vec<String> = patterns.iter().map(|s| (*s).to_owned()).collect();
        let (fixed, ignore_case, smart_case, edges) = how;
        let syntax = Syntax {
            fixed,
            ignore_case,
            smart_case,
            edges,
        };
        Patterns::new(&patterns.iter().collect::<Vec<_>>(), syntax)
    }

    #[test]
    fn patterns_are_joined() {
        let plain =
            |patterns: &[&str], fixed, case| make(patterns, (fixed, case, false, Edges::Anything));
        let re = plain(&["^a", "(?x) b # comment", "c$"], false, true).unwrap();
        assert!(
            re.as_written.is_match(b"Ax")
                && re.as_written.is_match(b"xbx")
                && re.as_written.is_match(b"xC")
                && !re.as_written.is_match(b"xcx")
        );
        assert!(plain(&["a)(b"], false, false).is_err());
        let re = plain(&["a.b", "("], true, false).unwrap();
        assert!(
            re.as_written.is_match(b"xa.bx")
                && re.as_written.is_match(b"(")
                && !re.as_written.is_match(b"aXb")
        );
        for fixed in [false, true] {
            assert!(!plain(&[], fixed, false).unwrap().as_written.is_match(b""));
            assert!(plain(&[""], fixed, false).unwrap().as_written.is_match(b""));
            let re = plain(&["É", "b.c"], fixed, true).unwrap();
            assert!(re.as_written.is_match("xé".as_bytes()) && re.as_written.is_match(b"xB.Cx"));
        }
        assert!(
            plain(&["B.c"], true, true)
                .unwrap()
                .as_written
                .is_match(b"xb.Cx")
        );
    }

    #[test]
    fn edges_and_smart_case() {
        for fixed in [false, true] {
            let word = make(&["ab", "/c"], (fixed, false, false, Edges::Word)).unwrap();
            for yes in ["x/ab/", "ab", "abb-ab", "x.ab_.ab", "-/c."] {
                assert!(word.as_written.is_match(yes.as_bytes()), "{fixed} {yes}");
            }
            for no in ["abb", "ab_", "b/c", "x/c."] {
                assert!(!word.as_written.is_match(no.as_bytes()), "{fixed} {no}");
            }
            let whole = make(&["ab", "b"], (fixed, false, false, Edges::Url)).unwrap();
            assert!(
                whole.as_written.is_match(b"ab")
                    && whole.as_written.is_match(b"b")
                    && !whole.as_written.is_match(b"abb")
            );
            let smart = |p: &[&str], text: &str| {
                let re = make(p, (fixed, false, true, Edges::Anything)).unwrap();
                re.as_written.is_match(text.as_bytes())
            };
            assert!(smart(&["ab", "c"], "AB") && !smart(&["ab", "C"], "AB"));
            assert_eq!(smart(&["\\W"], "\\w") || smart(&["\\W"], "."), !fixed);
        }
        let smart = make(&["a\\Wb"], (false, false, true, Edges::Anything)).unwrap();
        assert!(smart.as_written.is_match(b"A.B"));
    }

    /// Plain strings match where the same regexes do, also if one begins with
    /// another.
    #[test]
    fn plain_strings_are_regexes() {
        let words = |most: usize| {
            let mut all = vec![String::new()];
            for at in 0.. {
                if all[at].len() == most {
                    return all;
                }
                all.extend(["a", "B", "-"].map(|c| all[at].clone() + c));
            }
            all
        };
        let texts = words(4);
        for (one, edges) in words(2)
            .iter()
            .flat_map(|one| [Edges::Anything, Edges::Word, Edges::Url].map(|edges| (one, edges)))
        {
            for other in words(2) {
                let patterns = [one, &other];
                let both = [true, false].map(|fixed| {
                    let all = patterns.map(String::as_str);
                    make(&all, (fixed, false, false, edges)).unwrap()
                });
                for text in &texts {
                    let [fixed, regex] = &both;
                    let url = format!("x://a{text}/{text}");
                    for text in [text, &url].map(|text| text.as_bytes()) {
                        let is =
                            [fixed, regex].map(|p| (p.as_written.is_match(text), p.accept(text)));
                        assert_eq!(is[0], is[1], "{patterns:?} {edges:?} {text:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn whole_urls_are_compared_in_canonical_form() {
        let url = |text: &'static str| validate(Profile::Iri, text.as_bytes()).unwrap();
        let patterns = ["http://A.example", "ftp://b.example/%7ea", "no url"];
        let whole = make(&patterns, (true, false, false, Edges::Url)).unwrap();
        for yes in [
            "http://a.example/",
            "HTTP://a.example:80/",
            "ftp://b.example/~a",
        ] {
            assert!(whole.accept_whole(&url(yes)), "{yes}");
        }
        for no in [
            "http://a.example/x",
            "https://a.example/",
            "ftp://b.example/~A",
        ] {
            assert!(!whole.accept_whole(&url(no)), "{no}");
        }
        for how in [
            (false, false, false, Edges::Url),
            (true, false, false, Edges::Anything),
        ] {
            let other = make(&patterns, how).unwrap();
            assert!(!other.accept_whole(&url("http://a.example/")));
        }
    }

    #[test]
    fn the_case_of_scheme_and_host_means_nothing() {
        let re = make(
            &["^http://joe@example.org/"],
            (false, false, false, Edges::Anything),
        );
        let re = re.unwrap();
        assert!(re.accept(b"HTTP://joe@Example.ORG/x"));
        assert!(!re.accept(b"HTTP://Joe@Example.ORG/x") && !re.accept(b"http://b/http://A/"));
        let re = make(&["Org/X"], (true, false, false, Edges::Anything)).unwrap();
        assert!(re.accept(b"http://a.Org/X") && re.accept(b"http://a.org/X"));
        assert!(!re.accept(b"http://a.org/x") && !re.accept(b"http://b/x.org/X"));
        for (pattern, yes, no) in [
            ("EXAMPLE.org", "http://example.ORG/", "http://a/example.org"),
            ("^HTTP://[^/]*\\.EDU/A", "http://a.edu/A", "http://a.edu/a"),
            ("(?i:B)\\W(EDU|ORG)$", "http://b.org", "http://b.org/"),
            ("A\\p{Lu}", "http://AB/", "http://ab/"),
            ("(?x) B.org # a comment", "http://b.org/", "http://a/b.org"),
            ("Path", "http://a/Path", "http://a/path"),
        ] {
            let re = make(&[pattern], (false, false, false, Edges::Anything)).unwrap();
            assert!(
                re.accept(yes.as_bytes()) && !re.accept(no.as_bytes()),
                "{pattern}"
            );
        }
        for edges in [Edges::Anything, Edges::Word] {
            let re = make(&["A.org", "b"], (true, false, false, edges)).unwrap();
            assert!(re.accept(b"http://x.a.org/-/") && !re.accept(b"http://x.y/-.a.org"));
        }
        let re = make(&["HTTP://A.org/X"], (true, false, true, Edges::Url)).unwrap();
        assert!(re.accept(b"http://a.org/X") && !re.accept(b"http://a.org/X/"));
        assert_eq!(lower(b"a://b/C"), None);
        assert_eq!(lower(b"A:C").unwrap(), b"a:C");
    }
}
