//! The values of options, and their parsers.

use std::str::FromStr;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use urlgrep::Form;
use urlgrep::Hyphen;
use urlgrep::mail::HeaderPolicy;
use urlgrep::mail::ReadAs;
use urlgrep::mail::Role;
use urlgrep::url::Profile;

/// `--generate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GenerateArg {
    Man,
    CompleteBash,
    CompleteZsh,
    CompleteFish,
    CompletePowershell,
}

/// `--batch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BatchArg {
    /// File names, one a line
    Lines,
    /// Messages, each as a netstring
    Netstring,
}

/// `--csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CsvArg {
    /// Values as they are
    Rfc4180,
    /// A byte order mark first, and a `'` before each value that a spreadsheet would run as a formula
    Excel,
}

/// `--rejects`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RejectsArg {
    /// Refused text, and no URLs
    Only,
    /// URLs and refused text
    Both,
}

/// `--sort`: the order of the files of a folder, of hits, or of the URLs of a
/// ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// The byte order of names
    Path,
    /// The order of the file system
    None,
    /// URLs of a ledger, by their first dates
    #[value(hide = cfg!(not(feature = "ledger")))]
    FirstSeen,
    /// Hits by the dates of their messages, then by path and offset; undated
    /// hits come last
    Date,
    /// Rows of a tally, the most frequent first
    Count,
    /// Rows of a tally by their text
    Value,
}

/// `--hyphen`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HyphenArg {
    /// The hyphen is a part of the URL
    Keep,
    /// The hyphen is removed with the line break
    Drop,
    /// Print two lines: the URL with the hyphen, and without it
    Both,
}

impl HyphenArg {
    /// The reading that comes first.
    pub fn first(self) -> Hyphen {
        match self {
            HyphenArg::Keep | HyphenArg::Both => Hyphen::Keep,
            HyphenArg::Drop => Hyphen::Drop,
        }
    }
}

/// `--headers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HeadersArg {
    /// No field
    None,
    /// The fields that people write, such as Subject and X-Homepage. Left out
    /// are those that programs write: addresses, ids, traces, signatures, the
    /// results of filters, `List-Unsubscribe` and the like
    Written,
    /// As `written`, and the fields of mailing lists, such as `List-Archive`
    List,
    /// Every field
    All,
}

impl HeadersArg {
    /// The policy of the message walker.
    pub fn policy(self) -> HeaderPolicy {
        match self {
            HeadersArg::None => HeaderPolicy::None,
            HeadersArg::Written => HeaderPolicy::Written,
            HeadersArg::List => HeaderPolicy::List,
            HeadersArg::All => HeaderPolicy::All,
        }
    }
}

/// `--color` and `--hyperlink`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// On a terminal
    Auto,
    Always,
    Never,
}

pub fn role_parser() -> PossibleValuesParser {
    let value = |role: Role| {
        let meaning = match role {
            Role::Body => "Text that the author wrote, or text outside messages",
            Role::Quoted(_) => "Text quoted from another message",
            Role::Signature => "The signature of the author",
            Role::Footer => "The footer of a mailing list or a provider",
            Role::Header => "A header field",
            Role::Attachment => "An attached text",
            _ => "",
        };
        PossibleValue::new(role.name()).help(meaning)
    };
    PossibleValuesParser::new(Role::ALL.map(value))
}

pub fn profile_parser() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.iter().map(|profile| profile.name()))
        .try_map(|name| Profile::from_name(&name).ok_or("no such profile"))
}

pub fn as_parser() -> impl TypedValueParser<Value = ReadAs> {
    PossibleValuesParser::new(ReadAs::ALL.iter().map(|format| format.name()))
        .try_map(|name| ReadAs::from_name(&name).ok_or("no such format"))
}

pub fn form_parser() -> impl TypedValueParser<Value = Form> {
    PossibleValuesParser::new(Form::ALL.iter().map(|form| form.name())).map(|name| {
        let mut all = Form::ALL.iter().copied();
        all.find(|form| form.name() == name).unwrap_or_default()
    })
}

/// Parses a number.
pub fn number<N: FromStr>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|_| "expected a number")
}

/// Parses a number of bytes. K, M, G and T mean powers of 1,024.
pub fn size(text: &str) -> Result<u64, &'static str> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let units = ["", "K", "M", "G", "T"];
    let unit = units
        .iter()
        .position(|unit| text[digits.len()..].eq_ignore_ascii_case(unit));
    let number = unit.zip(digits.parse::<u64>().ok());
    let (unit, number) = number.ok_or("expected a whole number, then K, M, G or T")?;
    number
        .checked_mul(1 << (10 * unit))
        .ok_or("number too large")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("128M"), Ok(128 << 20));
        assert_eq!(size("7"), Ok(7));
        assert!(size("").is_err() && size("M").is_err() && size("1X").is_err());
        assert!(size("99999999999T").is_err());
    }
}
