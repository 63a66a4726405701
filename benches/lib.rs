//! The benches are programs of this package: see README.md.
