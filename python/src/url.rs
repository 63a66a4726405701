//! The grammar: validation, canonical forms, resolution.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};
use urlgrep::url::{self, Profile, Reject, ResolveError};

use crate::text::{Offsets, Text};

/// A profile by its name. The default is that of the library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProfileName(pub Profile);

impl<'py> IntoPyObject<'py> for ProfileName {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        self.0.name().into_pyobject(py)
    }
}

impl<'py> IntoPyObject<'py> for &ProfileName {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        (*self).into_pyobject(py)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for ProfileName {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<ProfileName> {
        let name: &str = object.extract()?;
        Profile::from_name(name).map(ProfileName).ok_or_else(|| {
            let names: Vec<_> = Profile::ALL.iter().map(|profile| profile.name()).collect();
            let names = names.join(", ");
            PyValueError::new_err(format!("no such profile; there are {names}"))
        })
    }
}

/// Validates `url`. Raises `InvalidUrl` if it is refused. The offset of the
/// exception counts characters if `in_chars` is set, else bytes.
pub fn judge<'u>(
    py: Python<'_>,
    profile: ProfileName,
    url: &'u [u8],
    in_chars: bool,
) -> PyResult<url::Url<'u>> {
    url::validate(profile.0, url).map_err(|reject| {
        let mut offsets = if in_chars {
            Offsets::Unknown(url)
        } else {
            Offsets::Same
        };
        invalid(py, &reject, &reject, &mut offsets)
    })
}

/// The exception `InvalidUrl` with a reject.
fn invalid(
    py: Python<'_>,
    error: &dyn std::error::Error,
    reject: &Reject,
    offsets: &mut Offsets<'_>,
) -> PyErr {
    static INVALID: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let offset = offsets.at(u64::from(reject.at));
    let (profile, rule) = (reject.profile.name(), reject.rule.name());
    let class = INVALID.import(py, "urlgrep._types", "InvalidUrl");
    match class.and_then(|class| class.call1((error.to_string(), profile, rule, offset))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// The components of a URL by name.
pub fn components<'py>(py: Python<'py>, url: &url::Url<'_>) -> PyResult<Bound<'py, PyDict>> {
    let components = PyDict::new(py);
    for (name, value) in url.components() {
        components.set_item(name, value)?;
    }
    Ok(components)
}

/// A valid URL.
#[pyclass(frozen, eq, hash, module = "urlgrep")]
#[derive(PartialEq, Eq, Hash)]
pub struct Url {
    text: String,
    meta: url::Meta,
}

impl Url {
    fn new(url: &url::Url<'_>) -> Url {
        Url {
            text: url.as_str().to_owned(),
            meta: url.meta(),
        }
    }

    fn get(&self) -> url::Url<'_> {
        self.meta.with(self.text.as_bytes())
    }
}

#[pymethods]
impl Url {
    /// The URL.
    #[getter]
    fn url(&self) -> &str {
        &self.text
    }

    /// The profile in which it is valid.
    #[getter]
    fn profile(&self) -> &'static str {
        self.get().profile().name()
    }

    /// The scheme in lower case.
    #[getter]
    fn scheme(&self) -> String {
        self.get().scheme().to_ascii_lowercase()
    }

    /// The host in lower case, an IPv6 address with its brackets.
    #[getter]
    fn host(&self) -> Option<String> {
        self.get()
            .host()
            .map(|host| host.as_str().to_ascii_lowercase())
    }

    /// The port; None if there is none or it is over 65535.
    #[getter]
    fn port(&self) -> Option<u16> {
        self.get().port_number()
    }

    /// The user name, as written.
    #[getter]
    fn user(&self) -> Option<&str> {
        self.get().user()
    }

    /// The password, as written.
    #[getter]
    fn password(&self) -> Option<&str> {
        self.get().password()
    }

    /// The path, with its leading slash.
    #[getter]
    fn path(&self) -> &str {
        self.get().path()
    }

    /// The text after the question mark.
    #[getter]
    fn query(&self) -> Option<&str> {
        self.get().query()
    }

    /// The text after the number sign.
    #[getter]
    fn fragment(&self) -> Option<&str> {
        self.get().fragment()
    }

    /// The parts of the URL as written, by name, in its order.
    #[getter]
    fn components<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        components(py, &self.get())
    }

    /// Properties that call for care: password, encoded-lf and others.
    #[getter]
    fn cautions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names: Vec<_> = self.get().cautions().iter().map(|c| c.name()).collect();
        PyTuple::new(py, names)
    }

    /// The canonical form, in which URLs are compared.
    #[getter]
    fn canonical(&self) -> String {
        self.get().canonical()
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let url = self.text.as_str().into_pyobject(py)?.repr()?;
        Ok(format!("Url({url}, profile='{}')", self.profile()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&str, &str))> {
        static VALIDATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let validate = VALIDATE.import(py, "urlgrep._urlgrep", "validate")?;
        Ok((validate.clone(), (&self.text, self.profile())))
    }
}

/// Validates url by the document of profile. Nothing is repaired.
///
/// Raises InvalidUrl, with the rule that failed and the offset.
///
/// >>> import urlgrep
/// >>> urlgrep.validate("ftp://info.cern.ch/pub/www/doc;type=d").components["typecode"]
/// 'd'
/// >>> urlgrep.validate("http://h_st/", "rfc1738")
/// Traceback (most recent call last):
/// urlgrep.InvalidUrl: rfc1738 hostname, byte 8: `_`
#[pyfunction]
#[pyo3(signature = (url, profile=None))]
pub fn validate(py: Python<'_>, url: Text, profile: Option<ProfileName>) -> PyResult<Url> {
    let url = judge_text(py, &url, profile)?;
    Ok(Url::new(&url))
}

fn judge_text<'u>(
    py: Python<'_>,
    url: &'u Text,
    profile: Option<ProfileName>,
) -> PyResult<url::Url<'u>> {
    url::validate(profile.unwrap_or_default().0, url.bytes())
        .map_err(|reject| invalid(py, &reject, &reject, &mut url.offsets()))
}

/// The canonical form of url. URLs that are the same by their document have
/// the same canonical form.
///
/// >>> import urlgrep
/// >>> urlgrep.canonical("HTTP://Example.ORG:80/%7euser")
/// 'http://example.org/~user'
#[pyfunction]
#[pyo3(signature = (url, profile=None))]
pub fn canonical(py: Python<'_>, url: Text, profile: Option<ProfileName>) -> PyResult<String> {
    Ok(judge_text(py, &url, profile)?.canonical())
}

/// The URL that the partial form partial means in a document with the URL base.
///
/// >>> import urlgrep
/// >>> urlgrep.resolve("http://a.example/b/c/d", "../g")
/// 'http://a.example/b/g'
#[pyfunction]
#[pyo3(signature = (base, partial, profile=None))]
pub fn resolve(
    py: Python<'_>,
    base: Text,
    partial: Text,
    profile: Option<ProfileName>,
) -> PyResult<String> {
    let profile = profile.unwrap_or_default();
    url::resolve(profile.0, base.bytes(), partial.bytes()).map_err(|error| {
        let mut offsets = match &error {
            ResolveError::Base(_) => base.offsets(),
            ResolveError::Result { url, .. } => Offsets::Unknown(url),
            _ => partial.offsets(),
        };
        invalid(py, &error, error.reject(), &mut offsets)
    })
}
