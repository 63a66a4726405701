//! Decimal and hexadecimal digits, and the digits of base64. They are here once,
//! because mail, URLs and records all use them.

/// The value of decimal digits. `None` if there are no digits, if there is
/// another byte, or if the value does not fit in 64 bits.
pub fn decimal(digits: &[u8]) -> Option<u64> {
    let add = |value: u64, byte: &u8| {
        let digit = byte.wrapping_sub(b'0');
        let value = value.checked_mul(10)?.checked_add(u64::from(digit));
        value.filter(|_| digit < 10)
    };
    let value = digits.iter().try_fold(0, add);
    value.filter(|_| !digits.is_empty())
}

/// The value of a hexadecimal digit, in either case.
#[inline]
pub fn hex(byte: u8) -> Option<u8> {
    Some(HEX_VALUES[usize::from(byte)]).filter(|&value| value < 16)
}

/// The byte of two hexadecimal digits.
#[inline]
pub fn hex_byte(high: u8, low: u8) -> Option<u8> {
    Some(hex(high)? << 4 | hex(low)?)
}

/// Appends `byte` as two hexadecimal digits, in upper case.
pub fn put_hex(byte: u8, out: &mut Vec<u8>) {
    out.extend([byte >> 4, byte & 15].map(|digit| HEX[usize::from(digit)]));
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// The value of each byte as a hexadecimal digit. A load is cheaper than the
/// comparisons of `char::to_digit`.
static HEX_VALUES: [u8; 256] = {
    let mut table = [u8::MAX; 256];
    let mut i = 0;
    while i < 16 {
        table[HEX[i] as usize] = i as u8;
        table[HEX[i].to_ascii_lowercase() as usize] = i as u8;
        i += 1;
    }
    table
};

/// The digits of base64 (RFC 4648 section 4, and Table 1 of RFC 2045).
pub const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of a digit of base64.
pub fn sextet(byte: u8) -> Option<u8> {
    let value = memchr::memchr(byte, BASE64)?;
    Some(value as u8)
}

/// Decodes base64 up to the first `=`. `None` if another byte is not a digit.
/// The number has the bits after the last whole byte, which should be zero.
pub fn from_base64(text: &[u8], digit: impl Fn(u8) -> Option<u8>) -> Option<(Vec<u8>, u32)> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let mut bits = 0u32;
    let mut held = 0;
    for &byte in text.iter().take_while(|&&byte| byte != b'=') {
        bits = bits << 6 | u32::from(digit(byte)?);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some((out, bits))
}

/// As [`from_base64`], but padding is required, and unused bits must be zero.
pub fn from_padded_base64(text: &[u8]) -> Option<Vec<u8>> {
    let padding = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    let is_padded = text.len().is_multiple_of(4) && padding <= 2;
    let digits = &text[..text.len() - padding];
    let (bytes, unused) = from_base64(digits, sextet)?;
    (is_padded && unused == 0 && !digits.contains(&b'=')).then_some(bytes)
}

/// Appends `bytes` in base64, with padding.
pub fn put_base64(bytes: &[u8], out: &mut Vec<u8>) {
    for group in bytes.chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = BASE64[(bits >> (18 - 6 * i)) as usize & 63];
            out.push(if i > group.len() { b'=' } else { digit });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_have_their_values() {
        for byte in 0..=255u8 {
            let expected = char::from(byte).to_digit(16).filter(|_| byte < 0x80);
            assert_eq!(hex(byte).map(u32::from), expected);
            let mut digits = Vec::new();
            put_hex(byte, &mut digits);
            assert_eq!(digits, format!("{byte:02X}").as_bytes());
            assert_eq!(hex_byte(digits[0], digits[1]), Some(byte));
            assert_eq!(sextet(byte).is_some(), BASE64.contains(&byte));
        }
        assert_eq!([sextet(b'A'), sextet(b'/')], [Some(0), Some(63)]);
    }

    /// The examples of RFC 4648 section 10.
    #[test]
    fn base64_is_that_of_the_rfc() {
        let all = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let coded = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
        ];
        for (text, coded) in all.into_iter().zip(coded) {
            let mut out = Vec::new();
            put_base64(text.as_bytes(), &mut out);
            assert_eq!(out, coded.as_bytes());
            assert_eq!(from_padded_base64(&out).unwrap(), text.as_bytes());
        }
        for wrong in [
            "Zg", "Zg=", "Zh==", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Z=9v",
        ] {
            assert_eq!(from_padded_base64(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
