//! The options of a walker.

#[cfg(doc)]
use super::info::MessageInfo;
use super::policy::HeaderPolicy;
use super::structure::Walker;

/// Settings of a [`Walker`].
#[derive(Clone, Copy, Debug)]
pub struct WalkerBuilder {
    pub(super) headers: HeaderPolicy,
    pub(super) info: bool,
    pub(super) places: bool,
}

impl Default for WalkerBuilder {
    fn default() -> WalkerBuilder {
        WalkerBuilder {
            headers: HeaderPolicy::default(),
            info: true,
            places: true,
        }
    }
}

impl WalkerBuilder {
    /// The header fields that become parts. Default: `Written`.
    #[must_use]
    pub fn headers(mut self, policy: HeaderPolicy) -> WalkerBuilder {
        self.headers = policy;
        self
    }

    /// Whether [`MessageInfo`] is filled, and what HTML says about roles is passed on.
    /// Default: true.
    #[must_use]
    pub fn info(mut self, yes: bool) -> WalkerBuilder {
        self.info = yes;
        self
    }

    /// Whether the maps of bodies are filled. If not, the places of notes and links in
    /// bodies mean nothing. Default: true.
    #[must_use]
    pub fn places(mut self, yes: bool) -> WalkerBuilder {
        self.places = yes;
        self
    }

    /// Builds a walker with these settings.
    #[must_use]
    pub fn build(self) -> Walker {
        Walker::new(self)
    }
}

/// The place at which a message starts.
#[derive(Clone, Copy, Debug)]
pub struct MessageMeta {
    /// The source line of the first byte, from 1. With 0, lines are not counted.
    pub line: u64,
}

impl Default for MessageMeta {
    fn default() -> MessageMeta {
        MessageMeta { line: 1 }
    }
}
