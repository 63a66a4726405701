//! Panics on demand, so that tests can check a scan after a panic. Without the
//! feature `panics` nothing here does anything.

/// Panics if a test asked for a panic at this place.
#[cfg(not(feature = "panics"))]
pub fn at(_place: &str) {}

#[cfg(feature = "panics")]
pub use on_demand::{at, set};

#[cfg(feature = "panics")]
mod on_demand {
    use std::sync::{Mutex, PoisonError};

    static PLACE: Mutex<String> = Mutex::new(String::new());

    pub fn at(place: &str) {
        let asked = PLACE.lock().unwrap_or_else(PoisonError::into_inner).clone();
        assert!(asked != place, "a test asked for a panic here");
    }

    /// Makes the code panic at this place from now on, or nowhere if it is empty.
    pub fn set(place: String) {
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }
}
