//! The names of schemes, in a form that is compared with one instruction.

/// The name of a scheme as a number. Upper and lower case give the same number,
/// so one comparison is enough. All names of more than eight bytes share one
/// key, which no table contains.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct SchemeKey(u64);

impl SchemeKey {
    #[inline]
    pub(super) const fn of(scheme: &[u8]) -> SchemeKey {
        if scheme.len() > 8 {
            return SchemeKey(0);
        }
        let mut key = 0;
        let mut i = 0;
        while i < scheme.len() {
            // Setting bit 0x20 makes a letter lower case. It turns no other
            // byte of a scheme into a letter. So different schemes have
            // different keys.
            key = key << 8 | (scheme[i] | 0x20) as u64;
            i += 1;
        }
        SchemeKey(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_ignore_case_and_nothing_else() {
        let http = SchemeKey::of(b"http");
        assert!(http == SchemeKey::of(b"HttP"));
        for other in [&b"httq"[..], b"htt", b"httpp", b"h\x14tp", b""] {
            assert!(http != SchemeKey::of(other));
        }
        for other in [&b"prosperox"[..], b"xprospero", b"attached", b"prosper"] {
            assert!(SchemeKey::of(b"prospero") != SchemeKey::of(other));
        }
    }
}
