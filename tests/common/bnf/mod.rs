//! The BNF of the documents, as data. The generators derive URLs from it. The
//! regular expressions of the oracles are built from it. This file does not use
//! the crate.
//!
//! A grammar is a list of lines in the notation of RFC 1738 section 5:
//!
//! * literals are in double quotes
//! * `|` is between alternatives
//! * `[ ]` is around optional parts
//! * `<n>*<m>` is before repeated parts
//! * `%xNN-NN` is a range (RFC 5234)
//! * `;` starts a comment
//!
//! If a line differs from the document, a comment above it names the ruling of
//! docs/profiles.md. The literal of a scheme with its colon matches in any case
//! (ruling 1). Productions must not be recursive. `x = y [ x ]` of the first three
//! drafts is written as a repetition.

mod documents;

use std::collections::HashMap;

pub use documents::all;

/// A production's right side.
#[derive(Clone, Debug)]
enum Expr {
    /// A literal. If true, its case is ignored.
    Text(Vec<u8>, bool),
    /// One byte of these.
    Set(Vec<u8>),
    Name(String),
    Seq(Vec<Expr>),
    Alt(Vec<Expr>),
    Repeat(usize, Option<usize>, Box<Expr>),
}

/// A document: its productions, and the production of each scheme.
pub struct Grammar {
    rules: HashMap<String, Expr>,
    /// A scheme in lower case, and its production, or `None` if no URL of that
    /// scheme is valid. True if the production is exact, false if it does not
    /// produce all valid URLs.
    pub schemes: Vec<(&'static str, Option<&'static str>, bool)>,
    /// The production of any other scheme.
    pub generic: &'static str,
    /// The production of the fragment.
    pub fragment: &'static str,
}

impl Grammar {
    fn new(
        lines: &[&str],
        schemes: &[(&'static str, &'static str)],
        generic: &'static str,
        fragment: &'static str,
    ) -> Grammar {
        let mut rules = HashMap::new();
        for text in lines {
            for (name, side) in productions(text) {
                let mut tokens = tokens(&side);
                tokens.reverse();
                let expr = alternatives(&mut tokens);
                assert!(tokens.is_empty(), "{name}: {tokens:?} is left");
                assert!(
                    rules.insert(name.clone(), expr).is_none(),
                    "{name} is defined twice"
                );
            }
        }
        let schemes = schemes.iter().map(|&(scheme, rule)| match rule {
            "" => (scheme, None, true),
            rule => match rule.strip_prefix('~') {
                Some(some) => (scheme, Some(some), false),
                None => (scheme, Some(rule), true),
            },
        });
        let mut grammar = Grammar {
            rules,
            schemes: schemes.collect(),
            generic,
            fragment,
        };
        let simple = grammar.rules.iter();
        let simple = simple.map(|(name, expr)| (name.clone(), grammar.simple(expr)));
        grammar.rules = simple.collect();
        grammar
    }

    /// The productions from which URLs can be derived.
    fn roots(&self) -> Vec<&'static str> {
        let named = self.schemes.iter().filter_map(|row| row.1);
        named.chain([self.generic]).collect()
    }

    fn rule(&self, name: &str) -> &Expr {
        self.rules
            .get(name)
            .unwrap_or_else(|| panic!("no production {name}"))
    }

    /// Simplifies `expr`: a choice between single bytes becomes one set, and nested
    /// alternatives become one list.
    fn simple(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Text(text, false) if text.len() == 1 => Expr::Set(text.clone()),
            Expr::Text(..) | Expr::Set(_) => expr.clone(),
            Expr::Name(name) => match self.simple(self.rule(name)) {
                simple @ (Expr::Set(_) | Expr::Alt(_)) => simple,
                _ => expr.clone(),
            },
            Expr::Seq(all) => Expr::Seq(all.iter().map(|one| self.simple(one)).collect()),
            Expr::Repeat(least, most, one) => {
                Expr::Repeat(*least, *most, Box::new(self.simple(one)))
            }
            Expr::Alt(all) => {
                let (mut set, mut others) = (vec![], vec![]);
                let all = all.iter().flat_map(|one| match self.simple(one) {
                    Expr::Alt(inner) => inner,
                    one => vec![one],
                });
                for one in all {
                    match one {
                        Expr::Set(bytes) => set.extend(bytes),
                        one => others.push(one),
                    }
                }
                set.sort();
                set.dedup();
                if !set.is_empty() {
                    others.insert(0, Expr::Set(set));
                }
                if others.len() == 1 {
                    others.remove(0)
                } else {
                    Expr::Alt(others)
                }
            }
        }
    }

    /// A regular expression (of bytes, without Unicode) for a production.
    pub fn regex(&self, name: &str) -> String {
        self.regex_of(self.rule(name))
    }

    fn regex_of(&self, expr: &Expr) -> String {
        match expr {
            Expr::Text(text, caseless) => {
                let text: String = text.iter().map(|b| format!("\\x{b:02x}")).collect();
                if *caseless {
                    format!("(?i:{text})")
                } else {
                    format!("(?:{text})")
                }
            }
            Expr::Set(set) => {
                let bytes: String = set.iter().map(|b| format!("\\x{b:02x}")).collect();
                format!("[{bytes}]")
            }
            Expr::Name(name) => self.regex(name),
            Expr::Seq(all) => all.iter().map(|one| self.regex_of(one)).collect(),
            Expr::Alt(all) => {
                let all: Vec<_> = all.iter().map(|one| self.regex_of(one)).collect();
                format!("(?:{})", all.join("|"))
            }
            Expr::Repeat(least, most, one) => {
                let most = most.map_or(String::new(), |most| most.to_string());
                format!("(?:{}){{{least},{most}}}", self.regex_of(one))
            }
        }
    }

    /// A string of the production `name`. `choices` selects the alternatives. After
    /// the last choice the shortest alternative is taken.
    fn derive(&self, name: &str, choices: &[u8]) -> Vec<u8> {
        let mut out = vec![];
        let mut choices = choices.iter().copied();
        self.derive_expr(self.rule(name), &mut choices, &mut out);
        out
    }

    /// A URL of the document, from its production number `root` modulo the number of
    /// productions, with an optional fragment.
    pub fn url(&self, root: usize, choices: &[u8], fragment: Option<&[u8]>) -> Vec<u8> {
        let roots = self.roots();
        let root = roots[root % roots.len()];
        let mut url = self.derive(root, choices);
        // The generic production derives URLs of any scheme. If the scheme has a
        // production of its own, only that one decides (ruling 2).
        if root == self.generic && self.is_named(&url) {
            url.insert(0, b'x');
        }
        // RFC 6455 3: "Fragment identifiers … MUST NOT be used on these URIs".
        let fragment = fragment.filter(|_| !matches!(root, "ws-URI" | "wss-URI"));
        if let Some(choices) = fragment {
            url.push(b'#');
            url.extend(self.derive(self.fragment, choices));
        }
        url
    }

    fn is_named(&self, url: &[u8]) -> bool {
        let scheme = url.split(|&b| b == b':').next().unwrap_or_default();
        let mut names = self.schemes.iter();
        names.any(|(name, ..)| scheme.eq_ignore_ascii_case(name.as_bytes()))
    }

    fn derive_expr(&self, expr: &Expr, choices: &mut impl Iterator<Item = u8>, out: &mut Vec<u8>) {
        match expr {
            Expr::Text(text, caseless) => {
                let upper = *caseless && choices.next().is_some_and(|choice| choice > 240);
                out.extend(
                    text.iter()
                        .map(|b| if upper { b.to_ascii_uppercase() } else { *b }),
                );
            }
            Expr::Set(set) => {
                let choice = choices.next().unwrap_or(0) as usize;
                // Most characters of URLs are letters and digits.
                let is_plain = |b: &u8| b.is_ascii_alphanumeric();
                let plain = set.iter().filter(|b| is_plain(b)).count();
                let byte = if choice < 150 && plain > 0 {
                    set.iter().filter(|b| is_plain(b)).nth(choice % plain)
                } else {
                    set.get(choice % set.len())
                };
                out.extend(byte);
            }
            Expr::Name(name) => self.derive_expr(self.rule(name), choices, out),
            Expr::Seq(all) => {
                for one in all {
                    self.derive_expr(one, choices, out);
                }
            }
            Expr::Alt(all) => {
                let choice = choices.next().unwrap_or(0) as usize;
                // In `uchar = … | escape` the set of characters is chosen more often
                // than the escape.
                let one = match &all[0] {
                    set @ Expr::Set(_) if choice < 230 => set,
                    _ => &all[choice % all.len()],
                };
                self.derive_expr(one, choices, out);
            }
            Expr::Repeat(least, most, one) => {
                const TIMES: [usize; 8] = [0, 1, 2, 1, 3, 5, 8, 13];
                let times = choices
                    .next()
                    .map_or(0, |choice| TIMES[choice as usize % 8]);
                let times = most.map_or(least + times, |most| most.min(least + times));
                for _ in 0..times {
                    self.derive_expr(one, choices, out);
                }
            }
        }
    }
}

/// Names and right sides. A line that starts with a blank continues the previous
/// line.
fn productions(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = vec![];
    for line in text.lines() {
        let line = comment_off(line);
        if line.trim().is_empty() {
            continue;
        }
        if line.starts_with(' ') {
            let last = found.last_mut().expect("a line to continue");
            last.1 += line;
        } else {
            let (name, side) = line.split_once('=').expect("a name and `=`");
            found.push((name.trim().into(), side.into()));
        }
    }
    found
}

/// The line without its comment. A `;` in a literal does not start one.
fn comment_off(line: &str) -> &str {
    let mut quoted = false;
    for (i, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            ';' if !quoted => return &line[..i],
            _ => {}
        }
    }
    line
}

fn tokens(side: &str) -> Vec<String> {
    let mut found = vec![];
    let mut rest = side.trim_start();
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '"' => 2 + rest[1..].find('"').expect("a closing quote"),
            '[' | ']' | '(' | ')' | '|' => 1,
            _ => rest
                .find(|c: char| c.is_whitespace() || "[]()|\"".contains(c))
                .unwrap_or(rest.len()),
        };
        found.push(rest[..len].into());
        rest = rest[len..].trim_start();
    }
    found
}

fn alternatives(tokens: &mut Vec<String>) -> Expr {
    let mut all = vec![sequence(tokens)];
    while tokens.last().is_some_and(|token| token == "|") {
        tokens.pop();
        all.push(sequence(tokens));
    }
    if all.len() == 1 {
        all.remove(0)
    } else {
        Expr::Alt(all)
    }
}

fn sequence(tokens: &mut Vec<String>) -> Expr {
    let mut all = vec![];
    while tokens
        .last()
        .is_some_and(|token| !matches!(&token[..], "|" | "]" | ")"))
    {
        all.push(element(tokens));
    }
    if all.len() == 1 {
        all.remove(0)
    } else {
        Expr::Seq(all)
    }
}

fn element(tokens: &mut Vec<String>) -> Expr {
    let token = tokens.pop().expect("an element");
    if let Some((counts, name)) = token.split_once('*').filter(|_| !token.starts_with('"')) {
        let number = |digits: &str| digits.parse().ok();
        let digits = name.bytes().take_while(u8::is_ascii_digit).count();
        let (most, name) = name.split_at(digits);
        if !name.is_empty() {
            tokens.push(name.into());
        }
        // After a count the brackets only group.
        let one = match tokens.last().map(|token| &token[..]) {
            Some("[") => {
                tokens.pop();
                let group = alternatives(tokens);
                assert_eq!(tokens.pop().as_deref(), Some("]"));
                group
            }
            _ => element(tokens),
        };
        return Expr::Repeat(number(counts).unwrap_or(0), number(most), Box::new(one));
    }
    match &token[..] {
        "[" => {
            let inner = alternatives(tokens);
            assert_eq!(tokens.pop().as_deref(), Some("]"));
            Expr::Repeat(0, Some(1), Box::new(inner))
        }
        "(" => {
            let inner = alternatives(tokens);
            assert_eq!(tokens.pop().as_deref(), Some(")"));
            inner
        }
        token if token.starts_with('"') => {
            let text = &token[1..token.len() - 1];
            let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
            let scheme = letters > 0 && text[letters..].starts_with(':');
            Expr::Text(text.into(), scheme)
        }
        token if token.starts_with("%x") => {
            let byte = |hex| u8::from_str_radix(hex, 16).expect("two hexadecimal digits");
            let (first, last) = token[2..]
                .split_once('-')
                .unwrap_or((&token[2..], &token[2..]));
            Expr::Set((byte(first)..=byte(last)).collect())
        }
        name => Expr::Name(name.into()),
    }
}
