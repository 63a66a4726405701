#![forbid(unsafe_code)]

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod extract;
#[cfg(feature = "mail")]
pub mod mail;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod output;
pub mod scan;
#[cfg(feature = "mail")]
pub mod search;
pub mod span;
pub mod url;

pub use extract::{Alternate, Extractor, ExtractorBuilder, FindIter, Forms, Hit, Hyphen, Sink};
pub use url::Profile;
