//! The productions of the documents.

use super::Grammar;

/// The documents, oldest first.
pub fn all() -> [Grammar; 6] {
    [
        url_00(),
        url_03(),
        www_uri_00(),
        url_06(),
        rfc1738(),
        current(),
    ]
}

/// The productions of all documents: letters, digits and escapes (ruling 5).
const BASIC: &str = r#"
alpha          = %x41-5A | %x61-7A
digit          = %x30-39
alphadigit     = alpha | digit
hex            = digit | %x41-46 | %x61-66
escape         = "%" hex hex
digits         = 1*digit
hostnumber     = digits "." digits "." digits "." digits
port           = digits
"#;

/// draft-ietf-uri-url-00, "BNF syntax", with the corrections of the rulings (3,
/// 5, 8, 9, "Hosts and logins").
fn url_00() -> Grammar {
    const LINES: &str = r#"
; generic            scheme : path [ ? search ]
; scheme             ialpha
generic     = scheme ":" path [ "?" search ]
scheme      = ialpha
; httpaddress        h t t p : // hostport [ / path ] [ ? search ]
httpaddress = "http://" userpart hostport [ "/" path ] [ "?" search ]
; fileaddress        f t p : // host / path
fileaddress = "ftp://" userpart host "/" path
; afsaddress         a f s : // cellname / path
afsaddress  = "afs://" cellname "/" path
newsaddress = "news:" groupart
; waisindex          w a i s : // hostport / database [ ? search ]
; waisdoc            w a i s : // hostport / database / wtype / digits / path
waisaddress = waisindex | waisdoc
waisindex   = "wais://" userpart hostport "/" database [ "?" search ]
waisdoc     = "wais://" userpart hostport "/" database "/" wtype "/" digits "/" path
groupart    = "*" | group | article
; group              ialpha [ . group ]; with an `@` it is an article (prose)
group       = alpha *inhost
article     = xalphas "@" host
database    = xalphas
wtype       = xalphas
; prosperoaddress    p r o s p e r o : / / path
prosperoaddress = "prospero://" path
; telnetaddress      t e l n e t : / / [ user @ ] hostport
telnetaddress = "telnet://" userpart hostport
; gopheraddress      g o p h e r : / / hostport [/ gtype [ / selector ] ] [ ? search ]
gopheraddress = "gopher://" userpart hostport [ "/" gtype [ selector ] ] [ "?" search ]
hostport    = host [ ":" port ]
host        = hostname | hostnumber
cellname    = hostname
; hostname           ialpha [ . hostname ]
hostname    = alpha *inhost
selector    = path
; path               void | xpalphas [ / path ]
path        = *xpalpha *[ "/" *xpalpha ]
; search             xalphas [ + search ]
search      = xalphas *[ "+" xalphas ]
userpart    = [ user "@" ]
user        = xalphas
; anchorid           xalphas, or nothing (ruling 3)
anchorid    = *xalpha
gtype       = xalpha
; xalpha             alpha | $ | - | _ | @ | ! | % | ^ | & | * | ( | ) | . | digit
xalpha      = xalphaplain | "@" | escape
xalphaplain = alphadigit | "$" | "-" | "_" | "!" | "^" | "&" | "*" | "(" | ")" | "."
inhost      = xalphaplain | escape
xalphas     = 1*xalpha
xpalpha     = xalpha | "+"
ialpha      = alpha *xalpha
"#;
    let schemes = [
        ("http", "httpaddress"),
        ("ftp", "fileaddress"),
        ("afs", "afsaddress"),
        ("news", "newsaddress"),
        ("wais", "waisaddress"),
        ("prospero", "prosperoaddress"),
        ("telnet", "telnetaddress"),
        ("gopher", "gopheraddress"),
    ];
    Grammar::new(&[BASIC, LINES], &schemes, "generic", "anchorid")
}

/// The common part of draft-ietf-uri-url-03 and draft-www-uri-00.
const DRAFT_03: &str = r#"
; generic        scheme : path [ ? search ]
; scheme         ialpha, up to the first colon (ruling 1)
generic        = alpha *[ nocolon ] ":" path [ "?" search ]
; httpaddress    h t t p : / / hostport [ / path ] [ ? search ]
httpaddress    = "http://" hostport [ "/" path ] [ "?" search ]
; ftpaddress     f t p : / / login / path
ftpaddress     = "ftp://" login "/" path
newsaddress    = "news:" groupart
; nntpaddress    n n t p : group / digits
nntpaddress    = "nntp:" alpha *xalpha "/" digits
; mailtoaddress  m a i l t o : : xalphas @ hostname (ruling: the colon once)
mailtoaddress  = "mailto:" xalphas "@" hostname
groupart       = "*" | group | article
; group          ialpha [ . group ]; with an `@` it is an article (prose)
group          = alpha *[ xalphaplain | ":" | escape ]
article        = xalphas "@" host
database       = xalphas
wtype          = xalphas
telnetaddress  = "telnet://" login
; gopheraddress  g o p h e r : / / hostport [/ gtype [ selector ] ] [ ? search ]
gopheraddress  = "gopher://" hostport [ "/" gtype [ selector ] ] [ "?" search ]
; login          [ user [ : password ] @ ] hostport
login          = [ user [ ":" password ] "@" ] hostport
hostport       = host [ ":" port ]
host           = hostname | hostnumber
; hostname       ialpha [ . hostname ]; neither `@` nor `:` ("Hosts and logins")
hostname       = alpha *[ xalphaplain | escape ]
selector       = path
; path           void | xpalphas [ / path ]
path           = *xpalpha *[ "/" *xpalpha ]
; search         xalphas [ + search ]
search         = xalphas *[ "+" xalphas ]
; user           xalphas; the first colon starts the password
user           = 1*nocolon
password       = xalphas
fragmentid     = *xalpha
gtype          = xalpha
xalpha         = xalphaplain | "@" | ":" | escape
nocolon        = xalphaplain | "@" | escape
xalphas        = 1*xalpha
xpalpha        = xalpha | "+"
; hsoname        path, up to the first %00
hsoname        = *[ xalphaplain | "@" | ":" | "+" | "/" | notnull ]
notnull        = "%" ( notzero hex | "0" notzero )
notzero        = %x31-39 | %x41-46 | %x61-66
"#;

/// draft-ietf-uri-url-03, "BNF syntax".
fn url_03() -> Grammar {
    const LINES: &str = r#"
; safe           $ | - | _ | @ | . | &
; extra          ! | * | " | ' | ( | ) | : | ; | , | space (ruling 4: no space)
xalphaplain    = alphadigit | "$" | "-" | "_" | "." | "&" |
                 "!" | "*" | %x22 | "'" | "(" | ")" | ";" | ","
waisaddress    = waisindex | waisdoc
; waisindex      w a i s : / / hostport / database [ ? search ]
waisindex      = "wais://" hostport "/" database [ "?" search ]
; waisdoc        w a i s : / / hostport / database / wtype / (the line's end is lost)
waisdoc        = "wais://" hostport "/" database "/" wtype "/" digits "/" path
; prosperolink   p r o s p e r o : / / hostport / hsoname [ % 0 0 version [ attributes ] ]
; the version may be empty, and %00 stands before each attribute (prose)
prosperolink   = "prospero://" hostport "/" hsoname [ "%00" *alphadigit *[ "%00" 1*alphadigit ] ]
"#;
    let schemes = [
        ("http", "httpaddress"),
        ("ftp", "ftpaddress"),
        ("afs", ""),
        ("news", "newsaddress"),
        ("nntp", "nntpaddress"),
        ("mailto", "mailtoaddress"),
        ("wais", "waisaddress"),
        ("prospero", "prosperolink"),
        ("telnet", "telnetaddress"),
        ("gopher", "gopheraddress"),
    ];
    Grammar::new(&[BASIC, DRAFT_03, LINES], &schemes, "generic", "fragmentid")
}

/// draft-www-uri-00, "BNF for specific URL schemes" (ruling 10).
fn www_uri_00() -> Grammar {
    const LINES: &str = r#"
; safe           $ | - | _ | @ | . | & | + | -
; extra          ! | * | " | ' | ( | ) | : | ; | , | space (ruling 4: no space)
xalphaplain    = alphadigit | "$" | "-" | "_" | "." | "&" | "+" |
                 "!" | "*" | %x22 | "'" | "(" | ")" | ";" | ","
waisaddress    = waisindex | waisdoc
; waisindex      w a i s : / / hostport / database [ ? search ]
waisindex      = "wais://" hostport "/" database [ "?" search ]
; waisdoc        w a i s : / / hostport / database / wtype / path
waisdoc        = "wais://" hostport "/" database "/" wtype "/" path
; midaddress     m i d : addr-spec, cidaddress c i d : content-identifier:
; both read xalphas @ xalphas, split at the last `@`
midaddress     = "mid:" xalphas "@" 1*[ xalphaplain | ":" | escape ]
cidaddress     = "cid:" xalphas "@" 1*[ xalphaplain | ":" | escape ]
; prosperolink   p r o s p e r o : / / hostport / hsoname [ % 0 0 version [ attributes ] ]
; version        digits
; attributes     attribute [ attributes ]; attribute alphanums
prosperolink   = "prospero://" hostport "/" hsoname [ "%00" digits *alphadigit ]
"#;
    let schemes = [
        ("http", "httpaddress"),
        ("ftp", "ftpaddress"),
        ("afs", ""),
        ("news", "newsaddress"),
        ("nntp", "nntpaddress"),
        ("mailto", "mailtoaddress"),
        ("mid", "midaddress"),
        ("cid", "cidaddress"),
        ("wais", "waisaddress"),
        ("prospero", "prosperolink"),
        ("telnet", "telnetaddress"),
        ("gopher", "gopheraddress"),
    ];
    Grammar::new(&[BASIC, DRAFT_03, LINES], &schemes, "generic", "fragmentid")
}

/// The common part of draft-ietf-uri-url-06 and RFC 1738, in the words of RFC
/// 1738.
const RFC_1738: &str = r#"
; scheme         = 1*[ lowalpha | digit | "+" | "-" | "." ], without case
otherurl       = scheme ":" schemepart
scheme         = 1*[ alphadigit | "+" | "-" | "." ]
; schemepart     = *xchar | ip-schemepart, which lies within *xchar
schemepart     = *xchar
login          = [ user [ ":" password ] "@" ] hostport
hostport       = host [ ":" port ]
host           = hostname | hostnumber
user           = *[ uchar | ";" | "?" | "&" | "=" ]
password       = *[ uchar | ";" | "?" | "&" | "=" ]
ftpurl         = "ftp://" login [ "/" fpath [ ";type=" ftptype ] ]
fpath          = fsegment *[ "/" fsegment ]
fsegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
ftptype        = "A" | "I" | "D" | "a" | "i" | "d"
httpurl        = "http://" hostport [ "/" hpath [ "?" search ] ]
hpath          = hsegment *[ "/" hsegment ]
hsegment       = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
search         = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
gopherurl      = "gopher://" hostport [ "/" [ gtype [ selector
                 [ "%09" search [ "%09" gopher-plus-string ] ] ] ] ]
gtype          = xchar
selector       = *xchar
gopher-plus-string = *xchar
mailtourl      = "mailto:" encoded822addr
encoded822addr = 1*xchar
newsurl        = "news:" grouppart
grouppart      = "*" | group | article
article        = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
nntpurl        = "nntp://" hostport "/" group [ "/" digits ]
telneturl      = "telnet://" login [ "/" ]
waisurl        = waisdatabase | waisindex | waisdoc
waisdatabase   = "wais://" hostport "/" database
waisindex      = "wais://" hostport "/" database "?" search
waisdoc        = "wais://" hostport "/" database "/" wtype "/" wpath
database       = *uchar
wtype          = *uchar
wpath          = *uchar
prosperourl    = "prospero://" hostport "/" ppath *[ fieldspec ]
ppath          = psegment *[ "/" psegment ]
psegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
fieldspec      = ";" fieldname "=" fieldvalue
fieldname      = *[ uchar | "?" | ":" | "@" | "&" ]
fieldvalue     = *[ uchar | "?" | ":" | "@" | "&" ]
safe           = "$" | "-" | "_" | "." | "+"
reserved       = ";" | "/" | "?" | ":" | "@" | "&" | "="
uchar          = unreserved | escape
xchar          = xcharplain | escape
xcharplain     = unreserved | reserved
; the identifier behind the hash sign: RFC 1808 2.2 (ruling 3)
fragment       = *xchar
"#;

const SCHEMES_1738: [(&str, &str); 10] = [
    ("ftp", "ftpurl"),
    ("http", "httpurl"),
    ("gopher", "gopherurl"),
    ("mailto", "mailtourl"),
    ("news", "newsurl"),
    ("nntp", "nntpurl"),
    ("telnet", "telneturl"),
    ("wais", "waisurl"),
    ("file", "fileurl"),
    ("prospero", "prosperourl"),
];

/// draft-ietf-uri-url-06, section 5: the lines that differ.
fn url_06() -> Grammar {
    const LINES: &str = r#"
hostname       = alpha *uchar
; fileurl        = "file://" host [ "/" fpath ]; the prose lets the host be empty
fileurl        = "file://" [ host ] [ "/" fpath ]
group          = alpha *[ alphadigit | "-" | "." ]
extra          = "!" | "*" | "'" | "(" | ")" | "," | "="
national       = "{" | "}" | %x7C | "\" | "^" | "~" | %x5B | %x5D
unreserved     = alphadigit | safe | extra | national
"#;
    Grammar::new(
        &[BASIC, RFC_1738, LINES],
        &SCHEMES_1738,
        "otherurl",
        "fragment",
    )
}

/// RFC 1738, section 5: the lines that differ.
fn rfc1738() -> Grammar {
    const LINES: &str = r#"
hostname       = *[ domainlabel "." ] toplabel
domainlabel    = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
toplabel       = alpha | alpha *[ alphadigit | "-" ] alphadigit
fileurl        = "file://" [ host | "localhost" ] "/" fpath
group          = alpha *[ alphadigit | "-" | "." | "+" | "_" ]
extra          = "!" | "*" | "'" | "(" | ")" | ","
unreserved     = alphadigit | safe | extra
"#;
    Grammar::new(
        &[BASIC, RFC_1738, LINES],
        &SCHEMES_1738,
        "otherurl",
        "fragment",
    )
}

/// RFC 3986 and the RFCs of the schemes. `~` marks a scheme whose production
/// here gives only some of its URLs: addresses (RFC 5322) have no quoted strings
/// and literals.
fn current() -> Grammar {
    const LINES: &str = r#"
; RFC 3986, Appendix A
uri            = scheme ":" hier-part [ "?" query ]
scheme         = alpha *[ alphadigit | "+" | "-" | "." ]
hier-part      = "//" [ userinfo "@" ] anyhost [ ":" *digit ] path-abempty | opaque
; path-absolute | path-rootless | path-empty: all that does not start with "//"
opaque         = [ "/" [ 1*pchar *[ "/" *pchar ] ] | 1*pchar *[ "/" *pchar ] ]
path-abempty   = *[ "/" *pchar ]
userinfo       = *[ unreserved | sub-delims | ":" | escape ]
anyhost        = IP-literal | *[ unreserved | sub-delims | escape ]
IP-literal     = %x5B ( IPv6address | IPvFuture ) %x5D
IPvFuture      = ( "v" | "V" ) 1*hex "." 1*[ unreserved | sub-delims | ":" ]
IPv6address    = 6*6[ h16 ":" ] ls32
               | "::" 5*5[ h16 ":" ] ls32
               | [ h16 ] "::" 4*4[ h16 ":" ] ls32
               | [ *1[ h16 ":" ] h16 ] "::" 3*3[ h16 ":" ] ls32
               | [ *2[ h16 ":" ] h16 ] "::" 2*2[ h16 ":" ] ls32
               | [ *3[ h16 ":" ] h16 ] "::" h16 ":" ls32
               | [ *4[ h16 ":" ] h16 ] "::" ls32
               | [ *5[ h16 ":" ] h16 ] "::" h16
               | [ *6[ h16 ":" ] h16 ] "::"
h16            = 1*4hex
ls32           = h16 ":" h16 | IPv4address
IPv4address    = dec-octet "." dec-octet "." dec-octet "." dec-octet
dec-octet      = digit | %x31-39 digit | "1" digit digit | "2" %x30-34 digit | "25" %x30-35
unreserved     = alphadigit | "-" | "." | "_" | "~"
sub-delims     = "!" | "$" | "&" | "'" | "(" | ")" | "*" | "+" | "," | ";" | "="
pcharplain     = unreserved | sub-delims | ":" | "@"
pchar          = pcharplain | escape
query          = *[ pcharplain | "/" | "?" | escape ]
fragment       = *[ pcharplain | "/" | "?" | escape ]
; docs/profiles.md, "current": names by RFC 952 and RFC 1123 with `_`, at least one
; byte that is no digit in the last label, ports by value. Escapes that stand
; for unreserved characters are these; the others may stand in a label
nhost          = IP-literal | IPv4name | name
name           = *[ label dot ] toplabel [ dot ]
label          = ld | ld *ldh ld
toplabel       = *edigit ( nd | nd *ldh ld ) | 1*edigit *hyphen hyphen *ldh ld
dot            = "." | "%2E" | "%2e"
hyphen         = "-" | "%2D" | "%2d"
edigit         = digit | "%3" digit
nd             = alpha | "_" | "%4" ( %x31-39 | hexletter ) | "%5" ( digit | "A" | "a" | "F" | "f" )
               | "%6" ( %x31-39 | hexletter ) | "%7" ( digit | "A" | "a" ) | eother
hexletter      = %x41-46 | %x61-66
eother         = "%" ( "0" | "1" | "8" | "9" | hexletter ) hex
               | "%2" ( digit | %x41-43 | %x61-63 | "F" | "f" ) | "%3" hexletter
               | "%40" | "%5" ( %x42-45 | %x62-65 ) | "%60" | "%7" ( %x42-44 | %x62-64 | "F" | "f" )
ld             = nd | edigit
ldh            = ld | hyphen
IPv4name       = eoctet dot eoctet dot eoctet dot eoctet
eoctet         = edigit | ( %x31-39 | "%3" %x31-39 ) edigit | ( "1" | "%31" ) edigit edigit
               | ( "2" | "%32" ) ( %x30-34 | "%3" %x30-34 ) edigit
               | ( "2" | "%32" ) ( "5" | "%35" ) ( %x30-35 | "%3" %x30-35 )
nhostport      = nhost [ ":" nport ]
nport          = *[ "0" ] [ %x31-39 *3digit | %x31-35 4*4digit | "6" %x30-34 3*3digit
               | "65" %x30-34 2*2digit | "655" %x30-32 digit | "6553" %x30-35 ]
; RFC 9110 4.2, RFC 6455 3
http-URI       = "http://" [ userinfo "@" ] nhostport path-abempty [ "?" query ]
https-URI      = "https://" [ userinfo "@" ] nhostport path-abempty [ "?" query ]
ws-URI         = "ws://" nhostport path-abempty [ "?" query ]
wss-URI        = "wss://" nhostport path-abempty [ "?" query ]
; RFC 1738 on the characters of RFC 3986
uchar          = ucharplain | escape
ucharplain     = unreserved | "!" | "$" | "'" | "(" | ")" | "*" | "+" | ","
; (a user and password are RFC 3986's userinfo, so that a password may hold `:`)
login          = [ userinfo "@" ] nhostport
ftpurl         = "ftp://" login [ "/" fpath [ ";type=" ftptype ] ]
fpath          = fsegment *[ "/" fsegment ]
fsegment       = *[ ucharplain | "?" | ":" | "@" | "&" | "=" | escape ]
ftptype        = "A" | "I" | "D" | "a" | "i" | "d"
telneturl      = "telnet://" login [ "/" ]
gopherurl      = "gopher://" nhostport [ "/" query ]
waisurl        = "wais://" nhostport "/" *uchar [ "?" search | "/" *uchar "/" *uchar ]
search         = *[ ucharplain | ";" | ":" | "@" | "&" | "=" | escape ]
prosperourl    = "prospero://" nhostport "/" fpath *[ ";" field "=" field ]
field          = *[ ucharplain | "?" | ":" | "@" | "&" | escape ]
; RFC 8089 2
file-URI       = "file:" ( "//" [ nhost ] path-absolute | path-absolute )
path-absolute  = "/" [ 1*pchar *[ "/" *pchar ] ]
; RFC 6068 2
mailtoURI      = "mailto:" [ addr *[ "," addr ] ] [ "?" hfield *[ "&" hfield ] ]
addr           = atom "@" atom
atom           = 1*atext *[ "." 1*atext ]
atext          = alphadigit | "!" | "$" | "'" | "*" | "+" | "-" | "_" | "~" | "%26" | "%2f"
hfield         = *qchar "=" *qchar
qchar          = qcharplain | escape
qcharplain     = unreserved | "!" | "$" | "'" | "(" | ")" | "*" | "+" | "," | ";" | ":" | "@"
; RFC 5538 2
newsURL        = "news:" [ "//" [ userinfo "@" ] nhostport "/" | "///" ] ( atom "@" atom | *[ gchar | "*" ] )
nntpURL        = "nntp://" [ userinfo "@" ] nhostport "/" 1*gchar [ "/" 1*16digit ]
gchar          = gcharplain | escape
gcharplain     = alphadigit | "-" | "+" | "_" | "."
; RFC 2392 2
mid-url        = "mid:" addr [ "/" addr ]
cid-url        = "cid:" addr
; RFC 8141 2
namestring     = "urn:" alphadigit *30[ alphadigit | "-" ] alphadigit ":" pchar *[ pchar | "/" ]
                 [ "?+" pchar *[ pchar | "/" ] ] [ "?=" pchar query ]
; RFC 3966 3
telephone-uri  = "tel:" ( "+" *vsep digit *phonedigit *par
               | *vsep ( hex | "*" ) *[ hex | "*" | vsep ] *par ";phone-context=" descriptor *par )
par            = ";x" *[ alphadigit | "-" ] [ "=" 1*[ alphadigit | "/" | ":" | "&" | "+" | "$" ] ]
               | ";ext=" 1*phonedigit
               | ";isub=" 1*[ alphadigit | "/" | "?" | ":" | "@" | escape ]
descriptor     = "+" *vsep digit *phonedigit | domainname
domainname     = *[ domainlabel "." ] ( alpha | alpha *[ alphadigit | "-" ] alphadigit ) [ "." ]
domainlabel    = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
phonedigit     = digit | vsep
vsep           = "-" | "." | "(" | ")"
; RFC 4516 2 and the host rule of docs/profiles.md
ldapurl        = "ldap:" ( "//" [ userinfo "@" ] [ nhost ] [ ":" nport ] path-abempty | opaque ) [ "?" query ]
ircurl         = "irc:" internet
giturl         = "git:" internet
xmppurl        = "xmpp:" internet
internet       = ( "//" [ userinfo "@" ] nhostport path-abempty | opaque ) [ "?" query ]
"#;
    let schemes = [
        ("http", "http-URI"),
        ("https", "https-URI"),
        ("ws", "ws-URI"),
        ("wss", "wss-URI"),
        ("ftp", "ftpurl"),
        ("telnet", "telneturl"),
        ("gopher", "gopherurl"),
        ("wais", "waisurl"),
        ("prospero", "prosperourl"),
        ("file", "file-URI"),
        ("mailto", "~mailtoURI"),
        ("news", "~newsURL"),
        ("nntp", "nntpURL"),
        ("mid", "~mid-url"),
        ("cid", "~cid-url"),
        ("urn", "~namestring"),
        ("tel", "~telephone-uri"),
        ("ldap", "ldapurl"),
        ("irc", "ircurl"),
        ("git", "giturl"),
        ("xmpp", "xmppurl"),
    ];
    Grammar::new(&[BASIC, LINES], &schemes, "uri", "fragment")
}
