//! Mail gateways, web sites and trackers that put a link of their own around another link.
//!
//! This crate takes the original out of such a link, and the finder recognises where a link
//! ends that was broken over lines.

/// Where a link has the original URL, before it is decoded.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// In the first of these query parameters that the link has. The pattern is
    /// the whole path. An empty pattern fits any path.
    In(&'static [&'static str]),
    /// After the pattern, up to the end of the link.
    Rest,
    /// In the fragment.
    Fragment,
}

/// A step of decoding. A step that does not fit means that there is no URL.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    Percent,
    /// Base64 in either alphabet (RFC 4648 sections 4 and 5).
    Base64,
    /// The string with this key in JSON.
    Json(&'static str),
    /// Only the text after the first of these that the text has.
    After(&'static [&'static str]),
    /// Only the text before this, or all of it.
    Until(&'static str),
    /// Something is missing before the text.
    Prefix(&'static str),
    /// Each first text becomes the second one, which is not longer.
    Replace(&'static str, &'static str),
    /// The characters that version 3 of urldefense keeps apart.
    Stars,
}

use Place::{Fragment, In, Rest};
use Step::{After, Base64, Json, Percent, Prefix, Replace, Stars, Until};

/// A service that puts links of its own around others.
#[derive(Clone, Copy)]
pub(crate) struct Gateway {
    /// In lower case. More labels may precede a host that begins with a dot. One or two labels of
    /// two or three bytes must follow a host that ends with one.
    pub(crate) hosts: &'static [&'static str],
    /// The beginning of the path, where [`Place`] does not say more. A `*` is one segment.
    pub(crate) path: &'static str,
    pub(crate) place: Place,
    /// How the text at the place is decoded.
    pub(crate) steps: &'static [Step],
}

const fn row(
    hosts: &'static [&'static str],
    path: &'static str,
    place: Place,
    steps: &'static [Step],
) -> Gateway {
    Gateway {
        hosts,
        path,
        place,
        steps,
    }
}

/// The first row whose host and path fit decides.
#[rustfmt::skip]
pub(crate) const GATEWAYS: &[Gateway] = &[
    // Microsoft, "Safe Links in Microsoft Defender for Office 365". The second
    // host belongs to the cloud of the US government.
    row(&[SAFE_LINKS, ".safelinks.protection.office365.us"], "", In(&["url"]), &[Percent]),
    // The proxy for images of Outlook on the web.
    row(&[".services.web.outlook.com"], "/proxy/", In(&["u"]), &[Percent]),
    // Proofpoint, "URL Decoder Utility": urldefense_decoder.py. It also decodes
    // other character references. Only `&amp;` occurs.
    row(PROOFPOINT, "/v1/url", In(&["u"]), &[Percent, Replace("&amp;", "&")]),
    row(PROOFPOINT, "/v2/url", In(&["u"]), &[Replace("-", "%"), Replace("_", "/"), Percent, Replace("&amp;", "&")]),
    row(PROOFPOINT, "/v3/__", Rest, &[Stars]),
    // Barracuda Campus, "Link Protection".
    row(&["linkprotect.cudasvc.com"], "/url", In(&["a"]), &[Percent]),
    // Mimecast, "Targeted Threat Protection: URL Protect". Its links contain a
    // code and the domain in clear text. Some contain the whole URL.
    row(&[".mimecast.com", ".mimecastprotect.com"], "", In(&["url", "u"]), &[Percent]),
    // Cisco Secure Email, "Outbreak Config": `secure-web.cisco.com/%(auth)s/%(url)s`.
    row(&["secure-web.cisco.com"], "/*/", Rest, &[Percent]),
    // Check Point, "Rewritten Avanan URL", V1 and V2. Some links of `r01` are
    // enciphered.
    row(&[".url-protection.com"], "/v1/url", In(&["o"]), &[Percent]),
    row(CHECK_POINT, "/v2/___", Rest, &[Until("___.")]),
    row(CHECK_POINT, "/v2/*/___", Rest, &[Until("___.")]),
    // Trend Micro, "Time-of-Click Protection".
    row(&[".trendmicro.com"], "/wis/clicktime/v1/query", In(&["url"]), &[Percent]),
    // Sophos Email, "Time of Click URL Protection".
    row(&[".protection.sophos.com"], "", In(&["u"]), &[Percent, Base64]),
    // Symantec "Click-time URL Protection"; FireEye; the web mail of GMX and WEB.DE.
    row(&["clicktime.symantec.com", ".fireeye.com"], "", In(&["u"]), &[Percent]),
    row(&["deref-gmx.com", "deref-gmx.net", "deref-web.de"], "", In(&["redirectUrl"]), &[Percent]),
    // Google: results of a search (`q`, and `url` in later links, whose `q` is empty), AMP pages and
    // their cache, the proxy for images, advertisements.
    row(GOOGLE, "/url", In(&["q", "url"]), &[Percent]),
    row(GOOGLE, "/amp/s/", Rest, &[Prefix("https://")]),
    row(GOOGLE, "/amp/", Rest, &[Prefix("http://")]),
    row(&[".cdn.ampproject.org"], "/*/s/", Rest, &[Prefix("https://")]),
    row(&[".cdn.ampproject.org"], "/*/", Rest, &[Prefix("http://")]),
    row(&[".googleusercontent.com"], "", Fragment, &[]),
    row(&["www.googleadservices.com"], "/pagead/aclk", In(&["adurl"]), &[Percent]),
    // Links that leave Facebook ("Link Shim"), Instagram, LinkedIn, YouTube, Slack.
    row(&["l.facebook.com", "lm.facebook.com", "www.facebook.com"], "/l.php", In(&["u"]), &[Percent]),
    row(&["l.instagram.com"], "/", In(&["u"]), &[Percent]),
    row(&["www.linkedin.com"], "/redir/redirect", In(&["url"]), &[Percent]),
    row(&["www.linkedin.com"], "/safety/go", In(&["url"]), &[Percent]),
    row(&["www.youtube.com"], "/redirect", In(&["q"]), &[Percent]),
    row(&["slack-redir.net"], "/link", In(&["url"]), &[Percent]),
    // Links that leave Steam (`u`, formerly `url`) and Reddit (`/t3_`, `/t5_` and an id).
    row(&["steamcommunity.com"], "/linkfilter/", In(&["u", "url"]), &[Percent]),
    row(&["steamcommunity.com"], "/linkfilter", In(&["u", "url"]), &[Percent]),
    row(&["out.reddit.com"], "", In(&["url"]), &[Percent]),
    // Results of a search by Bing (`a1` and base64) and by Yahoo (a segment
    // `RU=`, formerly the end after `**`).
    row(&["www.bing.com"], "/ck/a", In(&["u"]), &[After(&["a1"]), Base64]),
    row(&[".yahoo.com"], "", Rest, &[After(&["/RU=", "/**"]), Until("/RK="), Percent]),
    // Trackers: Amazon SES, Postmark, Mailchimp Transactional (JSON as a string in
    // JSON), Customer.io, Substack.
    row(&[".awstrack.me"], "/L0/", Rest, &[Until("/"), Percent]),
    row(&["click.pstmrk.it"], "/3s/", Rest, &[Until("/"), Percent, Prefix("https://")]),
    row(&["mandrillapp.com"], "", In(&["p"]), &[Percent, Base64, Json("p"), Json("url")]),
    row(&["e.customeriomail.com", "track.customer.io"], "/e/c/", Rest, &[Until("/"), Base64, Json("href")]),
    row(&["substack.com"], "/redirect/2/", Rest, &[Until("."), Base64, Json("e")]),
];

const SAFE_LINKS: &str = ".safelinks.protection.outlook.com";
const PROOFPOINT: &[&str] = &[PROOFPOINT_V2, PROOFPOINT_V3, PROOFPOINT_US];
const PROOFPOINT_V2: &str = "urldefense.proofpoint.com";
const PROOFPOINT_V3: &str = "urldefense.com";
const PROOFPOINT_US: &str = "urldefense.us";
const CHECK_POINT: &[&str] = &["url.avanan.click", "protect.checkpoint.com"];
pub(crate) const GOOGLE: &[&str] = &["www.google.", "google."];

/// Texts that a link has in this order. The second one ends it.
pub type Marks = [&'static [u8]; 2];

/// Links that end in a known way.
#[derive(Clone, Copy, Debug)]
pub struct LinkEnd {
    /// The end of the host.
    pub host: &'static str,
    /// The beginning of the path.
    pub path: &'static str,
    /// The texts before the end.
    pub marks: Marks,
}

/// The gateways whose links end in a known way.
pub const LINK_ENDS: [LinkEnd; 4] = [
    LinkEnd {
        host: SAFE_LINKS,
        path: "/?",
        marks: [b"sdata=", b"reserved=0"],
    },
    LinkEnd {
        host: PROOFPOINT_V2,
        path: "/v2/",
        marks: [b"s=", b"e="],
    },
    LinkEnd {
        host: PROOFPOINT_V3,
        path: "/v3/",
        marks: [b"__;", b"$"],
    },
    LinkEnd {
        host: PROOFPOINT_US,
        path: "/v3/",
        marks: [b"__;", b"$"],
    },
];
