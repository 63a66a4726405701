//! The grammar: whether a string is a URL by a document, and what its parts
//! are.
//!
//! [`validate`] answers for one of seven [`Profile`]s. Five are documents of
//! 1993 and 1994, followed to the letter. [`Profile::Current`] is today's
//! RFCs. [`Profile::Iri`] is `current` with characters beyond ASCII. The
//! answer is a [`Url`], the text and the offsets of its parts, or a
//! [`Reject`]: the rule in the spelling of the document, the offset, and the
//! bytes found there. Nothing is repaired and nothing is cut off.
//!
//! ```
//! use urlgrep::url::{Profile, validate};
//!
//! let url = validate(Profile::Rfc1738, b"ftp://info.cern.ch/pub/www/doc;type=d").unwrap();
//! assert_eq!(url.path(), b"/pub/www/doc;type=d");
//! assert_eq!(url.components().last(), Some(("typecode", &b"d"[..])));
//!
//! let reject = validate(Profile::Rfc1738, b"http://h_st/").unwrap_err();
//! assert_eq!(reject.to_string(), "rfc1738 hostname, byte 8: `_`");
//! ```
//!
//! [`Url::canonical`] compares, [`Url::surt`] is the key of web archives,
//! [`Url::unwrapped`] takes off the links of mail gateways,
//! [`Url::cautions`] names what is valid and yet suspect, and [`resolve()`] resolves
//! partial forms.
//!
//! # Layout
//!
//! There is one file for each document, in the order of their dates. A later
//! document takes unchanged rules from an earlier one, so its file shows what
//! changed. No file imports a younger one. Characters are constants below
//! their BNF line, structure is one short function for each production, and a
//! document is one constant that maps schemes to functions. No rule asks which
//! profile is running.
//!
//! # What it does not promise
//!
//! That the resource exists, that a host has an address, that an escape means
//! a character of any encoding. Escapes are opaque, except where a production
//! gives one a meaning (`%00` and `%09` as delimiters; quotation marks,
//! brackets and dots in a mail address).
//!
//! # Components
//!
//! [`Url::components`] gives each part that is present, in the order of the
//! URL. The text around and between them is delimiters only. The names:
//!
//! | schemes | components |
//! | --- | --- |
//! | all | `scheme` (as written); `fragment` (after `#`, may be empty) |
//! | with `//` | `user`, `password`, `host` (with the brackets of an IPv6 address), `port` (digits, in `current` perhaps none) |
//! | http, https, ws, wss and any scheme without a line here | `path` (from its slash; after the colon if the URL names no host), `query` |
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
//! | urn | `nid`, `nss`, `query` (what follows the `?`) |
//! | tel | `number`, `parameters` (after the first `;`) |
//!
//! A path includes its leading slash in every profile, so `path` always means
//! the same; RFC 1738 writes the slash before `hpath` and `fpath`. Where a
//! document judges a scheme by its generic production, the parts are the
//! generic ones: under `rfc1738` everything after the colon of `foo://h/p?q`
//! is `path`.
//!
//! # Rationale
//!
//! Where two documents disagree, or one is unclear, docs/profiles.md decides.
//! Its rulings are quoted where they apply. These decisions remained:
//!
//! * **Which rule, which byte.** The byte is the first with which no URL that
//!   begins like this can go on, except that an `@` further on may turn a host
//!   into a user name or a group into an article: there the whole stretch is
//!   read by what the `@` makes it. The rule is the innermost production with a
//!   structure of its own that was being read. After a complete host, a slash, a
//!   question mark or the end is the fault of the URL's production (`http://a?b`
//!   is no httpurl), any other byte that of the host's. Where a host should begin,
//!   a delimiter or the end is the fault of `host`, another byte of `hostname`.
//! * **afs** in url-03 and www-uri-00 "is not a url production": refused at the
//!   colon that makes the scheme afs.
//! * **A group's dots.** The early `xalpha` has the dot, so that `ialpha [ . group
//!   ]` and `ialpha [ . hostname ]` are one `ialpha`: `a..b` and a final dot pass.
//! * **`=` in url-06** is a uchar, and so may stand in a fieldname; the first one
//!   ends it all the same.
//! * **1\*16DIGIT, 63 and 253 bytes, 65535**: the byte with which the limit is
//!   passed is the fault.
//! * **`?` in ftp and prospero paths.** RFC 1738 lists it in fsegment and psegment,
//!   RFC 1808 2.3 calls that "believed to be an error", RFC 3986 would start a
//!   query. `current` keeps RFC 1738's productions for them, so it is path there.
//! * **User names in `current`** are RFC 3986's userinfo in every scheme that may
//!   have one; its first colon starts the password, which may hold others.
//! * **file** in `current` is RFC 8089's ABNF: no user, port or query, and none of
//!   its appendices' forms (`file:////host/share`).
//! * **Hosts with escapes** in `current`: RFC 3986 3.2.2 takes them in a reg-name.
//!   An escape that stands for an unreserved character is that character (RFC 3986
//!   2.3), and the rules for names hold for the decoded form: `a%2D.b` ends a label
//!   with a hyphen, `a%7Eb` holds a `~`. Any other escape is one character of a
//!   label, whatever it means.
//! * **`iri`**: where `current` takes an escape, a character beyond ASCII may stand
//!   (RFC 3987 3.1). So a newsgroup or a parameter of `tel` may hold one although
//!   its document does not write `unreserved`. `iprivate` stands in what RFC 3987's
//!   generic grammar calls the query, even where a scheme gives `?` no meaning.
//! * **Addresses** in `current` (mailto, mid, cid, the article of news) are
//!   dot-atoms, quoted-strings and domain literals by RFC 6068, 2392 and 5536. An
//!   escape counts as one character of them whatever it means (ruling 5).
//! * **tel** has `#`, `[` and `]` in its ABNF where RFC 3986 has no room for them:
//!   not here.
//! * **sip, magnet, doi, data** have no authority of their own; what they write
//!   after `//` is generic. The host rule holds for `//` of ldap, imap, irc, git,
//!   ssh, svn, rsync, nfs and xmpp.
//! * **Partial forms**: see [`resolve()`]. An empty one, of which url-00, url-03 and
//!   www-uri-00 say nothing, is the base.
//! * **Comparison**: [`Url::canonical`] drops a default port, a void fragment
//!   where the document says that it is none, and what RFC 8141 3.1 leaves out of
//!   the comparison of URNs. Any other fragment is brought to the same level of
//!   escapes.
//! * **prospero in url-00**: "The host and port parts are used", but the BNF has a
//!   path alone. Its first segment is the host; "%23" ends the object name.

mod canonical;
mod cautions;
mod class;
mod components;
mod current;
mod cursor;
#[cfg(feature = "psl")]
mod domain;
mod draft00;
mod draft03;
mod draft06;
mod iri;
mod parts;
mod profile;
mod punycode;
mod reject;
mod resolve;
mod rfc1630;
mod rfc1738;
mod surt;
#[cfg(test)]
mod tests;
mod unwrap;

pub use cautions::{Caution, Cautions, CautionsIter};
pub use components::{News, Parts, decode, decoded};
#[cfg(feature = "psl")]
pub use domain::registered_domain;
pub use parts::{Host, Meta, Url, UrlBuf};
pub use profile::{Profile, UnknownProfile};
pub use reject::{Found, Reject, Rule};
pub use resolve::{ResolveError, resolve};

use cursor::Cursor;
use profile::SchemeKey;
use reject::Refusal;

/// Checks `url` against the document of `profile`, and finds its parts.
///
/// # Errors
///
/// A [`Reject`] with the rule and the offset. Every profile refuses a text of
/// 4 GiB or more as too long.
///
/// # Complexity
///
/// Linear: each byte is read once, bytes before an `@` twice. No allocation.
#[inline]
pub fn validate(profile: Profile, url: &[u8]) -> Result<Url<'_>, Reject> {
    match read(profile, url, Production::OfScheme) {
        Ok(meta) => Ok(Url::new(url, meta)),
        Err(fault) => Err(Reject::new(profile, url, fault)),
    }
}

/// As [`validate`], but uses the generic production only.
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
    /// The scheme's own if it has one (docs/profiles.md, ruling 2).
    OfScheme,
    Generic,
}

#[inline]
fn read(profile: Profile, url: &[u8], production: Production) -> Result<Meta, Refusal> {
    // One value is kept free for "no such place".
    let len = match u32::try_from(url.len()) {
        Ok(len) if len < u32::MAX => len,
        _ => {
            return Err(Refusal {
                rule: Rule::TooLong,
                at: u32::MAX,
            });
        }
    };
    let document = profile.document();
    let mut cursor = Cursor::new(url, document.beyond);
    let key = if let Some((len, key)) = SchemeKey::of_web(url) {
        cursor.jump(len);
        key
    } else {
        (document.scheme)(&mut cursor)?;
        SchemeKey::of(cursor.since(0))
    };
    let scheme_end = cursor.mark();
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
    Ok(Meta::new(profile, scheme_end, cursor.shape(), end, len))
}
