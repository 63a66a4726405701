//! The tokeniser's tables of elements, attributes and bytes.

use memchr::memchr;

use super::super::LinkAttribute;

/// True for elements that break the line. Unknown elements do not.
pub(super) fn breaks_line(name: &[u8]) -> bool {
    // Table cells, form controls and images also break it: the text before
    // them does not continue after them.
    #[rustfmt::skip]
    let breaks = matches!(
        name,
        b"address" | b"applet" | b"area" | b"article" | b"aside" | b"blockquote" | b"body"
            | b"br" | b"button" | b"caption" | b"center" | b"col" | b"dd" | b"details" |
            b"dialog" | b"dir" | b"div" | b"dl" | b"dt" | b"embed" | b"fieldset" |
            b"figcaption" | b"figure" | b"footer" | b"form" | b"frame" | b"frameset" |
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head" | b"header" | b"hr" |
            b"html" | b"iframe" | b"img" | b"input" | b"isindex" | b"legend" | b"li" |
            b"link" | b"listing" | b"main" | b"map" | b"marquee" | b"menu" | b"meta" |
            b"nav" | b"noframes" | b"noscript" | b"object" | b"ol" | b"optgroup" |
            b"option" | b"p" | b"plaintext" | b"pre" | b"section" | b"select" | b"summary"
            | b"table" | b"tbody" | b"td" | b"textarea" | b"tfoot" | b"th" | b"thead" |
            b"title" | b"tr" | b"ul" | b"video" | b"xmp"
    );
    breaks
}

/// Elements that keep white space.
pub(super) fn is_preformatted(name: &[u8]) -> bool {
    matches!(
        name,
        b"pre" | b"listing" | b"plaintext" | b"textarea" | b"xmp"
    )
}

/// True for a name as in `<http://…>` or `<URL:…>`: the writer meant visible
/// text, not a tag. In a real tag name the colon follows a namespace prefix.
/// No such prefix is one of these words.
pub(super) fn is_bracketed_text(name: &[u8]) -> bool {
    const WORDS: &[&[u8]] = &[
        b"file",
        b"ftp",
        b"gopher",
        b"http",
        b"https",
        b"mailto",
        b"news",
        b"nntp",
        b"prospero",
        b"telnet",
        b"url",
        b"wais",
    ];
    WORDS.binary_search(&name).is_ok()
}

/// Elements whose content is neither markup nor visible.
pub(super) fn raw_text(name: &[u8]) -> Option<&'static [u8]> {
    match name {
        b"script" => Some(b"</script"),
        b"style" => Some(b"</style"),
        _ => None,
    }
}

/// The length of the white space and attributes at the start of `bytes`, in
/// `State::BeforeAttribute`. Fast path: counts only attributes that are within
/// the slice, as most are, and hold no link. The states after it do the same
/// byte by byte.
pub(super) fn plain_attributes(bytes: &[u8], element: &[u8], closing: bool) -> usize {
    let mut at = 0;
    loop {
        let start = at + run(&bytes[at..], |b| is_space(b) || b == b'/');
        if matches!(bytes.get(start), None | Some(b'>')) {
            return start;
        }
        // At least one byte, which may be a leading `=`.
        let end = start + 1;
        let end = end + run(&bytes[end..], |b| !(is_space(b) || b"/>=".contains(&b)));
        at = end + run(&bytes[end..], is_space);
        match bytes.get(at) {
            None => return start,
            Some(b'=') => at += 1,
            // Without a value.
            Some(_) => continue,
        }
        let link = match closing {
            false => link_attribute(&bytes[start..end], element),
            true => None,
        };
        if link.is_some_and(|link| link != LinkAttribute::Style) {
            return start;
        }
        at += run(&bytes[at..], is_space);
        let value = &bytes[at..];
        let len = match value.first() {
            Some(&quote @ (b'"' | b'\'')) => memchr(quote, &value[1..]).map(|i| i + 2),
            _ => Some(run(value, |b| !(is_space(b) || b == b'>'))).filter(|&n| n < value.len()),
        };
        match len {
            // Nearly all styles have no `url(…)`. A character reference can
            // encode the `(`.
            Some(len) if link.is_none() || !value[..len].iter().any(|b| b"(&".contains(b)) => {
                at += len;
            }
            _ => return start,
        }
    }
}

/// The number of leading bytes for which the predicate is true.
pub(super) fn run(bytes: &[u8], kind: impl Fn(u8) -> bool) -> usize {
    let other = bytes.iter().position(|&b| !kind(b));
    other.unwrap_or(bytes.len())
}

/// The attribute with links that is called `name`, in any case, on this
/// element.
pub(super) fn link_attribute(name: &[u8], element: &[u8]) -> Option<LinkAttribute> {
    // The length of the longest name.
    let mut lower = [0; 10];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    Some(match &*lower {
        b"href" => LinkAttribute::Href,
        b"src" => LinkAttribute::Src,
        b"action" => LinkAttribute::Action,
        b"cite" => LinkAttribute::Cite,
        b"background" => LinkAttribute::Background,
        b"poster" => LinkAttribute::Poster,
        b"data" => LinkAttribute::Data,
        b"formaction" => LinkAttribute::Formaction,
        b"longdesc" => LinkAttribute::Longdesc,
        b"ping" => LinkAttribute::Ping,
        b"srcset" => LinkAttribute::Srcset,
        b"style" => LinkAttribute::Style,
        b"content" if element == b"meta" => LinkAttribute::Content,
        _ => return None,
    })
}

/// False if `next` after `b`, a `<` or `&`, shows that `b` is text. The states
/// after `State::TagOpen` and `State::Reference` give the same result.
pub(super) fn starts_markup(b: u8, next: u8) -> bool {
    match b {
        b'<' => next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?'),
        _ => next.is_ascii_alphabetic() || next == b'#',
    }
}

pub(super) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}
