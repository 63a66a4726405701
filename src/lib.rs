#![forbid(unsafe_code)]

pub mod extract;
#[cfg(feature = "mail")]
pub mod mail;
pub mod scan;
pub mod span;
pub mod url;

pub use extract::{Alternate, Extractor, ExtractorBuilder, FindIter, Forms, Hit, Hyphen, Sink};
pub use url::Profile;
