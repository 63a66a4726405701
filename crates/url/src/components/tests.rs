//! Tests of the parent module.

use super::*;
use crate::{Profile, validate};

fn show(profile: Profile, url: &str) -> String {
    let url = validate(profile, url.as_bytes()).expect(url);
    let parts: Vec<_> = url
        .components()
        .map(|(name, part)| format!("{name}={}", part))
        .collect();
    parts.join(" ")
}

#[test]
fn every_kind_has_its_components() {
    use Profile::{Current, Rfc1738, Url00, Url03, Url06, WwwUri00};
    for (profile, url, expected) in [
        (
            Current,
            "http://u:p@h:1/a?b#c",
            "scheme=http user=u password=p host=h port=1 path=/a query=b fragment=c",
        ),
        (
            Current,
            "http://h?#",
            "scheme=http host=h path= query= fragment=",
        ),
        (
            Current,
            "ftp://@h/a/b;type=A",
            "scheme=ftp user= host=h path=/a/b typecode=A",
        ),
        (
            Current,
            "ftp://u:@h",
            "scheme=ftp user=u password= host=h path=",
        ),
        (Current, "file:///a", "scheme=file host= path=/a"),
        (Current, "file:/a", "scheme=file path=/a"),
        (Current, "gopher://h/", "scheme=gopher host=h"),
        (
            Current,
            "gopher://h/0",
            "scheme=gopher host=h gtype=0 selector=",
        ),
        (
            Current,
            "gopher://h/0a%09b%09c%09d",
            "scheme=gopher host=h gtype=0 selector=a search=b gopher-plus=c%09d",
        ),
        (
            Current,
            "gopher://h/%090%09",
            "scheme=gopher host=h gtype=%09 selector=0 search=",
        ),
        (
            WwwUri00,
            "gopher://h/0a/b?c+d",
            "scheme=gopher host=h gtype=0 selector=a/b search=c+d",
        ),
        (
            Current,
            "mailto:a@b,c@d?subject=e",
            "scheme=mailto to=a@b,c@d headers=subject=e",
        ),
        (Current, "mailto:", "scheme=mailto to="),
        (Current, "news:*", "scheme=news group=*"),
        (Current, "news:a@b", "scheme=news article=a@b"),
        (
            Current,
            "news://h:1/a@b",
            "scheme=news host=h port=1 article=a@b",
        ),
        (Current, "news:///a", "scheme=news host= group=a"),
        (Rfc1738, "news:/a@b", "scheme=news article=/a@b"),
        (
            Current,
            "nntp://h/g/12",
            "scheme=nntp host=h group=g number=12",
        ),
        (Url03, "nntp:g/12", "scheme=nntp group=g number=12"),
        (Current, "telnet://h/", "scheme=telnet host=h path=/"),
        (
            Current,
            "wais://h/d?s",
            "scheme=wais host=h database=d search=s",
        ),
        (
            Current,
            "wais://h//t/p",
            "scheme=wais host=h database= wtype=t wpath=p",
        ),
        (
            Url00,
            "wais://h/d/t/12/p/q",
            "scheme=wais host=h database=d wtype=t length=12 wpath=p/q",
        ),
        (
            Current,
            "prospero://h//p/q;a=b;c=d",
            "scheme=prospero host=h object=/p/q fields=a=b;c=d",
        ),
        (
            Url06,
            "prospero://h/;a=b=c",
            "scheme=prospero host=h object= fields=a=b=c",
        ),
        (Url00, "prospero://h/p", "scheme=prospero host=h object=p"),
        (
            Url03,
            "prospero://h/p%00",
            "scheme=prospero host=h object=p version=",
        ),
        (
            Url03,
            "prospero://h/p%00%00a",
            "scheme=prospero host=h object=p version= attributes=%00a",
        ),
        (
            WwwUri00,
            "prospero://h/p%0012a",
            "scheme=prospero host=h object=p version=12 attributes=a",
        ),
        (Url00, "afs://c/p", "scheme=afs host=c path=/p"),
        (Current, "mid:a@b/c@d", "scheme=mid id=a@b content-id=c@d"),
        (Current, "cid:a@b", "scheme=cid id=a@b"),
        (
            Current,
            "urn:ab:c/d?+e?=f",
            "scheme=urn nid=ab nss=c/d query=+e?=f",
        ),
        (
            Current,
            "tel:+1-2;ext=3;a",
            "scheme=tel number=+1-2 parameters=ext=3;a",
        ),
        (Current, "foo://h/p?q", "scheme=foo host=h path=/p query=q"),
        (Current, "foo:p?q", "scheme=foo path=p query=q"),
        (Rfc1738, "foo://h/p?q", "scheme=foo path=//h/p?q"),
    ] {
        assert_eq!(show(profile, url), expected, "{profile} {url}");
    }
}

#[test]
fn addresses_of_a_mailto_url() {
    let current = |url: &'static str| validate(Profile::Current, url.as_bytes()).expect(url);
    let addresses = |text| {
        let addresses = current(text).addresses();
        addresses.collect::<Vec<_>>()
    };
    assert_eq!(addresses("mailto:a@b.example"), ["a@b.example"]);
    assert_eq!(
        addresses("mailto:a%41@b.example,%22c,d%22@e.example"),
        ["a%41@b.example", "%22c,d%22@e.example"]
    );
    assert_eq!(
        addresses("mailto:%22a%5C%22,%22@b.example,%22c%5Cd,%22@e.example"),
        ["%22a%5C%22,%22@b.example", "%22c%5Cd,%22@e.example"]
    );
    // The order of backslashes and quotation marks must not matter. In a
    // dot-atom a quotation mark is an ordinary escape (RFC 6068).
    for (to, expected) in [
        (
            "%22c%5Cd,%22@e.example,%22a%5c%22,%22@b.example",
            &["%22c%5Cd,%22@e.example", "%22a%5c%22,%22@b.example"][..],
        ),
        (
            "%22a%41%22@b.exampl%65,c@d.example",
            &["%22a%41%22@b.exampl%65", "c@d.example"],
        ),
        (
            "a%22b@c.example,d@e.example",
            &["a%22b@c.example", "d@e.example"],
        ),
        (
            "a%5C%22b@c.example,d%22@e.example",
            &["a%5C%22b@c.example", "d%22@e.example"],
        ),
        (
            "a@%5B1,2%5D,b@%5bc,%5C%5d",
            &["a@%5B1,2%5D", "b@%5bc,%5C%5d"],
        ),
        ("%22a@%5B,%22@b.example", &["%22a@%5B,%22@b.example"]),
        (
            "%22a,%5D,%22@b.example,c@d",
            &["%22a,%5D,%22@b.example", "c@d"],
        ),
        (
            "a%5Bb@c.example,d%5D@e.example",
            &["a%5Bb@c.example", "d%5D@e.example"],
        ),
    ] {
        let url = format!("mailto:{to}");
        let url = validate(Profile::Current, url.as_bytes()).expect(to);
        assert!(url.addresses().eq(expected.iter().copied()), "{to}");
    }
    assert_eq!(addresses("http://a.example/"), [""; 0]);
    assert_eq!(current("mailto:?a=b").addresses().count(), 0);
}

#[test]
fn escapes_are_decoded_once() {
    let decoded = |text: &[u8]| decode(text).collect::<Vec<u8>>();
    assert_eq!(decoded(b"a%2fb%2541%"), b"a/b%41%");
    assert_eq!(decoded(b"%4x%00%ff"), b"%4x\x00\xff");
}
