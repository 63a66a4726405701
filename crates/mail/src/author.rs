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
    /// 5322, section 3.6.2) the first one counts. A comma in a name without quotation marks
    /// ends none: see [`Author::each_of`].
    ///
    /// # Complexity
    ///
    /// Linear in the field.
    #[must_use]
    pub fn of(from: &[u8]) -> Author {
        let mut mailboxes = Mailboxes::new(from, false);
        let mailbox = Mailbox::parse(mailboxes.next().unwrap_or_default());
        let mailbox = match normal(&mailbox.address) {
            Some(_) => mailbox,
            None => Mailbox::of_last_angle(from).unwrap_or(mailbox),
        };
        Author::new(mailbox, from)
    }

    /// The author with this mailbox, or with the text of `field` if it has no address.
    fn new(mailbox: Mailbox, field: &[u8]) -> Author {
        let Mailbox { name, address } = mailbox;
        let Some(address) = normal(&address) else {
            let text = field.trim_ascii().to_vec();
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
    /// recipients, its name is none. A name in which somebody forgot the quotation marks is one
    /// name: `Reed, Ann <ann@b.example>`.
    ///
    /// ```
    /// use urlgrep_mail::Author;
    ///
    /// let to = b"Reed, Ann <ann@b.example>, Team: Bob@B.example;";
    /// let keys: Vec<_> = Author::each_of(to).map(|who| who.key().to_vec()).collect();
    /// assert_eq!(keys, [&b"ann@b.example"[..], b"bob@b.example"]);
    /// ```
    ///
    /// # Complexity
    ///
    /// Linear in the list.
    pub fn each_of(recipients: &[u8]) -> impl Iterator<Item = Author> {
        let mailboxes = Mailboxes::new(recipients, true);
        let mailboxes = mailboxes.filter(|one| !one.is_empty());
        mailboxes.map(|one| Author::new(Mailbox::parse(one), one))
    }

    /// The length of the mailboxes in `list` that are surely whole if the list was cut at its
    /// end: those before the last comma.
    pub(crate) fn whole(list: &[u8]) -> usize {
        let mut end = 0;
        let mut rest = Piece::first(list, 0, true);
        while let Some(piece) = rest.filter(|piece| piece.next <= list.len()) {
            end = piece.end;
            rest = Piece::first(list, piece.next, true);
        }
        end
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
    /// The mailbox of a field that follows no document, by its last text in angle brackets, also
    /// in a comment or after a quotation mark that nothing closes. `None` if it is no address.
    fn of_last_angle(field: &[u8]) -> Option<Mailbox> {
        let open = memchr::memrchr(b'<', field)?;
        let (before, after) = (&field[..open], &field[open + 1..]);
        let address = &after[..memchr::memchr(b'>', after)?];
        let mark = |b: &u8| b.is_ascii_whitespace() || b"\"(".contains(b);
        let start = before.iter().position(|b| !mark(b)).unwrap_or(open);
        let end = before
            .iter()
            .rposition(|b| !mark(b))
            .map_or(start, |at| at + 1);
        normal(address).map(|address| Mailbox {
            name: words(&before[start..end]),
            address,
        })
    }

    /// Reads `NAME <ADDRESS>` (RFC 5322, section 3.4) and `ADDRESS (NAME)` (RFC 1036,
    /// section 2.1.1). If several texts are in angle brackets, the last one is the address.
    fn parse(field: &[u8]) -> Mailbox {
        let last = last_angle(field);
        let mut text = Vec::new();
        let mut comment = Vec::new();
        let mut angle = None;
        let mut nesting = Nesting::default();
        for (at, &byte) in field.iter().enumerate() {
            match nesting.place(byte) {
                Place::Outside if byte == b'<' && last == Some(at) => {
                    angle = Some(at + 1);
                    break;
                }
                Place::Outside | Place::Quoted => text.push(byte),
                Place::Comment => comment.push(byte),
                Place::Mark => {}
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

/// Tells the bytes of a field that are in quotation marks or comments from the others.
#[derive(Debug, Default)]
struct Nesting {
    /// The number of comments that are open.
    depth: usize,
    is_quoted: bool,
    /// The byte before is a backslash in one of them.
    is_escaped: bool,
}

/// Where a byte of a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    Quoted,
    Comment,
    /// It is a quotation mark, an outer bracket of a comment, or a backslash before another byte.
    Mark,
}

impl Nesting {
    /// The place of `byte`, which is the next one.
    fn place(&mut self, byte: u8) -> Place {
        if std::mem::take(&mut self.is_escaped) {
            return self.inside();
        }
        match byte {
            b'\\' if self.is_quoted || self.depth > 0 => self.is_escaped = true,
            b'"' if self.depth == 0 => self.is_quoted = !self.is_quoted,
            b'(' if !self.is_quoted => {
                self.depth += 1;
                if self.depth > 1 {
                    return Place::Comment;
                }
            }
            b')' if !self.is_quoted && self.depth > 0 => {
                self.depth -= 1;
                if self.depth > 0 {
                    return Place::Comment;
                }
            }
            _ => return self.inside(),
        }
        Place::Mark
    }

    /// The place of a byte that is no mark.
    fn inside(&self) -> Place {
        if self.depth > 0 {
            Place::Comment
        } else if self.is_quoted {
            Place::Quoted
        } else {
            Place::Outside
        }
    }

    /// True if `byte`, which is the next one, is outside.
    fn is_outside(&mut self, byte: u8) -> bool {
        self.place(byte) == Place::Outside
    }
}

/// The place of the `<` before the address: the last one that an address follows, or else the
/// first one.
fn last_angle(mailbox: &[u8]) -> Option<usize> {
    let mut nesting = Nesting::default();
    let mut first = None;
    let mut last = None;
    let mut open = None;
    for (at, &byte) in mailbox.iter().enumerate() {
        if !nesting.is_outside(byte) {
            continue;
        }
        match byte {
            b'<' => {
                first = first.or(Some(at));
                open = Some(at);
            }
            b'@' if open.is_some() => last = open,
            b'>' => open = None,
            _ => {}
        }
    }
    last.or(first)
}

/// The mailboxes of a list, without the names of groups. A mailbox can be empty.
#[derive(Debug)]
struct Mailboxes<'a> {
    list: &'a [u8],
    at: usize,
    /// Names before this place are mailboxes of their own, so a list of names is not read
    /// again from each of them.
    apart: usize,
    has_groups: bool,
}

impl<'a> Mailboxes<'a> {
    fn new(list: &'a [u8], has_groups: bool) -> Mailboxes<'a> {
        Mailboxes {
            list,
            at: 0,
            apart: 0,
            has_groups,
        }
    }

    /// The last piece of the mailbox that begins with `first`. It is another one if only names
    /// without addresses are before it: `Reed, Ann <ann@b.example>`.
    fn last_piece(&mut self, first: Piece) -> Piece {
        let mut piece = first;
        while piece.start >= self.apart && piece.is_name(self.list) {
            let next = Piece::first(self.list, piece.next, self.has_groups);
            match next {
                Some(next) if next.begins_group => {
                    self.apart = next.start;
                    return first;
                }
                Some(next) if next.has_address => return next,
                Some(next) => piece = next,
                None => {
                    self.apart = self.list.len();
                    return first;
                }
            }
        }
        self.apart = self.apart.max(piece.start);
        first
    }
}

impl<'a> Iterator for Mailboxes<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let first = Piece::first(self.list, self.at, self.has_groups)?;
        let last = self.last_piece(first);
        self.at = last.next;
        Some(self.list[first.start..last.end].trim_ascii())
    }
}

/// The text between two commas of a list.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: usize,
    end: usize,
    /// The start of the next piece. Over the length of the list after the last one.
    next: usize,
    /// The name of a group is before it.
    begins_group: bool,
    /// The piece is the last one of a group.
    ends_group: bool,
    /// It has an address in angle brackets.
    has_address: bool,
}

impl Piece {
    /// The piece that begins at `start`. `None` at the end of the list.
    fn first(list: &[u8], start: usize, has_groups: bool) -> Option<Piece> {
        let mut piece = Piece {
            start,
            end: list.len(),
            next: list.len() + 1,
            begins_group: false,
            ends_group: false,
            has_address: false,
        };
        let mut nesting = Nesting::default();
        let mut angle = None;
        let mut has_at = false;
        for (at, &byte) in list.iter().enumerate().skip(start) {
            if !nesting.is_outside(byte) {
                continue;
            }
            match byte {
                b'<' => angle = angle.or(Some(at)),
                b'>' => {
                    let inner = angle.take().map(|open| &list[open..at]);
                    piece.has_address |= inner.is_some_and(may_have_address);
                }
                // A colon in an address is a fault, or a route before it.
                b':' if has_groups && angle.is_none() && !has_at => {
                    piece.start = at + 1;
                    piece.begins_group = true;
                }
                b'@' => has_at = true,
                b',' | b';' if angle.is_none() && (has_groups || byte == b',') => {
                    piece.end = at;
                    piece.next = at + 1;
                    piece.ends_group = byte == b';';
                    return Some(piece);
                }
                _ => {}
            }
        }
        (start < list.len()).then_some(piece)
    }

    /// True if it may be the first part of a name: a comma follows it, and it is no mailbox.
    fn is_name(self, list: &[u8]) -> bool {
        let text = list[self.start..self.end].trim_ascii();
        let may_be = self.next <= list.len() && !self.ends_group && !self.has_address;
        may_be && !text.is_empty() && !is_address(text)
    }
}

/// True if a piece without angle brackets is an address, or a word that was meant as one.
fn is_address(text: &[u8]) -> bool {
    if !may_have_address(text) {
        return false;
    }
    let address = Mailbox::parse(text).address;
    let is_word = !address.trim_ascii().contains(&b' ');
    is_word || normal(&address).is_some()
}

fn may_have_address(text: &[u8]) -> bool {
    text.contains(&b'@') || memchr::memmem::find(text, b" at ").is_some()
}

/// The words of a text, with one blank between them.
fn words(text: &[u8]) -> Vec<u8> {
    let words = text.split(u8::is_ascii_whitespace);
    let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
    words.join(&b' ')
}

/// The address in lower case, without what people and programs write around it: a comment
/// (RFC 822, section 3.1.4), single quotation marks, `mailto:`.
fn bare(text: &[u8]) -> &[u8] {
    let text = match (text.last(), memchr::memmem::find(text, b" (")) {
        (Some(b')'), Some(comment)) => text[..comment].trim_ascii_end(),
        _ => text,
    };
    let text = match text {
        [b'\'', inner @ .., b'\''] => inner,
        text => text,
    };
    text.strip_prefix(b"mailto:").unwrap_or(text)
}

/// An address in lower case, with `@` for ` at `. `None` if the text is none.
fn normal(text: &[u8]) -> Option<Vec<u8>> {
    let text = match str::from_utf8(text) {
        Ok(text) => text.to_lowercase().into_bytes(),
        Err(_) => text.to_ascii_lowercase(),
    };
    let text = words(&text);
    let text = bare(&text);
    let address = match memchr::memmem::find(text, b" at ") {
        Some(at) if !text.contains(&b'@') => [&text[..at], b"@", &text[at + 4..]].concat(),
        _ => text.to_vec(),
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
            ("\"ann\" <ann@B.example (Ann Reed)>", "ann", "ann@b.example"),
            ("'ann@b.example'", "", "ann@b.example"),
            ("Ann <mailto:ann@b.example>", "Ann", "ann@b.example"),
            (
                "Ann via Talk <talk@l.example>",
                "Ann via Talk",
                "talk@l.example",
            ),
            ("Reed, Ann <Ann@b.example>", "Reed, Ann", "ann@b.example"),
            (
                "Reed, Ann, MD <ann@b.example>, Bob <b@b.example>",
                "Reed, Ann, MD",
                "ann@b.example",
            ),
            ("Ann, Bob", "Ann, Bob", ""),
            ("Ann, bob@b.example", "Ann, bob@b.example", ""),
            (
                "Shop: Reed; Co, <ann@b.example>",
                "Shop: Reed; Co,",
                "ann@b.example",
            ),
            (
                "Ann <Reed>, Inc. <ann@b.example>",
                "Ann <Reed>, Inc.",
                "ann@b.example",
            ),
            (
                "Ann <a@c.example> <ann@b.example>",
                "Ann <a@c.example>",
                "ann@b.example",
            ),
            ("Team,(<ann@b.example>)", "Team,", "ann@b.example"),
            ("\"Ann <ann@b.example>", "Ann", "ann@b.example"),
            (
                "\"\"\"Ann Reed\"\" <ann@b.example>\"",
                "Ann Reed",
                "ann@b.example",
            ),
            ("(<ann@b.example>)", "", "ann@b.example"),
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
                "a@b.example b@b.example",
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
            // Names without the quotation marks that a comma needs.
            ("Reed, Ann <ann@b.example>", "ann@b.example"),
            (
                "a@b.example, Reed, Ann, MD <c@b.example>, d@b.example",
                "a@b.example c@b.example d@b.example",
            ),
            (
                "a@b.example, b@b.example, Jo <c@b.example>",
                "a@b.example b@b.example c@b.example",
            ),
            (
                "a@b.example (Ann), Jo <c@b.example>",
                "a@b.example c@b.example",
            ),
            (
                "ann at b.example, Jo <c@b.example>",
                "ann@b.example c@b.example",
            ),
            ("a@@b, Jo <c@b.example>", "a@@b c@b.example"),
            ("Team @Reed, Inc <a@b.example>", "a@b.example"),
            ("Ann, Bob, c@b.example", "Ann Bob c@b.example"),
            ("Ann, Bob, Cleo", "Ann Bob Cleo"),
            ("Ann, , Bob <b@b.example>", "Ann b@b.example"),
            ("Ann, Bob <>", "Ann Bob <>"),
            ("Ann; Bob <b@b.example>", "Ann b@b.example"),
            ("Ann, Team: Bob <b@b.example>;", "Ann b@b.example"),
            (
                "Team: Reed, Ann <a@b.example>, b@b.example;",
                "a@b.example b@b.example",
            ),
            ("undisclosed-recipients:;, Jo <c@b.example>", "c@b.example"),
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
