//! `--generate-man`: the manual page, made of what `--help` says.

use std::io::{self, Write};

use clap::CommandFactory;

use super::args::Args;

/// Writes the page, as roff.
///
/// # Errors
///
/// What `out` says.
pub fn write(out: &mut impl Write) -> io::Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Args::command()).render(&mut page)?;
    out.write_all(&page)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_there() {
        let mut page = Vec::new();
        write(&mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains(".TH urlgrep 1"), "{page}");
        for option in Args::command().get_arguments() {
            let Some(long) = option.get_long() else {
                continue;
            };
            let name = format!("\\-\\-{}", long.replace('-', "\\-"));
            assert_eq!(page.contains(&name), !option.is_hide_set(), "--{long}");
        }
    }
}
