//! The author of a message, by the address in its From field.

/// The author that a From field names. An author is an address: people write their names in
/// several ways, and archives mask addresses.
///
/// ```
/// use urlgrep_mail::Author;
///
/// let one = Author::of("Ann M\u{fc}ller <Ann@B.example>".as_bytes());
/// let other = Author::of(b"ann at b.example (Ann)");
/// assert_eq!((one.key(), other.key()), (&b"ann@b.example"[..], &b"ann@b.example"[..]));
/// assert_eq!(one.shown(), "Ann M\u{fc}ller <ann@b.example>".as_bytes());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Author {
    key: Vec<u8>,
    shown: Vec<u8>,
    name: Vec<u8>,
    address: Vec<u8>,
}

impl Author {
    /// The author of a From field, which is unfolded and decoded. Of several mailboxes (RFC
    /// 5322, section 3.6.2) the first one counts.
    ///
    /// # Complexity
    ///
    /// Linear in the field.
    #[must_use]
    pub fn of(from: &[u8]) -> Author {
        let Mailbox { name, address } = Mailbox::parse(from);
        let Some(address) = normal(&address) else {
            let text = from.trim_ascii().to_vec();
            return Author {
                key: text.clone(),
                name: words(if name.is_empty() { &text } else { &name }),
                shown: text,
                address: Vec::new(),
            };
        };
        let shown = if name.is_empty() || name.eq_ignore_ascii_case(&address) {
            address.clone()
        } else {
            [&name[..], b" <", &address, b">"].concat()
        };
        // List software that hides the address of its authors from DMARC writes `Ann via LIST`
        // with the address of the list. There the name tells the authors apart.
        let is_of_list = memchr::memmem::find(&name, b" via ").is_some();
        Author {
            key: if is_of_list {
                shown.clone()
            } else {
                address.clone()
            },
            shown,
            name,
            address,
        }
    }

    /// The recipients of a list such as a To field, or of several with commas between them,
    /// which are unfolded and decoded. The members of a group (RFC 5322, section 3.4) are
    /// recipients, its name is none.
    ///
    /// ```
    /// use urlgrep_mail::Author;
    ///
    /// let to = b"\"Reed, Ann\" <ann@b.example>, Team: Bob@B.example;";
    /// let keys: Vec<_> = Author::each_of(to).map(|who| who.key().to_vec()).collect();
    /// assert_eq!(keys, [&b"ann@b.example"[..], b"bob@b.example"]);
    /// ```
    ///
    /// # Complexity
    ///
    /// Linear in the list.
    pub fn each_of(recipients: &[u8]) -> impl Iterator<Item = Author> {
        let mut rest = recipients;
        let next = move || {
            let (one, others) = first_mailbox(rest)?;
            rest = others;
            Some(one)
        };
        let mailboxes = std::iter::from_fn(next);
        let mailboxes = mailboxes.filter(|one| !one.is_empty());
        mailboxes.map(Author::of)
    }

    /// The text by which authors are compared: the address in lower case, with `@` for
    /// ` at `. Without an address it is the field. Empty if the field is.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// The name. Empty if the field has none. A field without an address is a name.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The address in lower case, with `@` for ` at `. Empty if the field has none.
    #[must_use]
    pub fn address(&self) -> &[u8] {
        &self.address
    }

    /// The name and the address, for people.
    #[must_use]
    pub fn shown(&self) -> &[u8] {
        &self.shown
    }
}

/// The first mailbox of a field.
#[derive(Debug, Default)]
struct Mailbox {
    name: Vec<u8>,
    address: Vec<u8>,
}

impl Mailbox {
    /// Reads `NAME <ADDRESS>` (RFC 5322, section 3.4) and `ADDRESS (NAME)` (RFC 1036,
    /// section 2.1.1).
    fn parse(field: &[u8]) -> Mailbox {
        let mut text = Vec::new();
        let mut comment = Vec::new();
        let mut angle = None;
        let mut depth = 0usize;
        let mut is_quoted = false;
        let mut bytes = field.iter().copied().enumerate();
        while let Some((at, byte)) = bytes.next() {
            let into = if depth > 0 { &mut comment } else { &mut text };
            match byte {
                b'\\' if is_quoted || depth > 0 => into.extend(bytes.next().map(|next| next.1)),
                b'"' if depth == 0 => is_quoted = !is_quoted,
                _ if is_quoted => into.push(byte),
                b'(' => {
                    depth += 1;
                    if depth > 1 {
                        comment.push(byte);
                    }
                }
                b')' if depth > 0 => {
                    depth -= 1;
                    if depth > 0 {
                        comment.push(byte);
                    }
                }
                b'<' if depth == 0 => {
                    angle = Some(at + 1);
                    break;
                }
                b',' if depth == 0 => break,
                _ => into.push(byte),
            }
        }
        let Some(start) = angle else {
            return Mailbox {
                name: words(&comment),
                address: text,
            };
        };
        let after = &field[start..];
        let end = memchr::memchr(b'>', after).unwrap_or(after.len());
        // `<ADDRESS> (NAME)`
        let rest = after.get(end + 1..).unwrap_or_default().trim_ascii();
        let last = rest
            .strip_prefix(b"(")
            .and_then(|rest| rest.strip_suffix(b")"));
        let name = [
            words(&text),
            words(&comment),
            words(last.unwrap_or_default()),
        ];
        Mailbox {
            name: name
                .into_iter()
                .find(|name| !name.is_empty())
                .unwrap_or_default(),
            address: after[..end].to_vec(),
        }
    }
}

/// The first mailbox of a list, without the name of its group, and the rest of the list.
/// `None` at the end. The mailbox can be empty.
fn first_mailbox(list: &[u8]) -> Option<(&[u8], &[u8])> {
    if list.is_empty() {
        return None;
    }
    let mut depth = 0usize;
    let mut is_quoted = false;
    let mut is_angle = false;
    let mut has_at = false;
    let mut start = 0;
    let mut bytes = list.iter().copied().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if is_quoted || depth > 0 => {
                bytes.next();
            }
            b'"' if depth == 0 => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            b'<' => is_angle = true,
            b'>' => is_angle = false,
            // A colon in an address is a fault, or a route before it.
            b':' if !is_angle && !has_at => start = at + 1,
            b'@' => has_at = true,
            b',' | b';' if !is_angle => {
                return Some((list[start..at].trim_ascii(), &list[at + 1..]));
            }
            _ => {}
        }
    }
    Some((list[start..].trim_ascii(), &[]))
}

/// The words of a text, with one blank between them.
fn words(text: &[u8]) -> Vec<u8> {
    let words = text.split(u8::is_ascii_whitespace);
    let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
    words.join(&b' ')
}

/// An address in lower case, with `@` for ` at `. `None` if the text is none.
fn normal(text: &[u8]) -> Option<Vec<u8>> {
    let text = match str::from_utf8(text) {
        Ok(text) => text.to_lowercase().into_bytes(),
        Err(_) => text.to_ascii_lowercase(),
    };
    let text = words(&text);
    let address = match memchr::memmem::find(&text, b" at ") {
        Some(at) if !text.contains(&b'@') => [&text[..at], b"@", &text[at + 4..]].concat(),
        _ => text,
    };
    let mut sides = address.split(|&b| b == b'@');
    let has_two = sides.clone().count() == 2 && sides.all(|side| !side.is_empty());
    let is_one_word = !address.contains(&b' ');
    (has_two && is_one_word).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses() {
        for (from, name, address) in [
            ("Ann Reed <Ann@B.example>", "Ann Reed", "ann@b.example"),
            (
                "\"Reed, Ann\" <ann@b.example>",
                "Reed, Ann",
                "ann@b.example",
            ),
            ("ann at b.example (Ann  Reed)", "Ann Reed", "ann@b.example"),
            ("ann@b.example ()", "", "ann@b.example"),
            (
                "Ann via Talk <talk@l.example>",
                "Ann via Talk",
                "talk@l.example",
            ),
            ("Ann  Reed", "Ann Reed", ""),
            ("Ann <>", "Ann", ""),
            ("", "", ""),
        ] {
            let author = Author::of(from.as_bytes());
            assert_eq!(author.name(), name.as_bytes(), "{from}");
            assert_eq!(author.address(), address.as_bytes(), "{from}");
        }
    }

    #[test]
    fn each_recipient_of_a_list() {
        for (list, keys) in [
            ("", ""),
            (" , ,", ""),
            ("ann@b.example", "ann@b.example"),
            (
                "\"Reed, Ann\" <Ann@b.example>, bob@b.example (Bob, of Reed)",
                "ann@b.example bob@b.example",
            ),
            (
                "Reed\\, Ann <a@b.example>,<b@b.example>",
                "Reed\\ a@b.example b@b.example",
            ),
            (
                "Team: a@b.example, b@b.example; , c@b.example",
                "a@b.example b@b.example c@b.example",
            ),
            ("undisclosed-recipients:;", ""),
            (
                "<@c.example,@d.example:a@b.example>",
                "<@c.example,@d.example:a@b.example>",
            ),
            ("ann at b.example, Bob", "ann@b.example Bob"),
            (
                "\"Ann <a@b.example>, b@b.example",
                "\"Ann <a@b.example>, b@b.example",
            ),
        ] {
            let found: Vec<_> = Author::each_of(list.as_bytes())
                .map(|who| String::from_utf8_lossy(who.key()).into_owned())
                .collect();
            assert_eq!(found.join(" "), keys, "{list}");
        }
    }

    #[test]
    fn an_author_is_an_address() {
        for (from, key, shown) in [
            (
                "Ann Reed <Ann@B.example>",
                "ann@b.example",
                "Ann Reed <ann@b.example>",
            ),
            (
                "\"Reed, Ann\" <ann@b.example>",
                "ann@b.example",
                "Reed, Ann <ann@b.example>",
            ),
            (
                "\"Ann \\\"A\\\" Reed\" <ann@b.example>",
                "ann@b.example",
                "Ann \"A\" Reed <ann@b.example>",
            ),
            (
                "ann@b.example (Ann Reed)",
                "ann@b.example",
                "Ann Reed <ann@b.example>",
            ),
            ("ann@b.example ()", "ann@b.example", "ann@b.example"),
            ("<ann@b.example>", "ann@b.example", "ann@b.example"),
            (
                "<ann@b.example> (Ann)",
                "ann@b.example",
                "Ann <ann@b.example>",
            ),
            (
                "ann at b.example (Ann  Reed)",
                "ann@b.example",
                "Ann Reed <ann@b.example>",
            ),
            (
                "Ann (at home) <ann@b.example>",
                "ann@b.example",
                "Ann <ann@b.example>",
            ),
            (
                "ann@b.example, Bob <bob@b.example>",
                "ann@b.example",
                "ann@b.example",
            ),
            (
                "ann@b.example <ann@b.example>",
                "ann@b.example",
                "ann@b.example",
            ),
            (
                "Ägidius <Ä@b.example>",
                "ä@b.example",
                "Ägidius <ä@b.example>",
            ),
            // No address: the field is all that is known.
            ("Ann Reed", "Ann Reed", "Ann Reed"),
            ("Ann <>", "Ann <>", "Ann <>"),
            (
                "meet me at the bar",
                "meet me at the bar",
                "meet me at the bar",
            ),
            ("a@b@c.example", "a@b@c.example", "a@b@c.example"),
            ("@", "@", "@"),
            (" ", "", ""),
            // The address of a list for several authors.
            (
                "Ann via Talk <talk@l.example>",
                "Ann via Talk <talk@l.example>",
                "Ann via Talk <talk@l.example>",
            ),
        ] {
            let author = Author::of(from.as_bytes());
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            assert_eq!(
                (text(author.key()), text(author.shown())),
                (key.into(), shown.into()),
                "{from}"
            );
        }
        for bytes in [
            &b"(((("[..],
            b"\"\\",
            b"a <b",
            b"\xFF <\xFF@b>",
            b"a\\",
            b")>,(",
        ] {
            let _ = Author::of(bytes);
        }
    }
}
