//! The Public Suffix List for the module of WebAssembly.
//!
//! The crate `psl` is a tree of Rust functions. It answers in nanoseconds, and is 870 KB of
//! WebAssembly, a third of the module. Here the same rules are a tree of labels, which has 82 KB,
//! and 30 KB when it is compressed. At the first look-up it becomes a sorted text, in which a rule is
//! found by binary search. Each has its place: the command looks up millions of hosts, and a
//! page must be small. `web/Cargo.toml` puts this package in the place of the other one, so it has
//! the name and the interface of that one, as far as urlgrep uses them.

#![forbid(unsafe_code)]

#[path = "../../../crates/url/src/punycode.rs"]
mod punycode;

use std::sync::LazyLock;

/// The rules with their labels from the last to the first, in order. A rule begins with a byte that
/// says how many labels it has in common with the rule before it, and 1 more. Only the others
/// follow. `build.rs` makes it.
static TREE: &str = include_str!(concat!(env!("OUT_DIR"), "/rules.txt"));

/// The rules, one a line, in the order of their bytes. A rule with letters beyond ASCII is also there
/// by its name in the DNS.
static RULES: LazyLock<String> = LazyLock::new(|| {
    let mut all = Vec::new();
    let mut labels: Vec<&str> = Vec::new();
    let mut rest = TREE;
    while let Some(common) = rest.bytes().next() {
        let rule = &rest[1..];
        let end = rule.find(|c: char| c < '\u{10}').unwrap_or(rule.len());
        labels.truncate(usize::from(common) - 1);
        labels.extend(rule[..end].split('.'));
        rest = &rule[end..];
        let mut rule: Vec<&str> = labels.clone();
        rule.reverse();
        let rule = rule.join(".");
        if !rule.is_ascii() {
            all.extend(punycode::to_ascii(&rule));
        }
        all.push(rule);
    }
    all.sort_unstable();
    all.push(String::new());
    all.join("\n")
});

/// No rule has more labels. A test counts them.
const LABELS_MAX: usize = 8;

/// The maximum length of a host in the DNS, and of the mark of a rule before it.
const HOST_MAX: usize = 253 + 2;

/// The rule that fits a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The length of the public suffix.
    pub len: usize,
    /// Is set if the suffix is on the list.
    pub typ: Option<Type>,
}

/// A section of the list. The rules do not have theirs here, because nothing asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Either section.
    Listed,
}

/// Finds the suffix of a host.
pub trait Psl {
    /// The rule for a host whose labels are given from the last to the first.
    fn find<'a>(&self, labels: impl Iterator<Item = &'a [u8]>) -> Info;
}

/// The list.
#[derive(Clone, Copy, Debug)]
pub struct List;

impl Psl for List {
    /// The algorithm is that of <https://publicsuffix.org/list/>: an exception wins, then the rule
    /// with the most labels, and the last label is a suffix without a rule.
    fn find<'a>(&self, labels: impl Iterator<Item = &'a [u8]>) -> Info {
        let mut name = Name::default();
        let mut info = Info { len: 0, typ: None };
        for (n, label) in labels.take(LABELS_MAX).enumerate() {
            let parent = name.len();
            if !name.put_before(label, n > 0) {
                return info;
            }
            if n == 0 {
                info.len = name.len();
            }
            if name.is_rule_with(b"!") {
                return Info {
                    len: parent,
                    typ: Some(Type::Listed),
                };
            }
            if name.is_rule_with(b"") || n > 0 && name.is_wildcard(parent) {
                info.len = name.len();
                info.typ = Some(Type::Listed);
            }
        }
        info
    }
}

/// The last labels of a host, at the end of a buffer.
struct Name {
    bytes: [u8; HOST_MAX],
    start: usize,
}

impl Default for Name {
    fn default() -> Name {
        Name {
            bytes: [0; HOST_MAX],
            start: HOST_MAX,
        }
    }
}

impl Name {
    fn len(&self) -> usize {
        HOST_MAX - self.start
    }

    /// Returns false if there is no room for the label and the mark of a rule.
    fn put_before(&mut self, label: &[u8], with_dot: bool) -> bool {
        let len = label.len() + usize::from(with_dot);
        let Some(start) = self.start.checked_sub(len).filter(|&start| start >= 2) else {
            return false;
        };
        self.bytes[start..start + label.len()].copy_from_slice(label);
        if with_dot {
            self.bytes[self.start - 1] = b'.';
        }
        self.start = start;
        true
    }

    /// True if this name, with a mark of at most two bytes before it, is a rule.
    fn is_rule_with(&self, mark: &[u8]) -> bool {
        let mut bytes = self.bytes;
        let start = self.start - mark.len();
        bytes[start..self.start].copy_from_slice(mark);
        is_rule(&bytes[start..])
    }

    /// True if any label before the last `parent` bytes makes a suffix.
    fn is_wildcard(&self, parent: usize) -> bool {
        let parent = Name {
            bytes: self.bytes,
            start: HOST_MAX - parent,
        };
        parent.is_rule_with(b"*.")
    }
}

fn is_rule(name: &[u8]) -> bool {
    let rules = RULES.as_bytes();
    let (mut low, mut high) = (0, rules.len());
    // Both are the start of a line, or the end of the text.
    while low < high {
        let middle = low + (high - low) / 2;
        let is_line_end = |&b: &u8| b == b'\n';
        let before = rules[low..middle].iter().rposition(is_line_end);
        let start = before.map_or(low, |at| low + at + 1);
        let len = rules[start..].iter().position(is_line_end).unwrap_or(0);
        match rules[start..start + len].cmp(name) {
            core::cmp::Ordering::Equal => return true,
            core::cmp::Ordering::Less => low = start + len + 1,
            core::cmp::Ordering::Greater => high = start,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suffix(host: &str) -> Info {
        List.find(host.rsplit('.').map(str::as_bytes))
    }

    fn listed(len: usize) -> Info {
        Info {
            len,
            typ: Some(Type::Listed),
        }
    }

    /// A row for each kind of rule, from the examples of publicsuffix.org.
    #[test]
    fn each_kind_of_rule_is_found() {
        assert_eq!(suffix("www.example.com"), listed("com".len()));
        assert_eq!(suffix("www.example.co.uk"), listed("co.uk".len()));
        assert_eq!(suffix("ann.github.io"), listed("github.io".len()));
        assert_eq!(suffix("a.b.ck"), listed("b.ck".len()));
        assert_eq!(suffix("www.ck"), listed("ck".len()));
        assert_eq!(suffix("a.city.kobe.jp"), listed("kobe.jp".len()));
        assert_eq!(suffix("食狮.公司.cn"), listed("公司.cn".len()));
        assert_eq!(suffix("a.xn--55qx5d.cn"), listed("xn--55qx5d.cn".len()));
        let unlisted = |len| Info { len, typ: None };
        assert_eq!(suffix("host.invalid-name"), unlisted("invalid-name".len()));
        assert_eq!(suffix("ck"), unlisted(2));
        assert_eq!(suffix(""), unlisted(0));
    }

    #[test]
    fn each_rule_is_found_and_none_has_more_labels() {
        let rules: Vec<_> = RULES.lines().collect();
        assert!(rules.len() > 10_000, "{}", rules.len());
        assert!(rules.is_sorted());
        for rule in rules {
            assert!(rule.split('.').count() <= LABELS_MAX, "{rule}");
            assert!(is_rule(rule.as_bytes()), "{rule}");
            let changed = [rule, "~"].concat();
            assert!(!is_rule(changed.as_bytes()), "{rule}");
            if let Some(name) = rule.strip_prefix('!') {
                let parent = name.split_once('.').map_or(0, |(_, parent)| parent.len());
                assert_eq!(suffix(name), listed(parent), "{rule}");
            } else {
                let name = rule.replace('*', "any");
                assert_eq!(suffix(&name), listed(name.len()), "{rule}");
            }
        }
    }

    #[test]
    fn a_name_that_is_too_long_is_cut() {
        let label = "a".repeat(300);
        assert_eq!(suffix(&label), Info { len: 0, typ: None });
        assert_eq!(suffix(&[&label, ".com"].concat()), listed(3));
    }
}
