//! The Python package `urlgrep`: the extension module `urlgrep._urlgrep`.
//!
//! The types are documented for Python users in `_urlgrep.pyi`.

mod hit;
mod ledger;
mod rows;
mod scan;
mod text;
mod url;

use std::ops::ControlFlow;

use pyo3::prelude::*;
use pyo3::types::PyList;
use urlgrep::Form;
use urlgrep::search::{Match, Searcher, Visitor};
use urlgrep::{Extractor, ExtractorBuilder};

use hit::Hit;
use text::{Interrupts, Text, release};
use url::ProfileName;

/// The bytes that are searched between two looks for signals.
const CHUNK: usize = 16 << 10;
/// The hits that become Python objects between two looks for signals.
const OBJECTS: usize = 4096;

/// An extractor with this profile and without rejects.
fn extractor(profile: Option<ProfileName>) -> ExtractorBuilder {
    let profile = profile.unwrap_or_default();
    Extractor::builder().profile(profile.0).rejects(false)
}

/// The URLs of a text, in order.
///
/// Offsets count characters in a str and bytes in bytes.
///
/// >>> import urlgrep
/// >>> text = "> draft: <URL:http://www.example.org/drafts/\n> fields.html>, ok"
/// >>> [hit] = urlgrep.find(text)
/// >>> hit.url
/// 'http://www.example.org/drafts/fields.html'
/// >>> text[slice(*hit.span)]
/// 'http://www.example.org/drafts/\n> fields.html'
///
/// With www, hosts without a scheme that begin with www., ftp. or
/// gopher. are found too (RFC 3986 section 4.5). The URL has the scheme.
///
/// >>> [(hit.url, hit.form) for hit in urlgrep.find("see www.example.org", www=True)]
/// [('http://www.example.org', 'suffix')]
#[pyfunction]
#[pyo3(signature = (text, *, profile=None, www=false))]
fn find(
    py: Python<'_>,
    text: Text,
    profile: Option<ProfileName>,
    www: bool,
) -> PyResult<Bound<'_, PyList>> {
    let is_wanted = |form: &Form| !form.is_special() || www && *form == Form::Suffix;
    let forms = Form::ALL.iter().copied().filter(is_wanted);
    let hits = release(py, text.bytes().len(), || {
        let mut offsets = text.offsets();
        let mut hits = Vec::new();
        let mut interrupts = Interrupts::new();
        let mut extractor = extractor(profile).forms(forms).build().stream();
        let mut take = |hit: &urlgrep::Hit| {
            hits.push(Hit::new(&Match::plain(hit), &mut offsets));
            ControlFlow::Continue(())
        };
        // The hits do not depend on the chunks.
        for chunk in text.bytes().chunks(CHUNK) {
            let _ = extractor.feed(chunk, &mut take);
            if interrupts.is_raised() {
                break;
            }
        }
        let _ = extractor.finish(&mut take);
        interrupts.result().map(|()| hits)
    });
    list(py, hits?)
}

/// The hits as Python objects. Millions of them take seconds, so this looks for signals too.
fn list(py: Python<'_>, hits: Vec<Hit>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for (number, hit) in hits.into_iter().enumerate() {
        if number % OBJECTS == OBJECTS - 1 {
            py.check_signals()?;
        }
        list.append(hit)?;
    }
    Ok(list)
}

/// The URLs of one message: of the fields of its header that people write, and of its
/// decoded parts. Those that programs write, such as List-Archive, are left out.
///
/// Takes bytes, or an object with a method as_bytes(), such as
/// email.message.EmailMessage. Offsets count bytes of the message.
///
/// >>> import urlgrep
/// >>> mail = b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\n> http://a.ex=\nample/\n"
/// >>> [hit] = urlgrep.message(mail)
/// >>> hit.url, hit.role, hit.part
/// ('http://a.example/', 'quoted', '1')
#[pyfunction]
#[pyo3(signature = (message, *, profile=None))]
fn message<'py>(
    message: &Bound<'py, PyAny>,
    profile: Option<ProfileName>,
) -> PyResult<Bound<'py, PyList>> {
    let text = match message.getattr_opt("as_bytes")? {
        Some(method) => Text::of_bytes(&method.call0()?)?,
        None => Text::of_bytes(message)?,
    };
    let hits = release(message.py(), text.bytes().len(), || {
        let mut hits = Hits {
            hits: Vec::new(),
            interrupts: Interrupts::new(),
        };
        let extractor = extractor(profile);
        let mut searcher = Searcher::builder().extractor(extractor).build();
        let _ = searcher.visit_message(text.bytes(), &mut hits);
        hits.interrupts.result().map(|()| hits.hits)
    });
    list(message.py(), hits?)
}

struct Hits {
    hits: Vec<Hit>,
    interrupts: Interrupts,
}

impl Visitor for Hits {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        self.hits.push(Hit::new(found, &mut text::Offsets::Same));
        self.goes_on()
    }

    fn goes_on(&mut self) -> ControlFlow<()> {
        if self.interrupts.is_raised() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Makes the code panic at this place from now on, or nowhere if it is empty.
#[cfg(feature = "panics")]
#[pyfunction]
#[pyo3(name = "_panic_at")]
fn panic_at(place: String) {
    urlgrep_arrow::panics::set(place);
}

#[pymodule]
mod _urlgrep {
    #[pymodule_export]
    use super::hit::{Hit, restore_hit};
    #[pymodule_export]
    use super::ledger::merge_ledgers;
    #[cfg(feature = "panics")]
    #[pymodule_export]
    use super::panic_at;
    #[pymodule_export]
    use super::scan::{Batch, Reader, columns, is_divisible};
    #[pymodule_export]
    use super::url::{Url, canonical, resolve, validate};
    #[pymodule_export]
    use super::{find, message};
    /// The options of the filter, so that a test can compare them with `scan`.
    #[pymodule_export]
    const FILTERS: &[&str] = urlgrep::filter::Filter::OPTIONS;
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
