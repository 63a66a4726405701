//! Properties that must hold for every input, as plain functions. The property
//! tests here and the fuzz targets call them. Each function panics with the
//! difference.

#![allow(
    dead_code,
    unused_imports,
    reason = "each test program and each fuzz target uses a part of it"
)]

mod found;
mod hit;
mod rules;
mod scan;
mod verdict;

pub use self::found::*;
pub use self::hit::*;
pub use self::rules::*;
pub use self::scan::*;
pub use self::verdict::*;
