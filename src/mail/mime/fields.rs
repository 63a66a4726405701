//! The header fields that are known by name. They determine the structure,
//! identify the message, or are not searched for URLs.

/// The use of a field by the walker itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Other,
    ContentType,
    TransferEncoding,
    Disposition,
    MessageId,
    Date,
    From,
    Subject,
    Newsgroups,
    ListId,
    /// The field identifies the mailing list: by its address, or by its web
    /// page.
    List,
}

/// Whether the field is searched under `HeaderPolicy::Auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Auto {
    Searched,
    /// The field has addresses, ids, traces or signatures. It is not searched.
    Left,
}

use Auto::{Left, Searched};
use Known::{
    ContentType, Date, Disposition, From, List, ListId, MessageId, Newsgroups, Other, Subject,
    TransferEncoding,
};

/// All known names in lower case, grouped by purpose.
#[rustfmt::skip]
const ROWS: &[(&str, Known, Auto)] = &[
    // The structure of the part.
    ("content-type", ContentType, Searched),
    ("content-transfer-encoding", TransferEncoding, Left),
    ("content-disposition", Disposition, Searched),
    ("mime-version", Other, Left),
    ("content-length", Other, Left),
    ("lines", Other, Left),
    // The identity of the message.
    ("subject", Subject, Searched),
    ("newsgroups", Newsgroups, Searched),
    ("date", Date, Left),
    ("from", From, Left),
    ("message-id", MessageId, Left),
    // Mailing lists (RFC 2369, RFC 2919, and older fields).
    ("list-id", ListId, Searched),
    ("list-post", List, Searched),
    ("list-help", List, Searched),
    ("list-subscribe", List, Searched),
    ("list-unsubscribe", List, Searched),
    ("list-archive", List, Searched),
    ("list-owner", List, Searched),
    ("mailing-list", List, Left),
    ("x-mailing-list", List, Left),
    ("x-beenthere", List, Left),
    ("x-loop", List, Left),
    // Addresses.
    ("to", Other, Left),
    ("cc", Other, Left),
    ("bcc", Other, Left),
    ("sender", Other, Left),
    ("reply-to", Other, Left),
    ("errors-to", Other, Left),
    ("apparently-to", Other, Left),
    ("delivered-to", Other, Left),
    ("envelope-to", Other, Left),
    ("x-original-to", Other, Left),
    ("x-original-from", Other, Left),
    ("x-envelope-from", Other, Left),
    ("x-envelope-to", Other, Left),
    ("x-sender", Other, Left),
    ("x-to", Other, Left),
    ("x-cc", Other, Left),
    ("x-rcpt-to", Other, Left),
    ("x-apparently-to", Other, Left),
    ("x-authenticated-sender", Other, Left),
    ("x-authentication-warning", Other, Left),
    ("x-complaints-to", Other, Left),
    ("x-abuse-to", Other, Left),
    ("mail-copies-to", Other, Left),
    ("mail-followup-to", Other, Left),
    ("mail-reply-to", Other, Left),
    ("followup-to", Other, Left),
    ("disposition-notification-to", Other, Left),
    ("return-receipt-to", Other, Left),
    ("x-confirm-reading-to", Other, Left),
    ("approved", Other, Left),
    ("return-path", Other, Left),
    ("resent-from", Other, Left),
    ("resent-to", Other, Left),
    ("resent-cc", Other, Left),
    ("resent-bcc", Other, Left),
    ("resent-sender", Other, Left),
    ("resent-reply-to", Other, Left),
    // Ids.
    ("in-reply-to", Other, Left),
    ("references", Other, Left),
    ("content-id", Other, Left),
    ("resent-message-id", Other, Left),
    ("original-message-id", Other, Left),
    ("supersedes", Other, Left),
    ("also-control", Other, Left),
    ("control", Other, Left),
    ("article-i.d.", Other, Left),
    ("xref", Other, Left),
    ("thread-index", Other, Left),
    ("x-uid", Other, Left),
    ("x-uidl", Other, Left),
    ("x-gmail-labels", Other, Left),
    // Traces.
    ("received", Other, Left),
    ("x-received", Other, Left),
    ("received-spf", Other, Left),
    ("path", Other, Left),
    ("nntp-posting-host", Other, Left),
    ("nntp-posting-date", Other, Left),
    ("posting-version", Other, Left),
    ("relay-version", Other, Left),
    ("date-received", Other, Left),
    ("injection-date", Other, Left),
    ("injection-info", Other, Left),
    ("resent-date", Other, Left),
    ("delivery-date", Other, Left),
    ("x-trace", Other, Left),
    ("x-original-nntp-posting-host", Other, Left),
    ("x-originating-ip", Other, Left),
    ("x-originalarrivaltime", Other, Left),
    ("x-sender-ip", Other, Left),
    ("x-server-date", Other, Left),
    ("authentication-results", Other, Left),
    ("x-authentication-results", Other, Left),
    ("arc-authentication-results", Other, Left),
    ("autocrypt", Other, Left),
    ("status", Other, Left),
    ("x-status", Other, Left),
    ("x-mozilla-status", Other, Left),
    ("x-mozilla-status2", Other, Left),
    ("x-keywords", Other, Left),
    // Signatures and pictures.
    ("dkim-signature", Other, Left),
    ("domainkey-signature", Other, Left),
    ("domainkey-status", Other, Left),
    ("x-google-dkim-signature", Other, Left),
    ("arc-seal", Other, Left),
    ("arc-message-signature", Other, Left),
    ("cancel-lock", Other, Left),
    ("cancel-key", Other, Left),
    ("x-pgp-sig", Other, Left),
    ("x-pgp-signature", Other, Left),
    ("x-pgp-key-fingerprint", Other, Left),
    ("content-md5", Other, Left),
    ("x-face", Other, Left),
    ("face", Other, Left),
];

/// True for `X-…-ID` fields, which programs write for other programs.
fn is_private_id(name: &[u8]) -> bool {
    let lower = |from: &[u8], with: &[u8]| from.eq_ignore_ascii_case(with);
    name.len() > 5 && lower(&name[..2], b"x-") && lower(&name[name.len() - 3..], b"-id")
}

/// The row for the field `name`, in any case.
pub(super) fn find(name: &[u8]) -> (Known, Auto) {
    known(name).unwrap_or_else(|| other(name))
}

/// The use of a field that has no row.
pub(super) fn other(name: &[u8]) -> (Known, Auto) {
    if is_private_id(name) {
        (Other, Left)
    } else {
        UNKNOWN
    }
}

/// The use of the field `name`. Ignores case. `None` if the table has no row
/// for it. `name` may contain any bytes.
#[inline(always)] // For the same reason as `field_name`: it has the same callers.
pub(super) fn known(name: &[u8]) -> Option<(Known, Auto)> {
    let ends = Ends::of(name);
    let mut slot = ends.hash();
    loop {
        // 0 marks a free slot.
        let i = usize::from(SLOTS[slot]).checked_sub(1)?;
        let (row, known, auto) = ROWS[i];
        // The two ends cover all bytes of a name of at most 16 bytes.
        if ENDS[i] == ends && (name.len() <= 16 || name.eq_ignore_ascii_case(row.as_bytes())) {
            return Some((known, auto));
        }
        slot = (slot + 1) % SIZE;
    }
}

/// The row for any other field.
pub(super) const UNKNOWN: (Known, Auto) = (Other, Searched);

/// The length of a name, its first bytes and its last bytes. Letters are in
/// lower case.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ends {
    len: u64,
    first: u64,
    last: u64,
}

impl Ends {
    #[inline(always)] // For the same reason as `known`.
    const fn of(name: &[u8]) -> Ends {
        /// Converts letters to lower case. No other byte becomes a byte that
        /// occurs in a row.
        const fn lower(word: u64) -> u64 {
            word | (word & u64::from_ne_bytes([0x40; 8])) >> 1
        }
        let (first, last) = match (name.first_chunk(), name.last_chunk()) {
            (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
            _ => match (name.first_chunk(), name.last_chunk()) {
                (Some(first), Some(last)) => (
                    u32::from_le_bytes(*first) as u64,
                    u32::from_le_bytes(*last) as u64,
                ),
                _ => match *name {
                    [a] => (a as u64, 0),
                    [a, b] => (a as u64, b as u64),
                    [a, b, c] => (a as u64, (b as u64) << 8 | c as u64),
                    _ => (0, 0),
                },
            },
        };
        Ends {
            len: name.len() as u64,
            first: lower(first),
            last: lower(last),
        }
    }

    /// A hash that distinguishes most names.
    const fn hash(self) -> usize {
        let mixed = self.first ^ self.last.rotate_left(31) ^ self.len;
        (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SIZE.ilog2())) as usize
    }
}

const SIZE: usize = 512;

/// The ends of each row.
static ENDS: [Ends; ROWS.len()] = {
    let mut ends = [Ends::of(b""); ROWS.len()];
    let mut i = 0;
    while i < ROWS.len() {
        ends[i] = Ends::of(ROWS[i].0.as_bytes());
        i += 1;
    }
    ends
};

/// A hash table. Each slot has the number of a row plus one, or 0 if it is
/// free. A row is in the slot of its hash, or in the next free slot. At most a
/// quarter of the slots is used, so every search ends.
static SLOTS: [u8; SIZE] = {
    let mut slots = [0; SIZE];
    assert!(ROWS.len() < SIZE / 4 && ROWS.len() < 255);
    let mut i = 0;
    while i < ROWS.len() {
        let mut slot = Ends::of(ROWS[i].0.as_bytes()).hash();
        while slots[slot] != 0 {
            slot = (slot + 1) % SIZE;
        }
        slots[slot] = i as u8 + 1;
        i += 1;
    }
    slots
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_row_in_any_case() {
        for &(name, known, auto) in ROWS {
            assert_eq!(name, name.to_ascii_lowercase());
            assert_eq!(find(name.as_bytes()), (known, auto), "{name}");
            assert_eq!(find(name.to_ascii_uppercase().as_bytes()), (known, auto));
        }
        assert_eq!(find(b"X-URL"), (Other, Searched));
        assert_eq!(find(b"X-Gm-Message-Id"), (Other, Left));
        assert_eq!(find(b""), (Other, Searched));
        for name in [
            &b"Content\rType"[..],
            b"Mime\x0Dversion",
            b"Article\x0Ei.d.",
            b"X-Mozilla-Status\x12",
        ] {
            assert_eq!(known(name), None);
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = ROWS.iter().map(|r| r.0).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|w| w[0] != w[1]));
    }
}
