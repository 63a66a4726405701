//! A Python object for a URL and its place.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use urlgrep::Span;
use urlgrep::search::Match;

use crate::text::Offsets;
use crate::url::{ProfileName, components, judge};

/// A word of the library. It is owned in a hit that was unpickled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name(Cow<'static, str>);

impl Name {
    fn of(name: &'static str) -> Name {
        Name(Cow::Borrowed(name))
    }
}

impl<'py> IntoPyObject<'py> for &Name {
    type Target = pyo3::types::PyString;
    type Output = Bound<'py, Self::Target>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        (&*self.0).into_pyobject(py)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Name {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Name> {
        Ok(Name(Cow::Owned(object.extract()?)))
    }
}

/// `kind`, `start`, `end`, `at`, `len`.
type Seam = (Name, u64, u64, u64, u64);
/// `kind`, `url`.
type Alternate = (Name, String);

/// A URL in a text or a message.
#[pyclass(frozen, eq, hash, module = "urlgrep")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Hit(State);

/// All fields of a hit; a `dict` in a pickle.
#[derive(Debug, PartialEq, Eq, Hash, IntoPyObjectRef, FromPyObject)]
#[pyo3(from_item_all)]
pub struct State {
    url: String,
    profile: ProfileName,
    span: (u64, u64),
    line: Option<u64>,
    form: Name,
    segments: Vec<(u64, u64)>,
    seams: Vec<Seam>,
    alternates: Vec<Alternate>,
    doubt: Vec<Name>,
    continues: bool,
    glued: bool,
    decoded: bool,
    role: Option<Name>,
    depth: Option<u32>,
    part: Option<String>,
    content_type: Option<String>,
    file_name: Option<String>,
    header: Option<String>,
}

impl Hit {
    /// A hit for `found`, with the offsets of Python.
    pub fn new(found: &Match<'_>, offsets: &mut Offsets<'_>) -> Hit {
        let hit = found.hit;
        let decoded = found.decoded();
        let pieces = decoded.or(found.source());
        let (segments, seams) = pieces.map_or((&[][..], &[][..]), |p| (p.segments, p.seams));
        let url = lossy(hit.text());
        let mut inside = Offsets::Unknown(url.as_bytes());
        let mut ends = |span: Span| (offsets.at(span.start), offsets.at(span.end));
        Hit(State {
            span: ends(pieces.map_or(Span::default(), |p| p.span())),
            segments: segments.iter().map(|&span| ends(span)).collect(),
            seams: seams
                .iter()
                .map(|seam| {
                    let (start, end) = ends(seam.span);
                    let at = inside.at(seam.at);
                    let len = inside.at(seam.at + u64::from(seam.len)) - at;
                    (Name::of(seam.kind.name()), start, end, at, len)
                })
                .collect(),
            alternates: hit
                .alternates()
                .map(|other| (Name::of(other.kind.name()), other.url.to_owned()))
                .collect(),
            doubt: hit
                .doubts()
                .iter()
                .map(|doubt| Name::of(doubt.name()))
                .collect(),
            profile: ProfileName(hit.profile()),
            line: hit.line().and(found.line()),
            form: Name::of(hit.form().name()),
            continues: hit.continues(),
            glued: hit.glued(),
            decoded: decoded.is_some(),
            role: found.role().map(|role| Name::of(role.name())),
            depth: found.role().and_then(|role| role.depth()),
            part: found.part().map(str::to_owned),
            content_type: found.content_type().map(str::to_owned),
            file_name: found.file_name().map(str::to_owned),
            header: found.header().map(lossy),
            url,
        })
    }

    fn parts(&self, py: Python<'_>) -> PyResult<urlgrep::url::Url<'_>> {
        judge(py, self.0.profile, self.0.url.as_bytes(), true)
    }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// A tuple of named tuples of the type `class`.
fn named<'py>(
    class: &Bound<'py, PyType>,
    tuples: PyResult<Bound<'py, PyTuple>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let make = |tuple: Bound<'py, PyAny>| class.call1(tuple.cast_into::<PyTuple>()?);
    let named: PyResult<Vec<_>> = tuples?.iter().map(make).collect();
    PyTuple::new(class.py(), named?)
}

#[pymethods]
impl Hit {
    /// The URL, rejoined.
    #[getter]
    fn url(&self) -> &str {
        &self.0.url
    }

    /// The profile that accepted it.
    #[getter]
    fn profile(&self) -> &'static str {
        self.0.profile.0.name()
    }

    /// The offset of its first character (or byte), and the offset after its last.
    #[getter]
    fn span(&self) -> (u64, u64) {
        self.0.span
    }

    /// True if the message does not contain the characters of the URL (base64,
    /// another charset). Then the offsets count bytes of the decoded text of the
    /// part, or of one link of HTML.
    #[getter]
    fn decoded(&self) -> bool {
        self.0.decoded
    }

    /// The line of its first character, from 1. In a decoded part of a message,
    /// the line on which the part begins.
    #[getter]
    fn line(&self) -> Option<u64> {
        self.0.line
    }

    /// How it was delimited.
    #[getter]
    fn form(&self) -> &Name {
        &self.0.form
    }

    /// The spans that were copied into the URL, in order.
    #[getter]
    fn segments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.segments)
    }

    /// The repairs between the segments, in order.
    #[getter]
    fn seams<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        static SEAM: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = SEAM.import(py, "urlgrep._types", "Seam")?;
        named(class, PyTuple::new(py, &self.0.seams))
    }

    /// Other valid readings, the most likely one first.
    #[getter]
    fn alternates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        static ALTERNATE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = ALTERNATE.import(py, "urlgrep._types", "Alternate")?;
        named(class, PyTuple::new(py, &self.0.alternates))
    }

    /// Why the reading may be wrong although it is valid.
    #[getter]
    fn doubt<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.0.doubt)
    }

    /// True if it is bare and plainly continues on the next line.
    #[getter]
    fn continues(&self) -> bool {
        self.0.continues
    }

    /// True if a letter, digit, `+`, `-` or `.` comes directly before the scheme.
    #[getter]
    fn glued(&self) -> bool {
        self.0.glued
    }

    /// The parts of the URL as written, by name, in its order.
    #[getter]
    fn components<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        components(py, &self.parts(py)?)
    }

    /// The canonical form, in which URLs are compared.
    #[getter]
    fn canonical(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.parts(py)?.canonical())
    }

    /// The role of the place in the message; None in a text.
    #[getter]
    fn role(&self) -> Option<&Name> {
        self.0.role.as_ref()
    }

    /// The quoting depth of the place; None unless the role is quoted.
    #[getter]
    fn depth(&self) -> Option<u32> {
        self.0.depth
    }

    /// The number of the MIME part; None in a header field and in a text.
    #[getter]
    fn part(&self) -> Option<&str> {
        self.0.part.as_deref()
    }

    /// The type of the MIME part; None in a header field and in a text.
    #[getter]
    fn content_type(&self) -> Option<&str> {
        self.0.content_type.as_deref()
    }

    /// The name of the file that the MIME part is; None if it has none.
    #[getter]
    fn file_name(&self) -> Option<&str> {
        self.0.file_name.as_deref()
    }

    /// The name of the header field.
    #[getter]
    fn header(&self) -> Option<&str> {
        self.0.header.as_deref()
    }

    /// The host in lower case; None if the URL has none.
    #[getter]
    fn host(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let url = self.parts(py)?;
        Ok(url.host().map(|host| host.as_str().to_ascii_lowercase()))
    }

    /// The URL.
    fn __str__(&self) -> &str {
        &self.0.url
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let State {
            span: (start, end),
            form,
            role,
            ..
        } = &self.0;
        let url = self.0.url.as_str().into_pyobject(py)?.repr()?;
        let role = role
            .as_ref()
            .map_or(String::new(), |role| format!(", role='{}'", role.0));
        let form = &form.0;
        Ok(format!(
            "Hit(url={url}, span=({start}, {end}), form='{form}'{role})"
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&State,))> {
        static RESTORE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let restore = RESTORE.import(py, "urlgrep._urlgrep", "_restore_hit")?;
        Ok((restore.clone(), (&self.0,)))
    }
}

/// Unpickles a hit.
#[pyfunction]
#[pyo3(name = "_restore_hit")]
pub fn restore_hit(py: Python<'_>, state: State) -> PyResult<Hit> {
    let hit = Hit(state);
    hit.parts(py)?;
    Ok(hit)
}
