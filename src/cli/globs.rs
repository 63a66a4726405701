//! The globs of `--glob`.

use globset::{Candidate, Glob, GlobBuilder, GlobMatcher};

use super::error::ConfigError;

/// The globs of `--glob`. The last one that matches decides.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    rules: Vec<GlobRule>,
    /// True if a glob has no `!`. Names that match no glob are then not
    /// searched.
    has_wanted: bool,
}

#[derive(Clone, Debug)]
struct GlobRule {
    wanted: bool,
    /// True if the glob is matched against the path below the root, not against
    /// the name.
    whole: bool,
    matcher: GlobMatcher,
}

impl Globs {
    /// Compiles the globs.
    ///
    /// # Errors
    ///
    /// A glob is malformed.
    pub fn new(typed: &[String]) -> Result<Globs, ConfigError> {
        let mut globs = Globs::default();
        for text in typed {
            let (pattern, wanted) = match text.strip_prefix('!') {
                Some(rest) => (rest, false),
                None => (text.as_str(), true),
            };
            // This syntax is that of ignore files. There `mail/` matches only
            // a folder. Here the slash at the end is ignored, so `mail/` also
            // matches a file with this name.
            let pattern = pattern.trim_end_matches('/');
            let whole = pattern.contains('/');
            let glob: Glob = GlobBuilder::new(pattern.trim_start_matches('/'))
                .literal_separator(true)
                .build()
                .map_err(|e| ConfigError::new(format!("--glob {text:?}: {e}")))?;
            globs.has_wanted |= wanted;
            globs.rules.push(GlobRule {
                wanted,
                whole,
                matcher: glob.compile_matcher(),
            });
        }
        Ok(globs)
    }

    /// True if there are no globs.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// True if the file must be searched, or the folder must be entered.
    pub fn accept(&self, name: &[u8], below: &[u8], is_folder: bool) -> bool {
        let (name, below) = (Candidate::from_bytes(name), Candidate::from_bytes(below));
        for rule in self.rules.iter().rev() {
            let candidate = if rule.whole { &below } else { &name };
            if rule.matcher.is_match_candidate(candidate) {
                return rule.wanted;
            }
        }
        is_folder || !self.has_wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(typed: &[&str]) -> Globs {
        Globs::new(&typed.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_last_glob_that_matches_decides() {
        let g = globs(&["*.mbox", "!old*"]);
        assert!(g.accept(b"a.mbox", b"x/a.mbox", false));
        assert!(!g.accept(b"a.txt", b"x/a.txt", false));
        assert!(!g.accept(b"old.mbox", b"old.mbox", false));
        assert!(g.accept(b"sub", b"sub", true) && !g.accept(b"older", b"older", true));
    }

    #[test]
    fn a_glob_with_a_slash_matches_the_path() {
        let g = globs(&["/cur/*", "**/new/*"]);
        assert!(g.accept(b"1", b"cur/1", false) && g.accept(b"1", b"a/new/1", false));
        assert!(!g.accept(b"1", b"a/cur/1", false));
        assert!(!globs(&["!tmp/"]).accept(b"tmp", b"a/tmp", true));
    }
}
