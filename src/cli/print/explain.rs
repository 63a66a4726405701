//! `--explain`: all details of a hit in several lines, for people.
//!
//! URLs follow [`escape::url`], and all values [`escape::field`]. A blank line ends each hit. The
//! layout may change, so programs should read `--json`.

use std::io::Write;

use super::{put_display, put_url};
use urlgrep::rows::Record;
use urlgrep::search::Composition;
use urlgrep::url::{Profile, Url, validate};
use urlgrep::{Hit, ReadingKind, Seam, Span};
use urlgrep_base::escape;

/// The width of the column of labels.
const LABEL: usize = 12;

pub(super) fn print(record: &Record<'_>, out: &mut Vec<u8>) {
    let hit = record.hit;
    match hit.url() {
        Ok(_) => put_url(hit.text(), out),
        Err(_) => escape::field(hit.text(), out),
    }
    out.push(b'\n');
    place(record, out);
    row("form", out, |out| {
        out.extend_from_slice(hit.form().name().as_bytes());
        for doubt in hit.doubts().iter() {
            out.extend_from_slice(b"; doubt: ");
            out.extend_from_slice(doubt.name().as_bytes());
        }
        if hit.glued() {
            out.extend_from_slice(b"; letters come directly before it");
        }
        if hit.continues() {
            out.extend_from_slice(b"; continues on the next line");
        }
    });
    pieces(record, out);
    for other in hit.alternates() {
        row("alternate", out, |out| {
            out.extend_from_slice(other.kind.name().as_bytes());
            out.push(b' ');
            put_url(other.url.as_bytes(), out);
        });
    }
    if let Ok(url) = hit.url() {
        parts(record, &url, out);
    }
    verdicts(hit, out);
    out.push(b'\n');
}

/// Appends what only a valid URL has: its components, its cautions, and other URLs that mean it.
fn parts(record: &Record<'_>, url: &Url<'_>, out: &mut Vec<u8>) {
    for (name, part) in url.components() {
        row(name, out, |out| put_url(part.as_bytes(), out));
    }
    for caution in record.found.cautions().iter() {
        row("caution", out, |out| {
            out.extend_from_slice(caution.name().as_bytes());
        });
    }
    let link = [
        ("link target", record.found.link_target()),
        ("link text", record.found.link_text()),
    ];
    for (name, other) in link {
        if let Some(other) = other.filter(|other| *other != record.hit.text()) {
            row(name, out, |out| put_url(other, out));
        }
    }
    row("canonical", out, |out| {
        let mut canonical = Vec::new();
        url.canonical_into(&mut canonical);
        escape::field(&canonical, out);
    });
}

/// Appends the verdict of each profile.
fn verdicts(hit: &Hit, out: &mut Vec<u8>) {
    for &profile in Profile::ALL {
        row(profile.name(), out, |out| {
            // The verdict of the hit can be stricter, because it also refuses
            // long URLs.
            let verdict = match hit.url() {
                Err(reject) if profile == hit.profile() => Err(reject),
                _ => validate(profile, hit.text()).map(|_| ()),
            };
            match verdict {
                Ok(()) => out.extend_from_slice(b"valid"),
                Err(reject) => {
                    out.extend_from_slice(b"invalid: ");
                    put_display(&reject, escape::field, out);
                }
            }
            if profile == hit.profile() {
                out.extend_from_slice(b" (selected profile)");
            }
        });
    }
}

/// Appends a label and a value.
fn row(label: &str, out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    put_args(out, format_args!("  {label:LABEL$} "));
    put(out);
    out.push(b'\n');
}

fn put_args(out: &mut Vec<u8>, args: std::fmt::Arguments<'_>) {
    // OK to ignore: writing to a vector does not fail.
    let _ = out.write_fmt(args);
}

/// Appends the file, the message and the part in which the hit is.
fn place(record: &Record<'_>, out: &mut Vec<u8>) {
    let text = |label: &str, text: Option<&[u8]>, out: &mut Vec<u8>| {
        if let Some(text) = text {
            row(label, out, |out| escape::field(text, out));
        }
    };
    text("path", Some(record.path_or_stdin()), out);
    text("read as", record.read_as.map(str::as_bytes), out);
    let found = &record.found;
    if let Some(line) = found.line() {
        row("line", out, |out| {
            put_args(out, format_args!("{line}"));
            if let Some(column) = record.column {
                put_args(out, format_args!(", column {column}"));
            }
        });
    }
    if let Some(message) = found.message {
        row("message", out, |out| {
            if let Some(number) = message.number {
                put_args(out, format_args!("{number}, "));
            }
            put_args(out, format_args!("bytes {} to ", message.start));
            match message.end {
                Some(end) => put_args(out, format_args!("{end}")),
                None => out.extend_from_slice(b"?"),
            }
        });
        let info = message.info;
        let text = |label: &str, value: &[u8], out: &mut Vec<u8>| {
            if !value.is_empty() {
                text(label, Some(value), out);
            }
        };
        text("id", info.message_id(), out);
        if let Some(date) = info.date() {
            row("date", out, |out| put_args(out, format_args!("{date}")));
        }
        text("from", info.from(), out);
        text("subject", info.subject(), out);
        text("newsgroups", info.newsgroups(), out);
        text("list", info.list_id(), out);
    }
    text("part", found.part().map(str::as_bytes), out);
    text("header", found.header(), out);
    if let Some(role) = found.role() {
        row("role", out, |out| {
            escape::field(role.name().as_bytes(), out);
            if let Some(depth) = role.depth() {
                put_args(out, format_args!(", depth {depth}"));
            }
        });
    }
}

/// Appends the segments with their bytes, and the seams between them.
fn pieces(record: &Record<'_>, out: &mut Vec<u8>) {
    let (label, made_of) = match (record.found.source(), record.found.decoded()) {
        (Some(source), _) => ("source", source),
        (None, Some(decoded)) => ("decoded", decoded),
        (None, None) => return,
    };
    let Composition { segments, seams } = made_of;
    // The first link around an unwrapped URL is the text of the file, unless the URL
    // Standard has rewritten that.
    let alternates: Vec<_> = record.hit.alternates().collect();
    let of = |kind| alternates.iter().find(|other| other.kind == kind);
    let written = of(ReadingKind::Written).or(of(ReadingKind::Outer));
    let mut url = written.map_or(record.hit.text(), |other| other.url.as_bytes());
    let mut put = |what: &str, span: Span, len: usize, out: &mut Vec<u8>| {
        let (bytes, rest) = url.split_at(len.min(url.len()));
        url = rest;
        row(label, out, |out| {
            put_args(out, format_args!("{} to {} {what} ", span.start, span.end));
            if bytes.is_empty() {
                out.extend_from_slice(b"removed");
            } else {
                escape::field(bytes, out);
            }
        });
    };
    let seam = |seam: &Seam| (seam.kind.name(), seam.span, seam.len as usize);
    let mut seams = seams.iter().peekable();
    for &segment in segments {
        while let Some(before) = seams.next_if(|s| s.span.start < segment.start) {
            let (kind, span, len) = seam(before);
            put(kind, span, len, out);
        }
        put("copied", segment, segment.len() as usize, out);
    }
    for after in seams {
        let (kind, span, len) = seam(after);
        put(kind, span, len, out);
    }
    if of(ReadingKind::Written).is_some() {
        row("rewritten", out, |out| {
            out.extend_from_slice(b"by the URL Standard");
        });
    }
    if of(ReadingKind::Outer).is_some() {
        row("unwrapped", out, |out| put_url(record.hit.text(), out));
    }
    let clean = record.hit.url().ok().and_then(|url| url.clean());
    if let Some(clean) = clean {
        row("clean", out, |out| put_url(clean.as_bytes(), out));
    }
}
