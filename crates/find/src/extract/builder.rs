//! Options of an extractor.

use super::judge::Judge;
use super::known::Known;
use super::{Extractor, Hit, Stream};
use crate::grammar::Grammar;
use crate::scan::{Form, Scanner, URL_MAX};
use urlgrep_base::names::Set;
use urlgrep_url::Profile;

/// The preferred reading of a hyphen before a line break. RFC 3986 Appendix C:
/// the hyphen "may or may not actually be part of the URI".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hyphen {
    /// The hyphen belongs to the URL. The reading without it is an alternate.
    #[default]
    Keep,
    /// The typesetter added the hyphen. The reading with it is an alternate.
    Drop,
}

/// Configures an [`Extractor`].
#[derive(Clone, Copy, Debug)]
pub struct ExtractorBuilder {
    pub(super) profile: Profile,
    pub(super) forms: Set<Form>,
    pub(super) hyphen: Hyphen,
    join: bool,
    rows: bool,
    refang: bool,
    pub(super) doubtful: bool,
    pub(super) rejects: bool,
    pub(super) lines: bool,
    pub(super) unwrap: bool,
    pub(super) url_max: usize,
}

impl Default for ExtractorBuilder {
    fn default() -> ExtractorBuilder {
        ExtractorBuilder {
            profile: Profile::default(),
            forms: Form::ALL
                .iter()
                .copied()
                .filter(|form| !form.is_special())
                .collect(),
            hyphen: Hyphen::Keep,
            join: true,
            rows: false,
            refang: false,
            doubtful: true,
            rejects: false,
            lines: true,
            unwrap: false,
            url_max: URL_MAX,
        }
    }
}

impl ExtractorBuilder {
    /// The default of [`ExtractorBuilder::url_max`], in bytes.
    pub const URL_MAX: usize = URL_MAX;

    /// The forms to report.
    #[doc(hidden)]
    #[must_use]
    pub fn wanted_forms(&self) -> Set<Form> {
        self.forms
    }

    /// Whether rejects are reported.
    #[doc(hidden)]
    #[must_use]
    pub fn has_rejects(&self) -> bool {
        self.rejects
    }

    /// Whether lines are counted.
    #[doc(hidden)]
    #[must_use]
    pub fn has_lines(&self) -> bool {
        self.lines
    }

    /// The profile that judges each candidate. Default: [`Profile::Iri`].
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// The forms to report. Default: all that are not [special](Form::is_special).
    /// [`Form::Suffix`] is slower, because the scanner must also search for hosts without
    /// a scheme.
    #[must_use]
    pub fn forms(mut self, forms: impl IntoIterator<Item = Form>) -> Self {
        self.forms = forms.into_iter().collect();
        self
    }

    /// The preferred reading of a hyphen at a line break. Default:
    /// [`Hyphen::Keep`].
    #[must_use]
    pub fn hyphen(mut self, hyphen: Hyphen) -> Self {
        self.hyphen = hyphen;
        self
    }

    /// Whether a bare URL that clearly continues on the next line is reported
    /// joined. Default: yes.
    ///
    /// A joined hit has [`Doubt::Joined`](crate::scan::Doubt::Joined), and its
    /// first line is the first alternate. If the option is off, the first line
    /// is reported, the hit [continues](Hit::continues), and the joined reading
    /// is an alternate.
    #[must_use]
    pub fn join(mut self, yes: bool) -> Self {
        self.join = yes;
        self
    }

    /// Whether the text may be from a terminal, where a program broke URLs at the width. Rows that
    /// the URL fills are then joined, with [`Doubt::Joined`](crate::scan::Doubt::Joined), and
    /// frames around the text are no text. Right for logs and screens. In mail the width of lines
    /// shows something else. Default: no.
    #[must_use]
    pub fn rows(mut self, yes: bool) -> Self {
        self.rows = yes;
        self
    }

    /// Whether defanged URLs are read as they were meant: `hxxp://a[.]example` is
    /// `http://a.example`, with [`Doubt::Refanged`](crate::scan::Doubt::Refanged), and what stands
    /// there is an alternate. URLs in attributes of HTML are read as they are. Default: no.
    #[must_use]
    pub fn refang(mut self, yes: bool) -> Self {
        self.refang = yes;
        self
    }

    /// True if a URL may have no colon that [matters](crate::scan::matters): a defanged one, one with
    /// an experimental scheme, or a host without a scheme.
    #[doc(hidden)]
    #[must_use]
    pub fn finds_more(&self) -> bool {
        self.finds_other_colons() || self.forms.has(Form::Suffix)
    }

    /// True if `text` may have such a URL.
    #[doc(hidden)]
    #[must_use]
    pub fn may_find_more(&self, text: &[u8]) -> bool {
        self.finds_other_colons() && memchr::memchr(b':', text).is_some()
            || self.forms.has(Form::Suffix) && memchr::memchr(b'.', text).is_some()
    }

    fn finds_other_colons(&self) -> bool {
        self.refang || self.is_experimental()
    }

    /// Schemes that begin `x-` are found in brackets.
    fn is_experimental(&self) -> bool {
        self.profile == Profile::Url03
    }

    /// Whether hits with a [`Doubt`](crate::scan::Doubt) are reported. If not, a URL that was
    /// joined over lines has its first line alone. Other signs of uncertainty, such as
    /// [`Hit::glued`], do not count. Default: yes.
    #[must_use]
    pub fn doubtful(mut self, yes: bool) -> Self {
        self.doubtful = yes;
        self
    }

    /// Whether candidates that the grammar rejects are also reported.
    /// [`Hit::url`](super::Hit::url) of such a hit is an error with the reason. Default: no,
    /// so each hit is a URL.
    #[must_use]
    pub fn rejects(mut self, yes: bool) -> Self {
        self.rejects = yes;
        self
    }

    /// Whether hits have line numbers. Default: yes.
    #[must_use]
    pub fn line_numbers(mut self, yes: bool) -> Self {
        self.lines = yes;
        self
    }

    /// The maximum length of a URL in bytes. A longer candidate is rejected as
    /// too long. Values below 16 count as 16. A delimited form always has at
    /// most 8,192 bytes. Default: [`ExtractorBuilder::URL_MAX`].
    #[must_use]
    pub fn url_max(mut self, bytes: usize) -> Self {
        self.url_max = bytes;
        self
    }

    /// Whether the links of mail gateways and similar services are unwrapped.
    /// Default: no.
    ///
    /// The URL of such a hit is the original link inside. See
    /// [`Url::hops`]. The link as it is in the haystack becomes an
    /// alternate, [`ReadingKind::Outer`], and so does each link between the two.
    /// Segments and seams are those of the outer link.
    ///
    /// [`Url::hops`]: urlgrep_url::Url::hops
    /// [`ReadingKind::Outer`]: crate::scan::ReadingKind::Outer
    #[must_use]
    pub fn unwrap_links(mut self, yes: bool) -> Self {
        self.unwrap = yes;
        self
    }

    /// Builds the extractor. Cheap: no tables are built.
    #[must_use]
    pub fn build(self) -> Extractor {
        let mut scanner = Scanner::new()
            .url_max(self.url_max)
            .count_lines(self.lines)
            .join(self.join)
            .suffixes(self.forms.has(Form::Suffix))
            .refang(self.refang)
            .national(self.profile == Profile::Url06)
            .experimental(self.is_experimental())
            .grammar(Grammar(self.profile));
        scanner.set_text(self.rows);
        let judge = Judge {
            config: self,
            hit: Hit::default(),
            known: Known::default(),
            in_link: false,
        };
        Extractor {
            fresh: Stream { scanner, judge },
        }
    }
}
