//! Counts the URLs of all files in folders, by host:
//!
//!     cargo run --no-default-features --features files --example folder -- PATH...

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;

use urlgrep::{Options, search_paths};

/// The number of URLs of each host below `paths`.
pub fn count(paths: Vec<String>) -> io::Result<BTreeMap<String, u64>> {
    let mut hosts = BTreeMap::new();
    search_paths(paths, Options::default(), |m| {
        let url = m.hit.url().ok();
        let host = url.as_ref().and_then(|url| url.host());
        // Such as `mailto:ann@a.example`.
        let host = host.map_or("none".to_owned(), |host| host.as_str().to_owned());
        *hosts.entry(host).or_default() += 1;
        ControlFlow::Continue(())
    })?;
    Ok(hosts)
}

#[allow(dead_code, reason = "the tests call `count`")]
fn main() -> io::Result<()> {
    for (host, number) in count(std::env::args().skip(1).collect())? {
        println!("{number}\t{host}");
    }
    Ok(())
}
