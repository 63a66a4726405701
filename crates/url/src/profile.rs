//! The profiles. Each is one table that maps schemes to rule functions.

use urlgrep_base::named;

named! {
    /// The document that decides whether a string is a URL.
    ///
    /// The five early profiles follow the BNF of their document to the letter. They
    /// are closed: nothing new is added. `Current` follows today's RFCs. `Iri`
    /// accepts every URL of `Current` with the same parts, and also characters
    /// beyond ASCII.
    #[derive(Default)]
    pub enum Profile {
        /// draft-ietf-uri-url-00, 1993.
        Url00 => "url-00",
        /// draft-ietf-uri-url-03, 1993/94.
        Url03 => "url-03",
        /// draft-www-uri-00, March 1994, which became RFC 1630.
        WwwUri00 => "www-uri-00",
        /// draft-ietf-uri-url-06, August 1994.
        Url06 => "url-06",
        /// RFC 1738, December 1994.
        Rfc1738 => "rfc1738",
        /// RFC 3986 and the RFCs of the schemes.
        Current => "current",
        /// RFC 3987: `Current` and characters beyond ASCII. The default.
        #[default]
        Iri => "iri",
        /// The URL Standard: what a browser would open. The parser is the crate
        /// `url`.
        ["whatwg"]
        Whatwg => "whatwg",
    }
}

impl Profile {
    /// True for the profiles of RFC 3986, RFC 3987 and the URL Standard.
    #[inline]
    pub(super) const fn is_modern(self) -> bool {
        self as u8 >= Profile::Current as u8
    }
}
