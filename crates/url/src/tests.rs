//! Tests of the whole validator: the fault of each rule, and properties that
//! hold for any bytes. The verdicts of every production are rows of
//! `testdata/grammar`, one profile after the other.

use super::*;

use Profile::{Current, Iri, Rfc1738, Url00, Url03, Url06, WwwUri00};

fn verdict(profile: Profile, url: &[u8]) -> String {
    match validate(profile, url) {
        Ok(_) => "ok".to_owned(),
        Err(reject) => format!("{}@{}", reject.rule, reject.at),
    }
}

/// A string, and the `rule@offset` of its reject. `ok` marks a valid neighbour of
/// refused strings. `PATH` is `segment` in www-uri-00, and `path` in the other
/// profiles.
type Refused = (&'static str, &'static str);

/// At least one refused string for every rule of every profile. The offset is
/// that of the first byte after which no continuation makes the string valid, or
/// the end of the string. Continuations with an `@` are an exception.
const REFUSED: &[(&[Profile], &[Refused])] = &[
    (
        &[Url00, Url03, WwwUri00],
        &[
            ("", "scheme@0"),
            ("1:", "scheme@0"),
            ("foo", "scheme@3"),
            ("a%4:", "scheme@3"),
            ("/g", "scheme@0"),
            ("foo:a?", "search@6"),
            ("foo:a?b?", "search@7"),
            ("http:/", "httpaddress@6"),
            ("http://", "host@7"),
            ("http://:80/", "host@7"),
            ("http://a/<", "PATH@9"),
            ("http://a/%zz", "PATH@10"),
            ("http://a/%4", "PATH@11"),
            ("foo: ", "PATH@4"),
            ("http://a~/", "hostname@8"),
            ("http://1.2.3/", "hostnumber@12"),
            ("http://1.2.3.4.5/", "hostnumber@14"),
            ("http://a:/", "port@9"),
            ("http://a:8x", "port@10"),
            ("news:1", "groupart@5"),
            ("news:*x", "groupart@6"),
            ("news:a~", "group@6"),
            ("news:@a", "article@5"),
            ("news:a~@b", "article@6"),
            ("news:a@", "host@7"),
            ("news:a@b~", "hostname@8"),
            ("wais:a", "waisaddress@5"),
            ("wais://a", "waisaddress@8"),
            ("wais://a/", "database@9"),
            ("wais://a/b/", "wtype@11"),
            ("wais://a/b/c", "waisdoc@12"),
            ("telnet:", "telnetaddress@7"),
            ("telnet://a/", "telnetaddress@10"),
            ("gopher:a", "gopheraddress@7"),
            ("gopher://a/", "gtype@11"),
            ("gopher://a/0~", "selector@12"),
        ],
    ),
    (
        &[Url00],
        &[
            ("foo:a#~", "anchorid@6"),
            ("http://@a/", "user@7"),
            ("http://~@a/", "user@7"),
            ("foo:a:b", "path@5"),
            ("ftp:", "fileaddress@4"),
            ("ftp://a", "fileaddress@7"),
            ("ftp://a:1/", "hostname@7"),
            ("afs:", "afsaddress@4"),
            ("afs://a", "afsaddress@7"),
            ("afs://1/", "hostname@6"),
            ("afs://a@/", "hostname@7"),
            ("wais://a/b/c/d", "digits@13"),
            ("prospero:/", "prosperoaddress@10"),
        ],
    ),
    (
        &[Url03, WwwUri00],
        &[
            ("foo:a#~", "fragmentid@6"),
            ("ftp:", "ftpaddress@4"),
            ("ftp://a", "ftpaddress@7"),
            ("ftp://@a/", "user@6"),
            ("ftp://a:@a/", "password@8"),
            ("ftp://a:b~@a/", "password@9"),
            ("afs://a/b", "afsaddress@3"),
            ("AFS:", "afsaddress@3"),
            ("nntp:1", "group@5"),
            ("nntp:a", "nntpaddress@6"),
            ("nntp:a/", "digits@7"),
            ("nntp:a/1b", "digits@8"),
            ("mailto:a", "mailtoaddress@8"),
            ("mailto:a/b@c", "mailtoaddress@8"),
            ("mailto:@c", "mailtoaddress@7"),
            ("mailto:a@1", "hostname@9"),
            ("http://a@b/", "hostname@8"),
            ("prospero:a", "prosperolink@9"),
            ("prospero://a", "prosperolink@12"),
            ("prospero://a/~", "PATH@13"),
            ("prospero://a/b%00-", "version@17"),
            ("prospero://a/b%001a-", "attribute@19"),
        ],
    ),
    (
        &[Url03],
        &[
            ("wais://a/b/c/d", "digits@13"),
            ("foo:a?+", "search@6"),
            ("foo:a?b+", "search@8"),
            ("prospero://a/b%00%00", "attribute@20"),
        ],
    ),
    (
        &[WwwUri00],
        &[
            ("mid:a", "addr-spec@5"),
            ("mid:@a", "addr-spec@4"),
            ("cid:a@", "content-identifier@6"),
            ("cid:a@/", "content-identifier@6"),
            ("prospero://a/b%00a", "version@17"),
        ],
    ),
    (
        &[Url06, Rfc1738],
        &[
            (":", "scheme@0"),
            ("a%41:", "scheme@1"),
            ("a_b:", "scheme@1"),
            ("foo:<", "schemepart@4"),
            ("foo:#<", "fragment@5"),
            ("http://", "host@7"),
            ("http:///", "host@7"),
            ("http://:80/", "host@7"),
            ("http://a<", "hostname@8"),
            ("http://a@b/", "hostname@8"),
            ("http://a?b", "httpurl@8"),
            ("http://1.2.3/", "hostnumber@12"),
            ("http://a:/", "port@9"),
            ("http://a:8x/", "port@10"),
            ("ftp://a/b@c<", "fsegment@11"),
            ("ftp://a<@b/", "user@7"),
            ("ftp://a:b<@b/", "password@9"),
            ("ftp://a:b:c@b/", "password@9"),
            ("ftp://a@b@c/", "hostname@9"),
            ("ftp:/", "ftpurl@5"),
            ("ftp://a/b;", "ftpurl@10"),
            ("ftp://a/b;Type=a", "ftpurl@10"),
            ("ftp://a/;type=x", "ftptype@14"),
            ("ftp://a/;type=ax", "ftptype@15"),
            ("file:", "fileurl@5"),
            ("file:/a", "fileurl@6"),
            ("file:///;", "fsegment@8"),
            ("http:a", "httpurl@5"),
            ("http://a/%zz", "hsegment@10"),
            ("http://a/b?c?", "search@12"),
            ("http://a/b?c/d", "search@12"),
            ("gopher:", "gopherurl@7"),
            ("gopher://a/<", "gtype@11"),
            ("gopher://a/0<", "selector@12"),
            ("mailto:", "encoded822addr@7"),
            ("news:", "grouppart@5"),
            ("news:1", "grouppart@5"),
            ("news:**", "grouppart@6"),
            ("news:a*", "group@6"),
            ("news:@a", "article@5"),
            ("news:a@b@c", "hostname@8"),
            ("nntp:a", "nntpurl@5"),
            ("nntp://a", "nntpurl@8"),
            ("nntp://a/1", "group@9"),
            ("nntp://a/b/", "digits@11"),
            ("telnet:a", "telneturl@7"),
            ("telnet://a/b", "telneturl@11"),
            ("wais:a", "waisurl@5"),
            ("wais://a", "waisurl@8"),
            ("wais://a/;", "database@9"),
            ("wais://a/b/c", "waisdoc@12"),
            ("wais://a/b/c?", "wtype@12"),
            ("wais://a/b/c/d/", "wpath@14"),
            ("prospero:", "prosperourl@9"),
            ("prospero://a", "prosperourl@12"),
            ("prospero://a/<", "psegment@13"),
            ("prospero://a/;", "fieldspec@14"),
            ("prospero://a/;b;", "fieldname@15"),
            ("prospero://a/;b=<", "fieldvalue@16"),
        ],
    ),
    (
        &[Rfc1738],
        &[
            ("http://h_st/", "hostname@8"),
            ("http://a./", "hostname@9"),
            ("http://a..b/", "hostname@9"),
            ("http://a-/", "hostname@9"),
            ("http://-a/", "hostname@7"),
            ("http://a.-b/", "hostname@9"),
            ("http://a.1/", "hostname@10"),
            ("http://1/", "hostnumber@8"),
            ("http://1..2/", "hostnumber@9"),
            ("http://1.2.3.4.5/", "hostname@16"),
            ("file://a", "fileurl@8"),
            ("http://a/~b", "hsegment@9"),
            ("http://a/b=c", "ok"),
            ("wais://a/b=c", "database@10"),
            ("prospero://a/;b=c=d", "fieldvalue@17"),
        ],
    ),
    (
        &[Current],
        &[
            ("1a:", "scheme@0"),
            ("a", "scheme@1"),
            ("foo://a b", "reg-name@7"),
            ("foo://a<@b", "userinfo@7"),
            ("foo://a:b", "port@8"),
            ("foo://a:9999999", "ok"),
            ("foo:a[", "segment@5"),
            ("foo:a?[", "query@6"),
            ("foo:a#b#", "fragment@7"),
            ("foo://[::1", "IPv6address@10"),
            ("foo://[::1]a", "IP-literal@11"),
            ("foo://[]", "IP-literal@7"),
            ("foo://[::1.2.3]", "IPv6address@14"),
            ("foo://[::1.2.256.3]", "IPv6address@15"),
            ("foo://[::01.2.3.4]", "IPv6address@11"),
            ("foo://[v1.a%41]", "IPvFuture@11"),
            ("foo://[1:2:3:4:5:6:7]", "IPv6address@20"),
            ("foo://[1:2:3:4:5:6:7:8:9]", "IPv6address@22"),
            ("foo://[::1::]", "IPv6address@11"),
            ("foo://[12345::]", "IPv6address@11"),
            ("foo://[v1.]", "IPvFuture@10"),
            ("foo://[v.a]", "IPvFuture@8"),
            ("http:a", "http-URI@5"),
            ("http://", "host@7"),
            ("http://:80/", "host@7"),
            ("http://-a/", "reg-name@7"),
            ("http://a-/", "reg-name@9"),
            ("http://a..b/", "reg-name@9"),
            ("http://a.-b/", "reg-name@9"),
            ("http://a~b/", "reg-name@8"),
            ("http://a%4/", "reg-name@10"),
            ("http://a%7E/", "reg-name@10"),
            ("http://999.1.1.1/", "IPv4address@16"),
            ("http://1.2.3.4./", "IPv4address@15"),
            ("http://a.1/", "IPv4address@10"),
            ("http://a:65536/", "port@13"),
            ("http://a:99999/", "port@13"),
            ("http://a:b@c:d/", "port@13"),
            ("http://u@/", "host@9"),
            ("http://u<@a/", "userinfo@8"),
            ("ws://a@b/", "reg-name@6"),
            ("ws:", "ws-URI@3"),
            ("wss:", "wss-URI@4"),
            ("https:", "https-URI@6"),
            ("ws://a/#", "ws-URI@7"),
            ("ftp://a/b?c;x", "ftpurl@12"),
            ("ftp://a/b|", "fsegment@9"),
            ("ftp://a/;type=x", "ftptype@14"),
            ("ftp://a|@b/", "userinfo@7"),
            ("ftp://a:b:c@b/", "ok"),
            ("ftp://a?b", "ftpurl@7"),
            ("file:a", "file-URI@5"),
            ("file://a", "path-absolute@8"),
            ("file:////a", "path-absolute@8"),
            ("file:///a?b", "file-URI@9"),
            ("file:///a|", "segment@9"),
            ("file://a:1/", "reg-name@8"),
            ("mailto:a", "addr-spec@8"),
            ("mailto:a;b@c", "local-part@8"),
            ("mailto:.a@b", "local-part@7"),
            ("mailto:a..b@c", "local-part@9"),
            ("mailto:a.@b", "local-part@9"),
            ("mailto:@b", "local-part@7"),
            ("mailto:a%2Eb%2E@c", "local-part@15"),
            ("mailto:a%2E%2Eb@c", "local-part@13"),
            ("mailto:%22a;%22@c", "local-part@11"),
            ("mailto:%22a@c", "local-part@13"),
            ("mailto:a@b,", "local-part@11"),
            ("mailto:a@", "domain@9"),
            ("mailto:a@b@c", "domain@10"),
            ("mailto:a@b?c", "hfield@12"),
            ("mailto:a@b?c/d=e", "hfname@12"),
            ("mailto:a@b?c=d=e", "hfvalue@14"),
            ("mailto:?a=b&", "hfield@12"),
            ("mailto:?a=b&&c=d", "hfname@12"),
            ("mid:a", "message-id@5"),
            ("mid:a@b/", "content-id@8"),
            ("cid:a@b/c", "content-id@7"),
            ("news://a", "newsURL@8"),
            ("news:/a", "newsURL@6"),
            ("news:a~", "newsgroups@6"),
            ("news:a?b", "newsgroups@6"),
            ("news:a@b/c", "article@8"),
            ("news:a%3E@b", "article@8"),
            ("news:a@%5B%3e%5D", "article@12"),
            ("news:a@%5B1", "article@11"),
            ("nntp:a", "nntpURL@5"),
            ("nntp:///a", "host@7"),
            ("nntp://a", "nntpURL@8"),
            ("nntp://a/*", "group@9"),
            ("nntp://a/b/", "article-number@11"),
            ("nntp://a/b/12345678901234567", "article-number@27"),
            ("gopher:", "gopherurl@7"),
            ("gopher://a@b/", "reg-name@10"),
            ("gopher://a/|", "gtype@11"),
            ("gopher://a/0|", "selector@12"),
            ("telnet:", "telneturl@7"),
            ("telnet://a/b", "telneturl@11"),
            ("wais://a", "waisurl@8"),
            ("wais://a/;", "database@9"),
            ("wais://a/b?/", "search@11"),
            ("wais://a/b/c", "waisdoc@12"),
            ("wais://a/b/;", "wtype@11"),
            ("wais://a/b/c/d/", "wpath@14"),
            ("prospero://u@a/", "reg-name@12"),
            ("prospero://a", "prosperourl@12"),
            ("prospero://a/|", "psegment@13"),
            ("prospero://a/;b", "fieldspec@15"),
            ("prospero://a/;;", "fieldname@14"),
            ("prospero://a/;b=c=", "fieldvalue@17"),
            ("urn:a:b", "NID@5"),
            ("urn:-ab:c", "NID@4"),
            ("urn:ab-:c", "NID@7"),
            ("urn:abcdefghijabcdefghijabcdefghijabc:d", "NID@36"),
            ("urn:ab", "assigned-name@6"),
            ("urn:ab:", "NSS@7"),
            ("urn:ab:c[", "NSS@8"),
            ("urn:ab:c?", "rq-components@9"),
            ("urn:ab:c?+", "r-component@10"),
            ("urn:ab:c?=", "q-component@10"),
            ("tel:+", "global-number@5"),
            ("tel:+-", "global-number@6"),
            ("tel:x", "telephone-uri@4"),
            ("tel:-", "local-number@5"),
            ("tel:12", "local-number@6"),
            ("tel:12;phone-context=", "context@21"),
            ("tel:12;phone-context=1", "context@22"),
            ("tel:12;phone-context=a-", "context@23"),
            ("tel:+1;", "par@7"),
            ("tel:+1;a=", "par@9"),
            ("tel:+1;ext=a", "extension@11"),
            ("tel:+1;isub=", "isdn-subaddress@12"),
        ],
    ),
];

#[test]
fn every_rule_refuses_where_it_should() {
    for &profile in &Profile::ALL[..7] {
        // `iri` refuses the same ASCII texts as `current`.
        let same = if profile == Iri { Current } else { profile };
        let tables = REFUSED.iter().filter(|row| row.0.contains(&same));
        for (url, expected) in tables.flat_map(|row| row.1) {
            let path = if profile == WwwUri00 {
                "segment"
            } else {
                "path"
            };
            let expected = expected.replace("PATH", path);
            assert_eq!(
                verdict(profile, url.as_bytes()),
                expected,
                "{profile} {url}"
            );
        }
    }
}

/// The examples of the grammars, and the changes of each document.
#[test]
fn every_profile_accepts_its_own_examples() {
    for (profiles, urls) in [
        (
            &[Url00][..],
            &[
                "file://boombox.micro.umn.edu/pub/gopher/gopher_protocol",
                "gopher://gopher.micro.umn.edu:70/00/Information%20About%20Gopher/About%20Gopher",
                "file://info.cern.ch./pub/www/doc/http.txt",
                "wais://quake.think.com/wais-discussion-archives?lynch",
                "http://u@h",
                "ftp://u@h/",
                "afs://c/p",
                "news:a@1.2.3.4",
                "prospero://",
            ][..],
        ),
        (
            &[Url03, WwwUri00],
            &[
                "ftp://a@b:c:d@h:99999/",
                "magic://a/b/c//d/e/f",
                "news:a:b",
                "mailto:a@b@c",
                "prospero://h/p%0012",
            ],
        ),
        (
            &[WwwUri00],
            &[
                "http://info.cern.ch/albert/bertram/marie%2Dclaude",
                "urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3",
                "foo:?+",
                "wais://a/b/c/",
            ],
        ),
        (
            &[Url06, Rfc1738],
            &[
                "ftp://info.cern.ch/pub/www/doc;type=d",
                "ftp://@host.com/",
                "ftp://foo:@host.com/",
                "file:///a",
                "file://localhost/a",
                "news:*",
                "news:*@a",
                "prospero://host.dom//pros/name",
                "gopher://a/%09%0D",
                "1+2.3-4:",
            ],
        ),
        (&[Url06], &["http://a_~%41/~[]", "file://", "http://a..-/"]),
        (&[Rfc1738], &["http://1a.2-b.c3/", "http://1.2.3.999"]),
        (
            &[Current],
            &[
                "http://a_b.example./",
                "http://_/",
                "http://u:p:q@a/",
                "http://1.2.3.4:/",
                "http://[::]/",
                "http://[1:2:3:4:5:6:7::]/",
                "http://[::1:2:3:4:5:6:7]/",
                "http://[::ffff:1.2.3.4]/",
                "http://[1:2:3:4:5:6:1.2.3.4]/",
                "http://[1::1.2.3.4]/",
                "http://[v1.a:b]/",
                "foo://:/",
                "foo://@:",
                "foo:/",
                "foo:",
                "ldap:///o=x??sub?(a=b)",
                "news://:119/a",
                "news:",
                "mailto:gorby%25kremvax@example.com",
                "mailto:unlikely%3Faddress@example.com?blat=foop",
                "mailto:Mike%26family@example.org",
                "mailto:%22not%40me%22@example.org",
                "mailto:%22oh%5C%5Cno%22@example.org",
                "mailto:%22%5C%5C%5C%22it's%5C%20ugly%5C%5C%5C%22%22@example.org",
                "mailto:user@%E7%B4%8D%E8%B1%86.example.org?subject=Test&body=NATTO",
                "mailto:a@%5B1.2.3.4%5D",
                "mailto:a%2Eb@c",
                "cid:foo4*foo1@bar.net",
                "mid:foo4%25foo1@bar.net/a@b",
                "tel:+1-201-555-0123",
                "tel:7042;phone-context=example.com",
                "tel:863-1234;phone-context=+1-914-555",
                "tel:*21;ext=1;phone-context=a.b.;c=d",
                "urn:example:foo-bar-baz-qux?+CCResolve:cc=uk?=op=map#frag",
                "svn+ssh://a~b/",
            ],
        ),
    ] {
        for profile in profiles {
            for url in urls {
                assert_eq!(verdict(*profile, url.as_bytes()), "ok", "{profile} {url}");
            }
        }
    }
}

#[test]
fn limits_of_a_name() {
    let label = "a".repeat(63);
    let name = format!("{label}.{label}.{label}.{}", "a".repeat(61));
    assert_eq!(name.len(), 253);
    for (host, expected) in [
        (label.clone(), "ok"),
        (format!("{label}a"), "reg-name@70"),
        (format!("b.{label}a"), "reg-name@72"),
        (name.clone(), "ok"),
        (format!("{name}."), "ok"),
        (format!("{name}a"), "reg-name@260"),
        // The text before this offset is a name and a final dot.
        (format!("{name}.a"), "reg-name@261"),
    ] {
        for tail in [
            "",
            "/",
            ":1",
            "/a-tail-that-is-longer-than-thirty-two-bytes",
        ] {
            let url = format!("http://{host}{tail}");
            assert_eq!(verdict(Current, url.as_bytes()), expected, "{url}");
        }
    }
}

#[test]
fn a_reject_says_what_it_found() {
    let show = |profile, url: &[u8]| validate(profile, url).unwrap_err().to_string();
    assert_eq!(
        show(Rfc1738, b"http://h_st/"),
        "rfc1738 hostname, byte 8: `_`"
    );
    assert_eq!(
        show(Current, b"http://a/\xff"),
        "current segment, byte 9: 0xFF"
    );
    assert_eq!(
        show(Url03, b"mailto:a"),
        "url-03 mailtoaddress, byte 8: the end"
    );
}

#[test]
fn a_url_is_small_and_finds_its_text_again() {
    assert!(size_of::<Result<Url<'_>, Reject>>() <= 56);
    let text = b"http://u:p@a.example:1/b?c#d".to_vec();
    let url = validate(Current, &text).unwrap();
    let meta = url.meta();
    assert_eq!(meta.with(&text), url);
    // With any other text the result is arbitrary, but there is no panic.
    for other in [&b""[..], b"x", b"http://u:p@"] {
        assert!(meta.with(other).components().count() > 0);
    }
}

/// A generator without dependencies: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Mutants of the strings in [`REFUSED`]: up to three times, a byte is changed,
/// removed or inserted, or an escape is inserted.
fn mutants(mut each: impl FnMut(&[u8])) {
    const BYTES: &[u8] = b"/:@?#%.;=&+-_~*,[]<> \x00\xff0129azAZ\"'()!$|\\^`{}";
    let seeds = REFUSED.iter().flat_map(|row| row.1).map(|row| row.0);
    let seeds: Vec<&str> = seeds.collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    // Miri is some hundred times slower.
    let rounds = if cfg!(miri) { 100 } else { 40_000 };
    for round in 0..rounds {
        let mut url = seeds[random.below(seeds.len())].as_bytes().to_vec();
        for _ in 0..round % 4 {
            let at = random.below(url.len() + 1);
            let byte = BYTES[random.below(BYTES.len())];
            match random.below(5) {
                0 if at < url.len() => drop(url.remove(at)),
                1 if at < url.len() => url[at] = byte,
                2 => drop(url.splice(at..at, *b"%41")),
                3 => drop(url.splice(at..at, *b"%7e")),
                _ => url.insert(at, byte),
            }
        }
        each(&url);
    }
}

/// Checks that components are in order, with only delimiters between them.
fn reassemble(url: &Url<'_>) {
    const DELIMITERS: [&str; 16] = [
        "", ":", "://", ":///", "@", "/", "//", "?", "#", ";", ";type=", "%00", "%09", "/?", "/#",
        "%23",
    ];
    let text = url.as_bytes();
    let shown = String::from_utf8_lossy(text);
    let mut end = 0;
    let mut gaps = Vec::new();
    for (name, part) in url.components() {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        let gap = text.get(end..start);
        gaps.push(gap.unwrap_or_else(|| panic!("{name} is out of order: {shown}")));
        end = start + part.len();
    }
    gaps.push(&text[end..]);
    for gap in gaps {
        let gap = String::from_utf8_lossy(gap);
        assert!(
            DELIMITERS.contains(&&*gap),
            "{gap:?} in {} {shown}",
            url.profile()
        );
    }
}

#[test]
fn holds_for_any_bytes() {
    mutants(|text| {
        for &profile in &Profile::ALL[..7] {
            let shown = String::from_utf8_lossy(text);
            match validate(profile, text) {
                Ok(url) => {
                    reassemble(&url);
                    assert_eq!(url.meta().with(text), url);
                    let _ = (url.cautions(), url.port_number());
                    let mut canonical = Vec::new();
                    url.canonical_into(&mut canonical);
                    let again = validate(profile, &canonical);
                    let again = again.unwrap_or_else(|reject| panic!("{shown}: {reject}"));
                    let mut twice = Vec::new();
                    again.canonical_into(&mut twice);
                    assert_eq!(canonical, twice, "{profile} {shown}");
                    // The components that canonical forms drop.
                    let urn = url.component("nid").is_some();
                    let names = |url: Url<'_>| -> Vec<_> {
                        let kept = |&(name, part): &(&str, &str)| match name {
                            "port" => false,
                            "query" => !urn,
                            "fragment" => !urn && !part.is_empty(),
                            _ => true,
                        };
                        url.components().filter(kept).map(|part| part.0).collect()
                    };
                    assert_eq!(names(url), names(again), "{profile} {shown}");
                }
                Err(reject) => {
                    let at = reject.at as usize;
                    assert!(at <= text.len());
                    let found = text.get(at).copied();
                    assert_eq!(reject.found, found);
                }
            }
        }
    });
}

/// The bytes after the byte of a reject do not matter. The same beginning with
/// any other rest is refused at the same offset, if the rest has no `@`. A
/// later `@` can turn a host into a user name, or a group into an article.
#[test]
fn no_tail_makes_a_refused_prefix_valid() {
    mutants(|text| {
        for &profile in &Profile::ALL[..7] {
            let Err(reject) = validate(profile, text) else {
                continue;
            };
            let at = reject.at as usize;
            if at == text.len() || text.contains(&b'@') {
                continue;
            }
            for tail in [&b""[..], b"/", b"a.b/c", b"1", b":", b"?", b"#", b"=a"] {
                let other = [&text[..=at], tail].concat();
                let shown = String::from_utf8_lossy(&other).into_owned();
                let verdict = validate(profile, &other).expect_err(&shown);
                assert_eq!(
                    (verdict.rule, verdict.at),
                    (reject.rule, reject.at),
                    "{profile} {shown}"
                );
            }
        }
    });
}

#[test]
fn a_table_lists_each_scheme_once() {
    for &profile in &Profile::ALL[..7] {
        for table in profile.document().schemes {
            for (i, row) in table.iter().enumerate() {
                assert!(table[..i].iter().all(|other| other.0 != row.0));
            }
        }
    }
}
