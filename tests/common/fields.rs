//! The header fields that servers put before the header of a message.

/// The sizes of the fields in the tests.
pub const SIZES: [usize; 4] = [4 << 10, 8 << 10, 16 << 10, 64 << 10];

/// At least `len` bytes of fields: as Microsoft 365 writes them, one field of that
/// length, or fields that begin with the report of a filter.
pub fn server_fields(len: usize) -> [String; 3] {
    let fold = "\n b0123456789012345678901234567890123456789012345678901234567890123456789";
    let signature = fold.repeat(9);
    let hop = format!(
        "Received: from a.example (192.0.2.1) by b.example (192.0.2.2)\n with Microsoft SMTP Server;\n \
         Mon, 6 Jan 2025 10:00:00 +0000\n\
         ARC-Seal: i=1; a=rsa-sha256; s=arcselector; d=b.example; cv=none;{signature}\n\
         ARC-Message-Signature: i=1; a=rsa-sha256; c=relaxed/relaxed;{signature}\n\
         ARC-Authentication-Results: i=1; mx.b.example 1; spf=pass; dkim=none\n\
         Authentication-Results: spf=pass (sender IP is 192.0.2.1)\n smtp.mailfrom=c.example;\n\
         Received-SPF: Pass (protection.b.example)\n\
         DKIM-Signature: v=1; a=rsa-sha256; d=c.example;{signature}\n\
         X-MS-Exchange-Organization-SCL: 1\n"
    );
    let long = |name: &str| format!("{name}: i=1;{}\n", fold.repeat(len / fold.len() + 1));
    [
        hop.repeat(len / hop.len() + 1),
        long("ARC-Seal"),
        long("X-Spam-Report"),
    ]
}
