//! The roles of hits: by their place, and by the plain part before an HTML part.

use urlgrep_mail::mime::{MessageInfo, PageRoles, PartInfo, PartKind, Role, RoleTracker};

/// The maximum number of URLs of a plain part that are kept, and of their bytes.
const URLS: usize = 1024;
const BYTES: usize = 64 * 1024;

/// The roles of the current message.
///
/// A message of today has its text twice, as plain text and as HTML. A quotation or a
/// footer is easy to recognise in the first, and may have no mark in the second.
#[derive(Debug, Default)]
pub(super) struct Roles {
    /// Roles are wanted.
    is_on: bool,
    pub(super) tracker: RoleTracker,
    /// The URLs of the last plain part, one after the other, and their places and roles.
    text: Vec<u8>,
    urls: Vec<(usize, usize, Role)>,
    /// The number of the multipart with this part, and a dot.
    parent: String,
    /// The current part is plain text, or HTML.
    is_plain: bool,
    is_html: bool,
}

impl Roles {
    pub(super) fn new(is_on: bool) -> Roles {
        Roles {
            is_on,
            ..Roles::default()
        }
    }

    /// Forgets the URLs of the last plain part.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.urls.clear();
    }

    pub(super) fn start(&mut self, message: &MessageInfo, part: &PartInfo<'_>) {
        if !self.is_on {
            return;
        }
        self.tracker.start(message, part);
        self.is_plain = part.kind == PartKind::Body;
        self.is_html = part.is_page() && part.path.starts_with(&self.parent);
        if self.is_plain {
            self.clear();
            let dot = part.path.rfind('.').map_or(0, |dot| dot + 1);
            self.parent.clear();
            self.parent.push_str(&part.path[..dot]);
        } else if self.is_html {
            // `Role::Body` is the least role, so it comes first.
            let text = &self.text;
            let key = |&(start, end, role): &(usize, usize, Role)| (&text[start..end], role);
            self.urls.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        }
    }

    /// True if the role depends on the text of the part. The text is then collected before it
    /// is searched.
    pub(super) fn read_text(&self) -> bool {
        self.is_on && !self.tracker.is_fixed()
    }

    /// The collected text, and what says the role of a URL in it.
    pub(super) fn page(&mut self) -> (&[u8], RoleOf<'_>) {
        let (text, roles) = self.tracker.page();
        let role_of = RoleOf {
            is_on: self.is_on,
            roles,
            text: &mut self.text,
            urls: &mut self.urls,
            is_plain: self.is_plain,
            is_html: self.is_html,
        };
        (text, role_of)
    }
}

/// The roles of the URLs of the current part.
pub(super) struct RoleOf<'r> {
    is_on: bool,
    roles: PageRoles<'r>,
    text: &'r mut Vec<u8>,
    urls: &'r mut Vec<(usize, usize, Role)>,
    is_plain: bool,
    is_html: bool,
}

impl RoleOf<'_> {
    /// The role of a URL at the text offset `at`. `None` if roles are not wanted, or if the part
    /// breaks off before what decides about it.
    ///
    /// If the part is HTML and says nothing, and the URL is in the plain part before it,
    /// but not as the author's text, this is the role there.
    pub(super) fn at(&mut self, at: u64, url: &[u8]) -> Option<Role> {
        let role = self.is_on.then(|| self.roles.role_at(at))??;
        let url = url.strip_suffix(b"/").unwrap_or(url);
        let (start, end) = (self.text.len(), self.text.len() + url.len());
        if self.is_plain && self.urls.len() < URLS && end <= BYTES {
            self.urls.push((start, end, role));
            self.text.extend_from_slice(url);
        }
        if !self.is_html || role != Role::Body {
            return Some(role);
        }
        Some(self.in_plain(url).unwrap_or(role))
    }

    /// The role of a link of HTML at the text offset `at`, if the elements around it give it this
    /// one. The line of a phone is a footer in the element of a signature, too, which the plain
    /// part shows.
    pub(super) fn of_link(&mut self, markup: Option<Role>, at: u64, url: &[u8]) -> Option<Role> {
        match markup {
            None => self.at(at, url),
            Some(Role::Signature) if self.is_html => {
                let url = url.strip_suffix(b"/").unwrap_or(url);
                let plain = self.in_plain(url).filter(|&role| role == Role::Footer);
                Some(plain.unwrap_or(Role::Signature))
            }
            Some(role) => Some(role),
        }
    }

    /// The role of the URL in the plain part.
    fn in_plain(&self, url: &[u8]) -> Option<Role> {
        let known = |&(start, end, _): &(usize, usize, Role)| &self.text[start..end];
        let first = self.urls.partition_point(|row| known(row) < url);
        let same = self.urls.get(first).filter(|row| known(row) == url);
        same.map(|row| row.2)
    }
}
