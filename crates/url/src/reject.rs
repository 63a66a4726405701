//! Why a string is not a URL: the rule, the offset, and the byte at that
//! offset.
//!
//! The rule has its name in the document of the profile. It is the nearest
//! production with a structure of its own (`hostname`, `port`, `hsegment`), not
//! the character class inside it (`uchar`, `xalpha`). The byte is the first one
//! that no URL with the same beginning could have there.

use std::fmt;

use super::profile::Profile;
use urlgrep_base::named;

named! {
    /// A production that a [`Reject`] can name.
    ///
    /// Each name has one variant. For example, `hostname` of url-00 and of
    /// RFC 1738 is the same `Rule`, with a different meaning in each
    /// document.
    pub enum Rule {
        /// The text is longer than offsets can count (4 GiB). Not a rule of a
        /// document.
        TooLong => "length",
        /// The input ended inside the text, or before the bytes that decide where
        /// the text ends. The reason is a read error or a truncated compressed
        /// file. Not a rule of a document.
        InputEnded => "input ended",
        /// A blank line cuts the wrapper, so there is a `<URL:` without its `>`.
        /// The text before the line may be an incomplete URL. Or the value of an attribute
        /// of HTML has no closing quotation mark up to the end of the page. Not a rule of a
        /// document.
        Unclosed => "unclosed wrapper",
        /// Somebody left out a part of the URL: `https://gi..`, `http://a.example/x[…]`. Not a
        /// rule of a document.
        Abbreviated => "abbreviated",
        /// A line end cuts the URL before its host, or the host is only `www`. Not a rule of a
        /// document.
        CutHost => "cut host",
        /// A program replaces a name in the URL: `http://a.example/?q=$name`. Not a rule of a
        /// document.
        Placeholder => "placeholder",
        /// A partial form that has no meaning in the document. Only
        /// [`resolve`](super::resolve()) returns it.
        PartialForm => "partial form",

        /// All documents.
        Scheme => "scheme",

        /// url-00, url-03: `void | xpalphas [ / path ]`.
        Path => "path",
        /// www-uri-00: `xpalphas` between slashes. RFC 3986: `*pchar`.
        Segment => "segment",
        /// Words after `?` in the early documents.
        Search => "search",
        /// url-00: the text after `#`.
        Anchorid => "anchorid",
        /// url-03, www-uri-00: the text after `#`.
        Fragmentid => "fragmentid",
        /// `host = hostname | hostnumber` and, in RFC 3986, `IP-literal`.
        Host => "host",
        /// Name of a host in the early documents.
        Hostname => "hostname",
        /// Four groups of digits.
        Hostnumber => "hostnumber",
        /// Digits after a host's colon.
        Port => "port",
        /// User name before a host.
        User => "user",
        /// Password before a host.
        Password => "password",

        /// url-00, url-03, www-uri-00.
        Httpaddress => "httpaddress",
        /// url-00's name for the ftp address.
        Fileaddress => "fileaddress",
        /// url-03, www-uri-00.
        Ftpaddress => "ftpaddress",
        /// url-00; elsewhere "left in as historical note, but is not a url".
        Afsaddress => "afsaddress",
        /// url-00, url-03, www-uri-00: `* | group | article`.
        Groupart => "groupart",
        /// Name of a newsgroup.
        Group => "group",
        /// Message identifier of an article.
        Article => "article",
        /// url-03, www-uri-00: `group / digits`.
        Nntpaddress => "nntpaddress",
        /// url-03, www-uri-00: `xalphas @ hostname`.
        Mailtoaddress => "mailtoaddress",
        /// `waisindex | waisdoc`.
        Waisaddress => "waisaddress",
        /// A document within a wais database.
        Waisdoc => "waisdoc",
        /// Name of a wais database.
        Database => "database",
        /// Type of a wais document.
        Wtype => "wtype",
        /// Identifier of a wais document.
        Wpath => "wpath",
        /// Number of an article, or length of a wais document.
        Digits => "digits",
        /// url-00.
        Prosperoaddress => "prosperoaddress",
        /// url-03, www-uri-00.
        Prosperolink => "prosperolink",
        /// Version of a prospero object, after the first `%00`.
        Version => "version",
        /// The text after the version.
        Attribute => "attribute",
        /// url-00, url-03, www-uri-00.
        Telnetaddress => "telnetaddress",
        /// url-00, url-03, www-uri-00.
        Gopheraddress => "gopheraddress",
        /// One character, the type of a gopher item.
        Gtype => "gtype",
        /// -06, 1738: selector of a gopher item. In earlier documents it is a path.
        Selector => "selector",
        /// RFC 822 address: www-uri-00 `mid:`, RFC 6068 `mailto:`.
        AddrSpec => "addr-spec",
        /// www-uri-00 `cid:`.
        ContentIdentifier => "content-identifier",

        /// -06, 1738: the text after the colon of any other scheme.
        Schemepart => "schemepart",
        /// -06, 1738.
        Ftpurl => "ftpurl",
        /// Segment of an ftp or file path.
        Fsegment => "fsegment",
        /// One of `A I D a i d`.
        Ftptype => "ftptype",
        /// -06, 1738.
        Fileurl => "fileurl",
        /// -06, 1738.
        Httpurl => "httpurl",
        /// Segment of an http path.
        Hsegment => "hsegment",
        /// -06, 1738.
        Gopherurl => "gopherurl",
        /// -06, 1738: `1*xchar`.
        Encoded822addr => "encoded822addr",
        /// -06, 1738: `"*" | group | article`.
        Grouppart => "grouppart",
        /// -06, 1738.
        Nntpurl => "nntpurl",
        /// -06, 1738.
        Telneturl => "telneturl",
        /// -06, 1738.
        Waisurl => "waisurl",
        /// -06, 1738.
        Prosperourl => "prosperourl",
        /// Segment of a prospero object name.
        Psegment => "psegment",
        /// `";" fieldname "=" fieldvalue`.
        Fieldspec => "fieldspec",
        /// Name of a prospero field.
        Fieldname => "fieldname",
        /// Value of a prospero field.
        Fieldvalue => "fieldvalue",
        /// RFC 1808 and RFC 3986: the text after `#`.
        Fragment => "fragment",

        /// RFC 3986 3.2.1.
        Userinfo => "userinfo",
        /// RFC 3986 3.2.2. In schemes that require a name, RFC 1123 2.1.
        RegName => "reg-name",
        /// RFC 3986 3.2.2. A host whose last label has only digits must be one, because a name
        /// that looks like an address is none (RFC 1123 2.1).
        Ipv4Address => "IPv4address",
        /// RFC 3986 3.2.2: brackets.
        IpLiteral => "IP-literal",
        /// RFC 3986 3.2.2.
        Ipv6address => "IPv6address",
        /// RFC 3986 3.2.2.
        IpvFuture => "IPvFuture",
        /// RFC 3986 3.4.
        Query => "query",
        /// RFC 9110 4.2.
        HttpUri => "http-URI",
        /// RFC 9110 4.2.
        HttpsUri => "https-URI",
        /// RFC 6455 3.
        WsUri => "ws-URI",
        /// RFC 6455 3.
        WssUri => "wss-URI",
        /// RFC 8089 2.
        FileUri => "file-URI",
        /// RFC 3986 3.3; RFC 8089 2.
        PathAbsolute => "path-absolute",
        /// RFC 6068 2, RFC 5322: before the `@`.
        LocalPart => "local-part",
        /// RFC 6068 2, RFC 5322: after the `@`.
        Domain => "domain",
        /// RFC 6068 2: `hfname "=" hfvalue`.
        Hfield => "hfield",
        /// RFC 6068 2.
        Hfname => "hfname",
        /// RFC 6068 2.
        Hfvalue => "hfvalue",
        /// RFC 2392 2: the identifier of a message.
        MessageId => "message-id",
        /// RFC 2392 2: the identifier of a body part.
        ContentId => "content-id",
        /// RFC 5538 4.
        NewsUrl => "newsURL",
        /// RFC 5538 4.
        Newsgroups => "newsgroups",
        /// RFC 5538 3.
        NntpUrl => "nntpURL",
        /// RFC 5538 3: 1 to 16 digits.
        ArticleNumber => "article-number",
        /// RFC 8141 2: `urn:NID:NSS`.
        AssignedName => "assigned-name",
        /// RFC 8141 2.
        Nid => "NID",
        /// RFC 8141 2.
        Nss => "NSS",
        /// RFC 8141 2: after `?+`.
        RComponent => "r-component",
        /// RFC 8141 2: after `?=`.
        QComponent => "q-component",
        /// RFC 8141 2: the components that may follow the name.
        RqComponents => "rq-components",
        /// RFC 3966 3.
        TelephoneUri => "telephone-uri",
        /// RFC 3966 3: `+` and digits.
        GlobalNumber => "global-number",
        /// RFC 3966 3: digits and a context.
        LocalNumber => "local-number",
        /// RFC 3966 3: `;name` or `;name=value`.
        Par => "par",
        /// RFC 3966 3: `;phone-context=`, which a local number must have once.
        Context => "context",
        /// RFC 3966 3: `;ext=`.
        Extension => "extension",
        /// RFC 3966 3: `;isub=`.
        IsdnSubaddress => "isdn-subaddress",
    }
}

/// A fault of the grammar. With the text it becomes a [`Reject`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) rule: Rule,
    pub(super) at: u32,
}

/// The verdict that a string is not a URL under a profile.
///
/// It is an ordinary result, not a failure of the program. For example, it is
/// written as ``rfc1738 hostname, byte 11: `_` ``.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Reject {
    /// The profile that judged the string.
    pub profile: Profile,
    /// The production that failed.
    pub rule: Rule,
    /// The offset of the first byte that does not fit. It is the length of the
    /// string if the string ended too early. It counts in the string that was
    /// judged. In a hit that was joined or decoded, the segments and seams of the
    /// hit lead from there to a byte of the haystack.
    pub at: u32,
    /// The byte at the offset. `None` at the end of the string.
    pub found: Option<u8>,
}

impl Reject {
    /// Refuses a text without reading it, because it is too long. It has at
    /// least `len` bytes.
    #[doc(hidden)]
    #[must_use]
    pub fn too_long(profile: Profile, len: usize) -> Reject {
        Reject {
            profile,
            rule: Rule::TooLong,
            at: u32::try_from(len).unwrap_or(u32::MAX),
            found: None,
        }
    }

    /// Refuses a text of `len` bytes, because it does not end where it must.
    #[doc(hidden)]
    pub fn unended(rule: Rule, profile: Profile, len: usize) -> Reject {
        Reject {
            rule,
            ..Reject::too_long(profile, len)
        }
    }

    /// True if the text was read and refused.
    #[doc(hidden)]
    #[cfg(feature = "whatwg")]
    pub const fn is_of_grammar(&self) -> bool {
        !matches!(
            self.rule,
            Rule::TooLong
                | Rule::InputEnded
                | Rule::Unclosed
                | Rule::Abbreviated
                | Rule::CutHost
                | Rule::Placeholder
        )
    }

    #[cold]
    pub(super) fn new(profile: Profile, text: &[u8], fault: Refusal) -> Reject {
        let found = text.get(fault.at as usize);
        Reject {
            profile,
            rule: fault.rule,
            at: fault.at,
            found: found.copied(),
        }
    }
}

impl fmt::Display for Reject {
    /// Writes a graphic byte of ASCII between back-quotes, any other byte and the
    /// backslash as `0xNN`. So the text needs no escapes in any output.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (profile, rule, at) = (self.profile, self.rule, self.at);
        write!(f, "{profile} {rule}, byte {at}: ")?;
        match self.found {
            Some(byte @ 0x21..=0x7e) if byte != b'\\' => write!(f, "`{}`", char::from(byte)),
            Some(byte) => write!(f, "0x{byte:02X}"),
            None => f.write_str("the end"),
        }?;
        // The byte after the label shows the fault, but it is innocent.
        if rule == Rule::Ipv4Address {
            f.write_str(" after a last label of digits")?;
        }
        Ok(())
    }
}

impl std::error::Error for Reject {}
