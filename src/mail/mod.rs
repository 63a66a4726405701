//! Messages.

pub mod article;
mod date;
mod gitcat;
mod mbox;
mod nntp;
mod rnews;
mod sniff;
mod split;

pub use mbox::Dialect;
pub use sniff::{As, Container, Packing, SNIFF, UnknownAs, sniff};
pub use split::{
    ContainerSink, Cut, Cutter, Note, NoteKind, Outside, Position, Shape, Splitter, Start,
};
