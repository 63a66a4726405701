//! `--report`: the page, and the file to which it is written.

use std::fs::Metadata;
use std::path::Path;

use super::error::ConfigError;
#[cfg(feature = "report")]
pub use with::Page;

/// Refuses a file that cannot be written, before the search begins.
pub fn check(path: &Path) -> Result<(), ConfigError> {
    let error = |text: &str| {
        Err(ConfigError::new(format!(
            "--report {}: {text}",
            path.display()
        )))
    };
    if cfg!(not(feature = "report")) {
        return error("not in this build; `cargo install --path . --features full` adds it");
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() {
        return error("this is a folder");
    }
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return error("there is no such folder");
    }
    let has_extension = |name: &str| path.extension().is_some_and(|end| end == name);
    if has_extension("pdf") {
        return error("the page is HTML; a browser prints it as PDF");
    }
    // In `urlgrep --report mail/*` the shell puts a mailbox in the place of FILE.
    #[cfg(feature = "report")]
    if with::has_other_content(path) {
        return error(
            "this file is not a page of urlgrep, so it is not replaced; FILE, such as \
             report.html, comes before the paths",
        );
    }
    Ok(())
}

/// The page of an earlier run, if there is one.
pub fn earlier(path: &Path) -> Option<Metadata> {
    std::fs::metadata(path).ok().filter(Metadata::is_file)
}

#[cfg(feature = "report")]
mod with {
    use std::ffi::OsString;
    use std::fs;
    use std::io::{self, Read, Write};
    use std::path::Path;

    use urlgrep_base::escape;
    use urlgrep_files::engine::Fault;
    use urlgrep_report::{Link, Reading, Report};

    use super::super::args::Args;
    use super::super::output::Counts;
    use super::super::stdout::stdout;

    /// True for a regular file that has content, which does not begin as each page does.
    pub fn has_other_content(path: &Path) -> bool {
        let mut start = Vec::new();
        let read = |file: fs::File| file.take(100).read_to_end(&mut start);
        let is_file = path != Path::new("-") && path.is_file();
        if !is_file || fs::File::open(path).and_then(read).is_err() {
            return is_file; // It may be anything.
        }
        let mut page = Vec::new();
        let rendered = Report::default().render(&mut page).is_ok();
        rendered && !start.is_empty() && page.get(..100) != Some(&start)
    }

    /// The page of `--report`.
    #[derive(Debug, Default)]
    pub struct Page {
        report: Report,
        of_ledger: bool,
    }

    impl Page {
        /// An empty page with the arguments of this process.
        pub fn new(args: &Args) -> Page {
            let mut report = Report::default();
            report.set_arguments(&arguments(std::env::args_os()));
            report.set_title(&title(args));
            Page {
                report,
                of_ledger: args.mode.ledger.is_some(),
            }
        }

        /// Counts rows. They must be in order.
        pub fn take(&mut self, entries: &mut Vec<Link>) {
            entries.drain(..).for_each(|entry| self.report.take(entry));
        }

        /// Counts an input that could not be read.
        pub fn fault(&mut self, fault: &Fault) {
            self.report.fault(&fault.to_string());
        }

        /// Writes the page. A regular file is written completely or not at all.
        ///
        /// # Errors
        ///
        /// The file cannot be written.
        pub fn write(mut self, counts: &Counts, path: &Path) -> io::Result<()> {
            self.report.set_reading(Reading {
                of_ledger: self.of_ledger,
                files: counts.files,
                bytes: counts.bytes,
                messages: counts.messages,
                kinds: counts.kinds.clone(),
                passed_over: counts.special,
                notes: counts.notes,
                unsearched: counts.unsearched.clone(),
            });
            let mut page = Vec::new();
            self.report.render(&mut page)?;
            if path == Path::new("-") {
                return stdout().write_all(&page);
            }
            // Follow a symbolic link instead of replacing it, and write to a
            // device directly.
            let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            if fs::metadata(&path).is_ok_and(|meta| !meta.is_file()) {
                return fs::write(&path, &page);
            }
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty());
            let mut builder = tempfile::Builder::new();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                builder.permissions(fs::Permissions::from_mode(0o666));
            }
            let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
            file.write_all(&page)?;
            file.persist(&path)?;
            Ok(())
        }
    }

    /// The value of `--title`, or the names of what is searched.
    fn title(args: &Args) -> String {
        let name = |path: &OsString| path.to_string_lossy().into_owned();
        let ledger = args.mode.ledger.as_ref().map(|path| path.as_os_str());
        match (&args.mode.title, &args.paths[..], ledger) {
            (Some(title), ..) => title.clone(),
            (None, [], Some(ledger)) => name(&ledger.to_owned()),
            (None, [], None) => "Links".to_owned(),
            (None, [path], _) => name(path),
            (None, [path, others @ ..], _) => format!("{} and {} more", name(path), others.len()),
        }
    }

    /// The options that change no row, and are left out of the commands of the page. Each has a
    /// value.
    const LEFT_OUT: [&str; 4] = ["--report", "--title", "--threads", "-j"];

    /// The arguments without [`LEFT_OUT`], quoted for a shell.
    fn arguments(args: impl Iterator<Item = OsString>) -> String {
        let mut text = String::new();
        let mut args = args.skip(1);
        while let Some(arg) = args.next() {
            let arg = arg.as_encoded_bytes();
            let value = |name: &&str| arg.strip_prefix(name.as_bytes());
            let value = LEFT_OUT.iter().find_map(|name| Some((name, value(name)?)));
            match value {
                Some((_, b"")) => drop(args.next()),
                Some((_, [b'=', ..]) | (&"-j", _)) => {}
                _ => {
                    text += if text.is_empty() { "" } else { " " };
                    text += &quoted(arg);
                }
            }
        }
        text
    }

    fn quoted(arg: &[u8]) -> String {
        let is_plain = |b: &u8| b.is_ascii_alphanumeric() || b"_./:=,@%+-".contains(b);
        let mut shown = Vec::new();
        escape::terminal(arg, &mut shown);
        let shown = String::from_utf8_lossy(&shown);
        if !arg.is_empty() && arg.iter().all(is_plain) {
            shown.into_owned()
        } else {
            format!("'{}'", shown.replace('\'', r"'\''"))
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn arguments_are_quoted_and_the_report_is_left_out() {
            let args = [
                "urlgrep",
                "--report",
                "x",
                "-e",
                "a b",
                "it's",
                "--report=y",
                "--title=A b",
                "-j2",
                "-j",
                "3",
                "--threads=4",
                "mail/",
            ];
            let text = arguments(args.into_iter().map(OsString::from));
            assert_eq!(text, r"-e 'a b' 'it'\''s' mail/");
        }
    }
}
