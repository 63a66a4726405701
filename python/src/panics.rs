//! Panics on demand: tests show what a scan is after one. The feature `panics`
//! has them; without it nothing here does anything.

/// Panics if a test asked for a panic at this place.
#[cfg(not(feature = "panics"))]
pub fn at(_place: &str) {}

#[cfg(feature = "panics")]
pub use on_demand::{at, panic_at};

#[cfg(feature = "panics")]
mod on_demand {
    use std::sync::{Mutex, PoisonError};

    use pyo3::prelude::*;

    static PLACE: Mutex<String> = Mutex::new(String::new());

    pub fn at(place: &str) {
        let asked = PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone();
        assert!(asked != place, "a test asked for it");
    }

    /// Makes the code panic at this place from now on; nowhere if it is empty.
    #[pyfunction]
    #[pyo3(name = "_panic_at")]
    pub fn panic_at(place: String) {
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }
}
