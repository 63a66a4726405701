//! The values of a hit.

use std::cell::RefCell;
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

use urlgrep::rows::{Field, Record, Row, Type, Value};
use urlgrep::search::Match;
use urlgrep::{Seam, Span};

use crate::{string, urlgrep_text};

/// A URL and its place. It is valid until the callback returns, and so are all texts
/// that come from it.
pub struct urlgrep_hit<'a> {
    row: Row<'a>,
    /// The texts that the callback asked for. Each is computed once.
    texts: RefCell<Vec<Text>>,
    /// The first mistake of the callback.
    misuse: RefCell<Option<String>>,
}

/// A text of a hit. It has a box of its own, so that it does not move.
struct Text {
    field: Field,
    text: Option<Box<[u8]>>,
}

/// One of the items of a list. What a list does not have is NULL or 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct urlgrep_item {
    /// The kind of a seam or of an alternate, the name of a component, a doubt, a
    /// caution.
    pub name: urlgrep_text,
    /// The URL of an alternate, the value of a component.
    pub value: urlgrep_text,
    /// The offset of the first byte of a segment or a seam.
    pub start: u64,
    /// The offset after its last byte.
    pub end: u64,
    /// The offset in the URL at which a seam was removed.
    pub at: u64,
    /// The number of bytes of the URL that replace a seam.
    pub len: u64,
}

const NOTHING: urlgrep_item = urlgrep_item {
    name: urlgrep_text::NONE,
    value: urlgrep_text::NONE,
    start: 0,
    end: 0,
    at: 0,
    len: 0,
};

impl From<&Span> for urlgrep_item {
    fn from(span: &Span) -> urlgrep_item {
        urlgrep_item {
            start: span.start,
            end: span.end,
            ..NOTHING
        }
    }
}

impl From<&Seam> for urlgrep_item {
    fn from(seam: &Seam) -> urlgrep_item {
        urlgrep_item {
            name: urlgrep_text::new(seam.kind.name().as_bytes()),
            at: seam.at,
            len: seam.len.into(),
            ..urlgrep_item::from(&seam.span)
        }
    }
}

fn named(name: &str, value: urlgrep_text) -> urlgrep_item {
    urlgrep_item {
        name: urlgrep_text::new(name.as_bytes()),
        value,
        ..NOTHING
    }
}

impl<'a> urlgrep_hit<'a> {
    pub(crate) fn new(found: &Match<'a>) -> urlgrep_hit<'a> {
        urlgrep_hit {
            row: Row::from(&Record::new(None, *found)),
            texts: RefCell::default(),
            misuse: RefCell::default(),
        }
    }

    /// The first mistake of the callback.
    pub(crate) fn misuse(&self) -> Option<String> {
        self.misuse.take()
    }

    /// The field of this name, if `fits` its type.
    fn field(&self, name: &str, fits: fn(Type) -> bool) -> Result<Field, String> {
        let mut all = Field::ALL.iter();
        match all.find(|field| field.name() == name) {
            Some(&field) if fits(field.ty()) => Ok(field),
            Some(field) => Err(format!("the field {name} is of the type {:?}", field.ty())),
            None => Err(format!("no field {name}")),
        }
    }

    fn text(&self, name: &str) -> Result<Option<urlgrep_text>, String> {
        let fits = |ty| matches!(ty, Type::Name | Type::Text | Type::Time);
        let field = self.field(name, fits)?;
        let mut texts = self.texts.borrow_mut();
        let known = texts.iter().position(|text| text.field == field);
        let number = known.unwrap_or_else(|| {
            let mut scratch = Vec::new();
            let text = match self.row.value(field, &mut scratch) {
                // The path of a text in memory is not known.
                _ if field == Field::Path => None,
                Value::Name(name) => Some(name.as_bytes().into()),
                Value::Text(text) => Some(text.into()),
                Value::Time(date) => Some(date.to_string().into_bytes().into()),
                _ => None,
            };
            texts.push(Text { field, text });
            texts.len() - 1
        });
        Ok(texts[number].text.as_deref().map(urlgrep_text::new))
    }

    fn number(&self, name: &str) -> Result<Option<i64>, String> {
        let fits = |ty| matches!(ty, Type::Number | Type::Flag | Type::Time);
        let field = self.field(name, fits)?;
        Ok(match self.row.value(field, &mut Vec::new()) {
            Value::Number(number) => i64::try_from(number).ok(),
            Value::Flag(flag) => Some(flag.into()),
            Value::Time(date) => Some(date.unix_seconds()),
            _ => None,
        })
    }

    fn item(&self, list: &str, index: usize) -> Result<Option<urlgrep_item>, String> {
        let name = list.strip_prefix("decoded.").map_or(list, |_| "decoded");
        let fits = |ty| {
            let is_one = matches!(ty, Type::Name | Type::Text | Type::Number);
            !is_one && !matches!(ty, Type::Flag | Type::Time)
        };
        let field = self.field(name, fits)?;
        // The row borrows all its lists. It writes only texts to the vector.
        Ok(match (self.row.value(field, &mut Vec::new()), list) {
            (Value::Names(names), _) => names
                .iter()
                .nth(index)
                .map(|name| named(name, urlgrep_text::NONE)),
            (Value::Spans(spans), _) => spans.get(index).map(urlgrep_item::from),
            (Value::Seams(seams), _) => seams.get(index).map(urlgrep_item::from),
            (Value::Decoded(pieces), "decoded.segments") => {
                pieces.segments.get(index).map(urlgrep_item::from)
            }
            (Value::Decoded(pieces), "decoded.seams") => {
                pieces.seams.get(index).map(urlgrep_item::from)
            }
            (Value::Decoded(pieces), "decoded") => {
                (index == 0).then(|| urlgrep_item::from(&pieces.span()))
            }
            (Value::Decoded(_), _) => return Err(format!("no field {list}")),
            (Value::Alternates(hit), _) => hit
                .alternates()
                .nth(index)
                .map(|other| named(other.kind.name(), urlgrep_text::new(other.url.as_bytes()))),
            (Value::Components(url), _) => url
                .iter()
                .flat_map(|url| url.components())
                .nth(index)
                .map(|(name, value)| named(name, urlgrep_text::new(value.as_bytes()))),
            _ => None,
        })
    }
}

/// Calls `get` for a hit and a name. Keeps the mistake of the callback, and catches a
/// panic.
///
/// # Safety
///
/// `hit` is a hit whose callback has not returned. `name` is ended by a NUL.
unsafe fn value<T>(
    hit: *const urlgrep_hit<'_>,
    name: *const c_char,
    get: impl FnOnce(&urlgrep_hit<'_>, &str) -> Result<Option<T>, String>,
) -> Option<T> {
    // SAFETY: "a hit whose callback has not returned".
    let hit = unsafe { hit.as_ref() }?;
    let work = || {
        // SAFETY: "ended by a NUL".
        let name = unsafe { string(name)? };
        get(hit, name)
    };
    let result = catch_unwind(AssertUnwindSafe(work));
    match result.unwrap_or_else(|_| Err("urlgrep panicked".to_owned())) {
        Ok(value) => value,
        Err(text) => {
            hit.misuse.borrow_mut().get_or_insert(text);
            None
        }
    }
}

/// Writes `found` to `to`, if both are there. Returns whether it was found.
///
/// # Safety
///
/// `to` is null or can be written to.
unsafe fn write<T>(to: *mut T, found: Option<T>) -> bool {
    let is_found = found.is_some();
    if let Some(found) = found
        && !to.is_null()
    {
        // SAFETY: "can be written to".
        unsafe { to.write(found) };
    }
    is_found
}

/// Returns a text, a name or a date of a hit. `field` is a key of `urlgrep --json`, such
/// as "url", "canonical" or "from", or a field of its templates, such as "year". The
/// text is as it was found: it need not be UTF-8. `data` is NULL if the hit has no such
/// value.
///
/// A field that does not exist, or has another type, ends the search with
/// URLGREP_INVALID when the callback returns.
///
/// # Safety
///
/// `hit` is a hit whose callback has not returned. `field` is ended by a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlgrep_hit_text(
    hit: *const urlgrep_hit<'_>,
    field: *const c_char,
) -> urlgrep_text {
    // SAFETY: as the caller promises.
    unsafe { value(hit, field, |hit, name| hit.text(name)) }.unwrap_or(urlgrep_text::NONE)
}

/// Writes what urlgrep_hit_text() returns to `text`, for languages whose calls cannot
/// return a struct, such as Ruby's Fiddle. Returns false if the hit has no such value, and
/// then writes nothing.
///
/// # Safety
///
/// As for urlgrep_hit_text(). `text` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlgrep_hit_text_to(
    hit: *const urlgrep_hit<'_>,
    field: *const c_char,
    text: *mut urlgrep_text,
) -> bool {
    // SAFETY: as the caller promises.
    let found = unsafe { value(hit, field, |hit, name| hit.text(name)) };
    // SAFETY: "can be written to".
    unsafe { write(text, found) }
}

/// Writes a number of a hit to `number`, such as "line", "offset" or "port". A flag is 0
/// or 1, and a date is in seconds since 1970. Returns false if the hit has no such
/// value, and then writes nothing.
///
/// # Safety
///
/// As for urlgrep_hit_text(). `number` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlgrep_hit_number(
    hit: *const urlgrep_hit<'_>,
    field: *const c_char,
    number: *mut i64,
) -> bool {
    // SAFETY: as the caller promises.
    let found = unsafe { value(hit, field, |hit, name| hit.number(name)) };
    // SAFETY: "can be written to".
    unsafe { write(number, found) }
}

/// Writes the item `index`, from 0, of a list of a hit to `item`: "segments", "seams",
/// "alternates", "doubt", "cautions", "components", "decoded", "decoded.segments" or
/// "decoded.seams". Returns false if there is no such item, and then writes nothing.
///
/// # Safety
///
/// As for urlgrep_hit_text(). `item` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlgrep_hit_item(
    hit: *const urlgrep_hit<'_>,
    field: *const c_char,
    index: usize,
    item: *mut urlgrep_item,
) -> bool {
    // SAFETY: as the caller promises.
    let found = unsafe { value(hit, field, |hit, list| hit.item(list, index)) };
    // SAFETY: "can be written to".
    unsafe { write(item, found) }
}
