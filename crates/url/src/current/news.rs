//! RFC 5538, news and nntp. Neither scheme has a query.

use super::super::class::{ALPHANUM, ByteClass, DIGIT};
use super::super::document::Cursor;
use super::super::parts::Kind;
use super::super::reject::{Refusal, Rule};
use super::address::Address;
use super::{SUB_DELIMS, UNRESERVED, host};

// "The characters allowed in <msg-id-core> that must be encoded are "/" "?"
// "#" "[" "]" and "%"" … "Please note that "%3E" (">") is not allowed".
const ADDRESS: Address = Address {
    atext: ALPHANUM.or(ByteClass::of(b"!$&'*+-=_~")),
    inside: UNRESERVED.or(SUB_DELIMS).or(ByteClass::of(b":@")),
    never: Some(b"%3E"),
};

// group-char      = ALPHA / DIGIT / "-" / "+" / "_" / "."
const GROUP_CHAR: ByteClass = ALPHANUM.or(ByteClass::of(b"-+_."));

// newsURL         = "news:" [ server "/" ] ( article / newsgroups )
// server          = "//" authority               ; see RFC 3986
//
// "The presence of an "@" in a 'news' URI disambiguates <article> and
// <newsgroups>". The host may be empty (docs/profiles.md, "current").
pub(super) fn news(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    if c.peek() == Some(b'/') {
        c.expect(b"//", Rule::NewsUrl)?;
        host::authority(c, host::named_or_empty)?;
        c.path_of(Kind::News);
        c.expect(b"/", Rule::NewsUrl)?;
    } else {
        c.opaque(Kind::News);
    }
    if c.first_at_sign(b"").is_some() {
        article(c)
    } else {
        newsgroups(c)
    }
}

// article         = msg-id-core                  ; see RFC 5536
fn article(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    ADDRESS.msg_id_core(c, Rule::Article)?;
    c.end(Rule::Article)
}

// newsgroups      = *( group-char / pct-encoded / "*" )
fn newsgroups(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    const NEWSGROUPS: ByteClass = GROUP_CHAR.or(ByteClass::of(b"*"));
    c.run(&NEWSGROUPS, Rule::Newsgroups)?;
    c.end(Rule::Newsgroups)
}

// nntpURL         = "nntp:" server "/" group [ "/" article-number ]
// group           = 1*( group-char / pct-encoded )
//
// "'nntp' URIs have a non-empty <authority> component".
pub(super) fn nntp(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::NntpUrl)?;
    host::authority(c, host::named)?;
    c.path_of(Kind::Nntp);
    c.expect(b"/", Rule::NntpUrl)?;
    c.run1(&GROUP_CHAR, Rule::Group)?;
    if c.eat(b'/') {
        article_number(c)?;
    }
    c.end(Rule::Group)
}

// article-number  = 1*16DIGIT                    ; see RFC 3977
fn article_number(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    const MOST: usize = 16;
    let start = c.pos();
    let digits = c.plain(&DIGIT);
    if digits == 0 || digits > MOST {
        c.jump(start + digits.min(MOST));
        return Err(c.fault(Rule::ArticleNumber));
    }
    c.end(Rule::ArticleNumber)
}
