//! The grammar: decides whether a string is a URL according to a document, and
//! finds its parts.
//!
//! [`validate`] judges a string under one of eight [`Profile`]s. Five profiles
//! are documents of 1993 and 1994, and are followed to the letter.
//! [`Profile::Current`] is today's RFCs. [`Profile::Iri`] is `current` with
//! characters beyond ASCII. `Profile::Whatwg` is the URL Standard, with the
//! feature `whatwg`. The result is a [`Url`] or a [`Reject`]. A `Url` has
//! the text and the offsets of its parts. A `Reject` has the rule in the
//! spelling of the document, the offset, and the byte found there. The text is
//! never repaired or shortened.
//!
//! ```
//! use urlgrep::url::{Profile, validate};
//!
//! let url = validate(Profile::Rfc1738, b"ftp://info.cern.ch/pub/www/doc;type=d").unwrap();
//! assert_eq!(url.path(), "/pub/www/doc;type=d");
//! assert_eq!(url.components().last(), Some(("typecode", "d")));
//!
//! let reject = validate(Profile::Rfc1738, b"http://h_st/").unwrap_err();
//! assert_eq!(reject.to_string(), "rfc1738 hostname, byte 8: `_`");
//! ```
//!
//! The result has further methods. [`Url::canonical`] is the form in which URLs
//! are compared. [`decoded`] undoes the
//! percent-encoding of a component. [`Url::surt`] is the key of web archives.
//! [`Url::hops`] removes the links of mail gateways, and [`Url::clean`] parameters that only
//! track. [`Url::cautions`] warns
//! about a valid but suspicious URL. [`resolve()`] resolves partial forms.
//!
//! # Layout
//!
//! Each document has one file. A later document reuses the unchanged rules of
//! an earlier document, so its file shows what changed. No file imports a
//! younger one.
//!
//! Characters are constants below their BNF line. Each production is one short
//! function. A document is one constant that maps schemes to functions. No rule
//! asks for the profile.
//!
//! # Limits
//!
//! A valid URL need not name an existing resource, its host need not have an
//! address, and its escapes need not be characters of an encoding. Escapes are
//! opaque, except where a production gives an escape a meaning. Examples are
//! `%00` and `%09` as delimiters, and quotation marks, brackets and dots in a
//! mail address.
//!
//! # Components
//!
//! [`Url::components`] returns each part that is present, in the order of the
//! URL. Only delimiters are left out. The names are:
//!
//! | schemes | components |
//! | --- | --- |
//! | all | `scheme` (as written); `fragment` (after `#`, may be empty) |
//! | with `//` | `user`, `password`, `host` (with the brackets of an IPv6 address), `port` (digits; in `current` it may be empty) |
//! | http, https, ws, wss and any scheme without a row here | `path` (from its slash on; from the colon on if the URL has no host), `query` |
//! | ftp | `path` (without `;type=`), `typecode` |
//! | file, telnet, afs | `path` |
//! | gopher | `gtype`, `selector`, `search`, `gopher-plus` |
//! | mailto | `to` (one address, or several with commas), `headers` (after `?`) |
//! | news | `group` (or `*`) or `article` (with its `@`) |
//! | nntp | `group`, `number` |
//! | wais | `database`, then `search`, or `wtype`, `length` (url-00, url-03) and `wpath` |
//! | prospero | `object`, then `fields` (from the first name to the last value), or before url-06 `version` and `attributes` |
//! | mid | `id`, `content-id` |
//! | cid | `id` |
//! | urn | `nid`, `nss`, `query` (the text after the `?`) |
//! | tel | `number`, `parameters` (after the first `;`) |
//!
//! A path includes its leading slash in every profile. RFC 1738 has this slash
//! outside of `hpath` and `fpath`. If a document judges a scheme by its generic
//! production, the parts are the generic ones. Under `rfc1738`, for example,
//! the path of `foo://h/p?q` is everything after the colon.
//!
//! # Rationale
//!
//! Where two documents disagree, or one document is unclear, the file
//! docs/profiles.md of the repository decides. Its rulings are quoted where they
//! apply. The other decisions are:
//!
//! * **The byte of a fault.** It is the first byte that cannot follow the bytes
//!   before it in any URL. There is one exception. A later `@` may turn a host
//!   into a user name, or a group into an article. Then the whole text before
//!   the `@` is read as a user name or as an article.
//! * **The rule of a fault.** A fault lies in several productions at once: in a
//!   label, in its host, in the URL. We name the innermost one that has a
//!   structure of its own, because that is the rule that a reader must look up.
//!   After a complete host, a slash, a question mark or the end is a fault of
//!   the URL's production (`http://a?b` is not an httpurl). Any other byte there
//!   is a fault of the host's production. Where a host should begin, a delimiter
//!   or the end is a fault of `host`. Any other byte there is a fault of
//!   `hostname`.
//! * **afs** in url-03 and www-uri-00 "is not a url production". It is refused
//!   at the colon that completes the scheme afs.
//! * **The dots of a group.** The early `xalpha` includes the dot. So
//!   `ialpha [ . group ]` and `ialpha [ . hostname ]` are each the same as
//!   `ialpha`, and `a..b` and a final dot are valid.
//! * **`=` in url-06** is a uchar, so a fieldname may contain it. Yet the first
//!   `=` ends the fieldname.
//! * **1\*16DIGIT, 63 and 253 bytes, 65535**: the fault is at the byte that
//!   exceeds the limit.
//! * **`?` in ftp and prospero paths.** RFC 1738 lists it in fsegment and
//!   psegment. RFC 1808 2.3 calls that "believed to be an error". In RFC 3986
//!   it would start a query. `current` uses the productions of RFC 1738 for
//!   these schemes, so `?` is part of the path.
//! * **User names in `current`** are the userinfo of RFC 3986, in every scheme
//!   that may have one. The first colon starts the password, which may contain
//!   further colons.
//! * **file** in `current` is the ABNF of RFC 8089. It has no user, port or
//!   query, and none of the forms in the appendices (`file:////host/share`).
//! * **Hosts with escapes** in `current`: RFC 3986 3.2.2 allows escapes in a
//!   reg-name. An escape of an unreserved character is equivalent to that
//!   character (RFC 3986 2.3). So the rules for names apply to the decoded
//!   form: in `a%2D.b` a label ends with a hyphen, and `a%7Eb` contains a `~`.
//!   Any other escape is one character of a label, whatever it decodes to.
//! * **`iri`** allows a character beyond ASCII wherever `current` allows an
//!   escape (RFC 3987 3.1). So a newsgroup or a parameter of `tel` may contain
//!   one, although their documents do not use `unreserved`. `iprivate` is
//!   allowed in the query of RFC 3987's generic grammar, even in a scheme that
//!   gives `?` no meaning.
//! * **Addresses** in `current` (mailto, mid, cid, the article of news) are
//!   dot-atoms, quoted-strings and domain literals by RFC 6068, 2392 and 5536.
//!   An escape counts as one character of an address, whatever it decodes to
//!   (ruling 5).
//! * **tel** has `#`, `[` and `]` in its ABNF, but RFC 3986 does not allow them
//!   there. They are refused.
//! * **sip, magnet, doi, data** have no authority of their own. Their text
//!   after `//` is judged by the generic syntax. The host rule for named
//!   schemes applies after the `//` of ldap, imap, irc, git, ssh, svn, rsync,
//!   nfs and xmpp.
//! * **Partial forms**: see [`resolve()`]. url-00, url-03 and www-uri-00 do not
//!   mention an empty partial form. It resolves to the base.
//! * **Comparison**: [`Url::canonical`] drops a default port. It drops an empty
//!   fragment if the document says that this is no fragment. It drops the
//!   components that RFC 8141 3.1 excludes from the comparison of URNs. Any
//!   other fragment is kept, and its escapes are treated like those of the other
//!   components.
//! * **prospero in url-00**: "The host and port parts are used", but the BNF
//!   has only a path. The first segment of the path is the host. "%23" ends the
//!   object name.

#![cfg_attr(not(test), deny(clippy::too_many_lines))]

mod beyond;
mod canonical;
mod cautions;
mod class;
mod clean;
mod components;
mod current;
mod document;
#[cfg(feature = "suffixes")]
mod domain;
mod draft00;
mod draft03;
mod draft06;
#[doc(hidden)]
pub mod gateways;
mod iri;
mod known;
#[cfg(feature = "whatwg")]
mod opened;
mod parts;
mod profile;
#[doc(hidden)]
pub mod punycode;
mod readable;
mod reject;
mod resolve;
mod rfc1738;
mod surt;
#[cfg(test)]
mod tests;
mod unwrap;
#[cfg(feature = "whatwg")]
mod whatwg;
mod www_uri_00;

pub use cautions::Caution;
pub use components::decoded;
#[doc(hidden)] // For a cache of verdicts.
pub use parts::Meta;
pub use parts::{Host, Url};
pub use profile::Profile;
pub use reject::{Reject, Rule};
pub use resolve::{ResolveError, resolve};

// For the crates of urlgrep.
#[doc(hidden)]
pub use cautions::{is_same_site, site};
#[cfg(feature = "suffixes")]
#[doc(hidden)]
pub use domain::{is_registered, registered_domain};
#[cfg(feature = "whatwg")]
#[doc(hidden)]
pub use opened::{keeps, mailed, opened};

use document::{Cursor, Document};
use reject::Refusal;
use urlgrep_base::names::key;

impl Profile {
    /// The document of the profile.
    #[inline]
    const fn document(self) -> &'static Document {
        match self {
            Profile::Url00 => &draft00::DOCUMENT,
            Profile::Url03 => &draft03::DOCUMENT,
            Profile::WwwUri00 => &www_uri_00::DOCUMENT,
            Profile::Url06 => &draft06::DOCUMENT,
            Profile::Rfc1738 => &rfc1738::DOCUMENT,
            Profile::Current => &current::DOCUMENT,
            Profile::Iri => &iri::DOCUMENT,
            // The crate `url` judges. This is for what it has no word for.
            #[cfg(feature = "whatwg")]
            Profile::Whatwg => &iri::DOCUMENT,
        }
    }
}

/// Checks `url` against the document of `profile`, and finds its parts.
///
/// # Errors
///
/// A [`Reject`] with the rule and the offset. Every profile refuses a text of
/// 4 GiB or more as too long.
///
/// # Complexity
///
/// Linear: each byte is read once, and bytes before an `@` twice. No
/// allocation.
#[inline]
pub fn validate(profile: Profile, url: &[u8]) -> Result<Url<'_>, Reject> {
    measure(profile, url).map(|meta| meta.with(url))
}

#[doc(hidden)] // For a cache of verdicts.
/// As [`validate`], without the text of the URL.
#[inline]
pub fn measure(profile: Profile, url: &[u8]) -> Result<Meta, Reject> {
    let meta = read(profile, url, Production::OfScheme);
    meta.map_err(|fault| Reject::new(profile, url, fault))
}

/// Checks `url` against the production of its scheme. If that refuses it, checks
/// it against the generic production. If both refuse it, the reject is that of
/// the first check.
fn check(profile: Profile, url: &[u8]) -> Result<(), Reject> {
    let verdict = read(profile, url, Production::OfScheme);
    match verdict.or_else(|fault| read(profile, url, Production::Generic).map_err(|_| fault)) {
        Ok(_) => Ok(()),
        Err(fault) => Err(Reject::new(profile, url, fault)),
    }
}

/// The production that judges the text after the scheme.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Production {
    /// The production of the scheme, if it has one (docs/profiles.md, ruling
    /// 2).
    OfScheme,
    Generic,
}

#[inline]
fn read(profile: Profile, url: &[u8], production: Production) -> Result<Meta, Refusal> {
    // The maximum is reserved for "no such offset".
    let len = match u32::try_from(url.len()) {
        Ok(len) if len < u32::MAX => len,
        _ => {
            return Err(Refusal {
                rule: Rule::TooLong,
                at: u32::MAX,
            });
        }
    };
    #[cfg(feature = "whatwg")]
    if profile == Profile::Whatwg {
        return whatwg::read(url);
    }
    let mut cursor = Cursor::new(url, len, profile);
    let document = cursor.document;
    (document.scheme)(&mut cursor)?;
    let key = key(cursor.since(0));
    cursor.meta.scheme_end = cursor.mark();
    if !cursor.eat(b':') {
        return Err(cursor.fault(Rule::Scheme));
    }
    let rule = match production {
        Production::OfScheme => document.rule(key),
        Production::Generic => document.generic,
    };
    rule(&mut cursor)?;
    let end = cursor.mark();
    if cursor.eat(b'#') {
        let (class, rule) = document.fragment;
        cursor.run(class, rule)?;
        cursor.exhausted(rule)?;
    }
    Ok(cursor.meta.until(end))
}
