//! The table of fields. Each field has a name, a type, a meaning, and a rule
//! that computes its value. JSON, templates, the documentation and all other
//! forms of a row are derived from the table. A new field needs a row in the
//! table and an arm in [`Row::value`].

use super::Row;
use super::owned::{Bytes, Component, Decoded, FromValue, OwnedAlternate, OwnedSeam};
use urlgrep_base::span::Span;

/// The version of the schema. Within one version fields may be added. No field
/// is removed, and no field changes its type or meaning.
pub(super) const VERSION: u64 = 2;

/// The type of a field. Every value of the field has this type. The value may
/// be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Type {
    /// A name from this library: ASCII letters, digits, `-` and `.`.
    Name,
    /// A string. If [`Field::bytes_name`] has a name, its bytes need not be
    /// UTF-8.
    Text,
    /// A number from 0 to 2^63 - 1.
    Number,
    /// True or false.
    Flag,
    /// A time in UTC, to the second.
    Time,
    /// A list of names.
    Names,
    /// A list of spans: `start`, `end`.
    Spans,
    /// A list of repairs: `kind`, `start`, `end`, `at`, `len`.
    Seams,
    /// A place in decoded text: `start`, `end`, `segments`, `seams`.
    Decoded,
    /// A list of other readings: `kind`, `url`.
    Alternates,
    /// A list of parts of the URL: `name`, `value`.
    Components,
}

macro_rules! fields {
    (
        keys { $(
            $(#[doc = $doc:literal])+
            $variant:ident $name:literal $key:ident: $ty:ident as $owned:ty $(, $bytes:ident)?;
        )+ }
        computed { $(
            $(#[doc = $more_doc:literal])+
            $more:ident $more_name:literal: $more_ty:ident;
        )+ }
    ) => {
        /// A field of a row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Field {
            $($(#[doc = $doc])+ $variant,)+
            $($(#[doc = $more_doc])+ $more,)+
        }

        impl Field {
            /// All fields. The keys of JSON come first, in the order of JSON.
            pub const ALL: &[Field] = &[$(Field::$variant,)+ $(Field::$more,)+];

            /// The fields that are keys of JSON, in the order of JSON.
            pub const KEYS: &[Field] = &[$(Field::$variant,)+];

            /// The name of the field. It is the same in JSON, in templates and
            /// in the documentation.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Field::$variant => $name,)+
                    $(Field::$more => $more_name,)+
                }
            }

            /// The name of the companion field. It has the bytes of a text that
            /// is not UTF-8. `None` if the text is always UTF-8.
            #[must_use]
            pub const fn bytes_name(self) -> Option<&'static str> {
                match self {
                    $($(Field::$variant => Some(stringify!($bytes)),)?)+
                    _ => None,
                }
            }

            /// The type of the field.
            #[must_use]
            pub const fn ty(self) -> Type {
                match self {
                    $(Field::$variant => Type::$ty,)+
                    $(Field::$more => Type::$more_ty,)+
                }
            }

            /// The meaning of the field, in Markdown.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Field::$variant => concat!($($doc),+).trim_ascii(),)+
                    $(Field::$more => concat!($($more_doc),+).trim_ascii(),)+
                }
            }

            /// The JSON key with a comma before and a colon after it.
            #[inline(always)]
            pub(super) const fn json_key(self) -> &'static str {
                match self {
                    $(Field::$variant => concat!(",\"", $name, "\":"),)+
                    _ => "",
                }
            }

            /// [`Field::json_key`] and a quotation mark.
            #[inline(always)]
            pub(super) const fn json_string_key(self) -> &'static str {
                match self {
                    $(Field::$variant => concat!(",\"", $name, "\":\""),)+
                    _ => "",
                }
            }

            /// The JSON key of the companion field, with a comma before and a
            /// colon after it.
            #[inline(always)]
            pub(super) const fn json_bytes_key(self) -> Option<&'static str> {
                match self {
                    $($(
                        Field::$variant => Some(concat!(",\"", stringify!($bytes), "\":")),
                    )?)+
                    _ => None,
                }
            }

            /// The JSON keys of the field with null values.
            #[inline(always)]
            pub(super) const fn json_null(self) -> &'static str {
                match self {
                    $(Field::$variant => concat!(
                        ",\"", $name, "\":null"
                        $(, ",\"", stringify!($bytes), "\":null")?
                    ),)+
                    _ => "",
                }
            }
        }

        /// Calls `put` with each key of JSON. After inlining the field is a
        /// constant, so the code for all other fields is removed.
        #[inline(always)]
        pub(super) fn each_key(mut put: impl FnMut(Field)) {
            $(put(Field::$variant);)+
        }

        /// A row that owns its values. Its names are the keys of JSON.
        ///
        /// It implements serde's traits for JSON. Unknown keys are ignored. A
        /// text that is not UTF-8 contains U+FFFD. The field `…_bytes` then has
        /// its bytes.
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        #[non_exhaustive]
        pub struct OwnedRecord {
            $(
                $(#[doc = $doc])+
                pub $key: $owned,
                $(
                    /// The bytes of the text, if it is not UTF-8.
                    pub $bytes: Option<Bytes>,
                )?
            )+
        }

        impl From<&Row<'_>> for OwnedRecord {
            fn from(row: &Row<'_>) -> OwnedRecord {
                let mut scratch = Vec::new();
                OwnedRecord {
                    $(
                        $key: FromValue::from_value(row.value(Field::$variant, &mut scratch)),
                        $($bytes: Bytes::of(row.value(Field::$variant, &mut scratch)),)?
                    )+
                }
            }
        }
    };
}

fields! {
    keys {
        /// The version of the schema: 2.
        Version "v" v: Number as u64;
        /// The kind of row: `hit`, `reject` (a candidate that the grammar
        /// refused), `note` (a tolerated fault inside a message, or a file that
        /// was not searched), `error` (an input that could not be read), or
        /// `end` (after the rows of a request of `--batch`).
        Type "type" r#type: Name as String;
        /// The file. `<stdin>` is standard input, `archive.zip!member` a member
        /// of an archive.
        Path "path" path: Text as String, path_bytes;
        /// How the file was read: `text`, `mbox`, `message` and others.
        ReadAs "read_as" read_as: Name as Option<String>;
        /// The line of the URL's first byte: one more than the number of LFs before
        /// it. If `offset` is null, the line on which the part begins. Null if
        /// unknown.
        Line "line" line: Number as Option<u64>;
        /// The bytes from the start of the line to the URL's first
        /// byte, plus 1. Null if the file does not contain the start of the
        /// line unchanged. Also null in a message, if the URL is more than 8
        /// KiB after the start of its line.
        Column "column" column: Number as Option<u64>;
        /// Offset of the URL's first byte in the file or the uncompressed
        /// member, from 0. Null if the file does not contain the URL's bytes.
        /// In a note or an error, the offset of the fault.
        Offset "offset" offset: Number as Option<u64>;
        /// Offset after the URL's last byte. Null if `offset` is null.
        End "end" end: Number as Option<u64>;
        /// The URL after joining its parts. It is ASCII in a hit, unless
        /// `profile` is `iri`. In a reject, the refused text.
        Url "url" url: Text as Option<String>, url_bytes;
        /// The canonical form, for comparison. It keeps `/a/../b`, except by `whatwg`. Null
        /// in a reject.
        Canonical "canonical" canonical: Text as Option<String>;
        /// The SURT, which is the key of the URL in CDX files of web archives.
        /// Null in a reject.
        Surt "surt" surt: Text as Option<String>;
        /// The URI of an IRI (RFC 3987 section 3.1), if it differs from `url`.
        Uri "uri" uri: Text as Option<String>;
        /// The original URL inside a link of a mail gateway, Google or another
        /// redirector. Null if there is none. With `--unwrap` it is null, because
        /// `url` is the original URL.
        Unwrapped "unwrapped" unwrapped: Text as Option<String>;
        /// The URL without the parameters that only track its reader, such as
        /// `utm_source` and `fbclid`, as `--clean` prints it. The same as `url` if it
        /// has none. Null in a reject.
        Clean "clean" clean: Text as Option<String>;
        /// The scheme in lower case. Null if there is none.
        Scheme "scheme" scheme: Text as Option<String>;
        /// The host, its ASCII letters in lower case. Null if none.
        Host "host" host: Text as Option<String>;
        /// The registered domain of the host, by the Public Suffix List with
        /// its private section. Null if there is none, as for an IP address.
        Domain "domain" domain: Text as Option<String>;
        /// What the host means, if it is written in another way: the address of a
        /// number such as `0x7f.1`, or the letters of Punycode.
        HostMeaning "host_meaning" host_meaning: Text as Option<String>;
        /// The port. Null if there is none, or if it is over 65,535.
        Port "port" port: Number as Option<u64>;
        /// The document that gave the verdict: `url-00` to `whatwg`.
        Profile "profile" profile: Name as Option<String>;
        /// How the URL was delimited: `wrapped`, `bracketed`, `quoted`, `prefixed`,
        /// `bare`, `link`, `suffix`, `namespace`.
        Form "form" form: Name as Option<String>;
        /// The spans of the file that were copied into the URL, in order. Null
        /// if `offset` is null.
        Segments "segments" segments: Spans as Option<Vec<Span>>;
        /// The repairs between the segments, in order. Null if `offset` is
        /// null.
        Seams "seams" seams: Seams as Option<Vec<OwnedSeam>>;
        /// The place in the decoded text of the part. Null unless `offset` is
        /// null.
        Decoded "decoded" decoded: Decoded as Option<Decoded>;
        /// Other valid readings. The kinds are `plain`, `hyphen`, `space`,
        /// `joined`, `qp`, `raw`, `script`, `scheme`, `tail`, `outer` (with
        /// `--unwrap`, each link around the URL, the outermost first), `inner` (with
        /// `--unwrap`, a URL of another host in a parameter of the URL, which is a
        /// guess), `written` (the text, if the URL is as the URL Standard serialises
        /// it), `browser` (in a reject, what a browser would open) and others.
        Alternates "alternates" alternates: Alternates as Option<Vec<OwnedAlternate>>;
        /// With `--unwrap`, the number of links that were removed around the URL.
        /// Null if there is none.
        Hops "hops" hops: Number as Option<u64>;
        /// With `--corroborate`, the number of other places in the ledger where
        /// the URL has no repair and no doubt.
        Corroborated "corroborated" corroborated: Number as Option<u64>;
        /// Reasons why a valid reading may be wrong: `inner-space` (white space
        /// within a line was removed), `script` (letters of a writing
        /// system without spaces between words, such as Chinese, follow, directly
        /// or after a mark), `joined` (a bare URL was joined over lines),
        /// `blank-line` (a blank line in a wrapper was removed), `abbreviated` (dots
        /// or the edge of a screen follow, so the rest may be missing) and others.
        Doubt "doubt" doubt: Names as Option<Vec<String>>;
        /// True if a bare URL seems to continue on the next line but is not
        /// joined. An alternate of the kind `joined` or `hyphen` has the URL
        /// over several lines. Also true if a word of the URL is cut
        /// (`abbreviated`).
        Continues "continues" continues: Flag as Option<bool>;
        /// True if a letter, digit, `+`, `-` or `.` comes directly before the scheme.
        Glued "glued" glued: Flag as Option<bool>;
        /// Reasons to be careful with the URL: `password`, `user`, `low-port`,
        /// `encoded-cr`, `encoded-lf`, `encoded-nul`, `port-range`,
        /// `text-differs` (a link of HTML whose text is a URL with another
        /// registered domain), `ip-number`, `userinfo-looks-like-host`, `punycode`, `mixed-script`,
        /// the validation errors of the URL Standard and others.
        Cautions "cautions" cautions: Names as Option<Vec<String>>;
        /// The parts of the URL as written, in the order of the URL. Empty in a
        /// reject.
        Components "components" components: Components as Option<Vec<Component>>;
        /// In a reject, the rule that failed.
        Rule "rule" rule: Name as Option<String>;
        /// In a reject, the offset in `url` at which the rule failed, from 0.
        RuleAt "rule_at" rule_at: Number as Option<u64>;
        /// In a reject, the byte at `rule_at` as a number. Null at the end of
        /// `url`.
        RuleFound "rule_found" rule_found: Number as Option<u64>;
        /// In a note, its kind as one word.
        Note "note" note: Name as Option<String>;
        /// In a reject, a note, an error or an end: a description of the
        /// problem.
        Reason "reason" reason: Text as Option<String>;
        /// In an end, the number of the request, from 1.
        Request "request" request: Number as Option<u64>;
        /// In an end, the number of hits and rejects of the request. In a ledger,
        /// that of all hits of the URL.
        Count "count" count: Number as Option<u64>;
        /// The role of the place in the message: `body`, `quoted`,
        /// `signature`, `footer`, `header`, `attachment`. A list's footer in a quotation without
        /// `>` is `footer`: [a program wrote it](answers.md#who-wrote-it).
        Role "role" role: Name as Option<String>;
        /// The quoting depth of the place.
        Depth "depth" depth: Number as Option<u64>;
        /// If a link of HTML and its text are two URLs, the URL of the link.
        /// Both rows have it.
        LinkTarget "target" target: Text as Option<String>;
        /// If a link of HTML and its text are two URLs, the URL of the text: the first that
        /// begins within 1,024 bytes. A host without a scheme (`paypal.com`) counts, with
        /// `http://`, if it is of another registered domain than the link. Both rows have it.
        LinkText "text" text: Text as Option<String>;
        /// The number of the MIME part, such as `1.2`.
        Part "part" part: Name as Option<String>;
        /// The Content-Type of the part without parameters, in lower case: that of HTTP, of the
        /// record, or of mail, where `text/plain` is the default.
        ContentType "content_type" content_type: Text as Option<String>;
        /// The file name of the part, or else of the attached message or archive around it.
        FileName "file_name" file_name: Text as Option<String>;
        /// In an attached archive, its name, `!`, and the name of the member. Then `offset`
        /// is null, and `decoded` is the place in the text of the member.
        Member "member" member: Text as Option<String>, member_bytes;
        /// The header field that contains the URL.
        Header "header" header: Text as Option<String>, header_bytes;
        /// The number of the message in its file, from 1. Null if the search
        /// covered a range of the file that does not begin at 0.
        MessageNumber "message_number" message_number: Number as Option<u64>;
        /// Offset of the message's first byte.
        MessageStart "message_start" message_start: Number as Option<u64>;
        /// Offset after the message's last byte. Null in a message over 64 KiB.
        MessageEnd "message_end" message_end: Number as Option<u64>;
        /// Message-ID, with its angle brackets.
        MessageId "message_id" message_id: Text as Option<String>, message_id_bytes;
        /// Date, as ISO 8601 in UTC. Null if it cannot be parsed.
        Date "date" date: Time as Option<String>;
        /// From.
        From "from" from: Text as Option<String>, from_bytes;
        /// Subject.
        Subject "subject" subject: Text as Option<String>, subject_bytes;
        /// Newsgroups.
        Newsgroups "newsgroups" newsgroups: Text as Option<String>, newsgroups_bytes;
        /// List-Id: the text between its angle brackets.
        ListId "list_id" list_id: Text as Option<String>, list_id_bytes;
        /// The URL of the page, if the message is a record of a web archive.
        RecordUrl "record_url" record_url: Text as Option<String>;
    }
    computed {
        /// The user name. JSON has it in `components`.
        User "user": Text;
        /// The password. JSON has it in `components`.
        Password "password": Text;
        /// The URL for people: with as few escapes as its detection in a text
        /// allows (UTS #58). Null in a reject.
        Readable "readable": Text;
        /// The path of the URL.
        UrlPath "url_path": Text;
        /// The query of the URL. JSON has it in `components`.
        Query "query": Text;
        /// The fragment of the URL. JSON has it in `components`.
        Fragment "fragment": Text;
        /// The year of `date`, such as `1998`.
        Year "year": Text;
        /// The year and month of `date`, such as `1998-01`.
        Month "month": Text;
        /// The newsgroups, or else the List-Id.
        Group "group": Text;
        /// The day of `date`, such as `1998-01-31`.
        Day "day": Text;
        /// `date` as 14 digits in UTC, such as `19980131235959`. Web archives have such
        /// times in their URLs.
        Timestamp "timestamp": Text;
        /// The recipients: To, Cc and Bcc, with commas between them.
        To "to": Text;
        /// The recipients of Cc alone.
        Cc "cc": Text;
        /// The address of `from`, in lower case and with `@` for the ` at ` of list
        /// archives. Null if there is none.
        FromAddress "from_address": Text;
        /// The name of `from`, without its quotation marks. Null if there is none.
        FromName "from_name": Text;
        /// The Message-ID without its angle brackets, as in a `mid:` URL (RFC
        /// 2392) and in notmuch.
        Mid "mid": Text;
        /// In a ledger, the first date of the messages with the URL.
        FirstSeen "first_seen": Time;
        /// In a ledger, the last date of the messages with the URL.
        LastSeen "last_seen": Time;
        /// The folder of the file, or the archive or the folder inside an
        /// archive. `.` if `path` has no folder.
        Folder "folder": Text;
    }
}

impl Field {
    /// The fields that need
    /// [`SearcherBuilder::details`](urlgrep_search::SearcherBuilder::details).
    /// The other fields have the same values without it.
    pub const DETAILS: &[Field] = {
        use Field::*;
        &[
            Role,
            Depth,
            MessageId,
            Date,
            From,
            Subject,
            Newsgroups,
            ListId,
            RecordUrl,
            Year,
            Month,
            Group,
            Mid,
            Day,
            Timestamp,
            To,
            Cc,
            FromAddress,
            FromName,
        ]
    };

    /// The field with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Field> {
        Field::ALL
            .iter()
            .copied()
            .find(|field| field.name() == name)
    }

    /// The place of the field in its group.
    #[inline(always)]
    pub(super) const fn group(self) -> InGroup {
        let mut i = 0;
        while i < GROUPS.len() {
            let (group, first, last) = GROUPS[i];
            if first as u8 <= self as u8 && self as u8 <= last as u8 {
                return InGroup {
                    group,
                    is_first: first as u8 == self as u8,
                    is_last: last as u8 == self as u8,
                };
            }
            i += 1;
        }
        InGroup {
            group: Group::Other,
            is_first: false,
            is_last: false,
        }
    }
}

/// The group of a field, and whether the field is the first or the last one of it.
#[derive(Clone, Copy)]
pub(super) struct InGroup {
    pub(super) group: Group,
    pub(super) is_first: bool,
    pub(super) is_last: bool,
}

/// Adjacent keys whose values are equal in many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// The values are equal in all hits of a file.
    File,
    /// The values depend only on the text of the URL and on its profile, if the
    /// row is a hit.
    Url,
    /// As `Url`.
    Parts,
    /// The values are null in all hits.
    NoHit,
    /// The values are null outside of header fields and attached archives.
    Inside,
    /// The values are empty in a hit that can be read in one way only, and whose bytes are in the
    /// file.
    Sure,
    /// The values are equal in all text of one role in a part.
    Part,
    /// The values are equal in all rows of a message.
    Message,
    Other,
}

/// The first and the last key of each group.
const GROUPS: [(Group, Field, Field); 8] = [
    (Group::File, Field::Version, Field::ReadAs),
    (Group::Url, Field::Url, Field::Profile),
    (Group::Parts, Field::Cautions, Field::Components),
    (Group::NoHit, Field::Rule, Field::Request),
    (Group::Sure, Field::Decoded, Field::Glued),
    (Group::Part, Field::Role, Field::FileName),
    (Group::Inside, Field::Member, Field::Header),
    (Group::Message, Field::MessageNumber, Field::RecordUrl),
];
