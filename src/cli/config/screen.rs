//! Where the output goes, and what that place can show.

use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io::{self, IsTerminal};

use urlgrep::search::Context;

use super::{Mode, of_ledger};
use crate::cli::args::{Args, OutputArgs};
use crate::cli::print::{Style, TextConfig};
use crate::cli::values::{BatchArg, ColorArg, HyphenArg};

/// Where the output goes.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Whether standard output is a terminal.
    pub terminal: bool,
    /// Whether standard output is a pipe.
    pub is_pipe: bool,
    /// Whether progress is drawn on standard error.
    pub progress: bool,
}

impl Screen {
    pub(super) fn new(output: &OutputArgs, is_pipe: bool) -> Screen {
        Screen {
            terminal: io::stdout().is_terminal(),
            is_pipe,
            // The reader of a pipe may be a pager or a menu, which has the terminal for itself.
            progress: !output.no_progress && io::stderr().is_terminal() && !is_dumb() && !is_pipe,
        }
    }
}

/// What is printed of each hit by text output. `has_many` is true if there may be several
/// files.
pub(super) fn text_config(args: &Args, mode: &Mode, has_many: bool, terminal: bool) -> TextConfig {
    let output = &args.output;
    let heading = output.heading && *mode == Mode::Hits(Style::Text);
    let line = output.line_number || output.vimgrep;
    let column = output.column || output.vimgrep;
    // A count or a location needs the name of its file, if there are several files.
    let of_one = *mode == Mode::Count || line || column || output.byte_offset;
    let has_many = has_many || of_ledger(&args.mode) || args.other.batch == Some(BatchArg::Lines);
    let has_path = output.with_filename || output.vimgrep || (of_one || heading) && has_many;
    // An editor runs `--vimgrep`, perhaps on a pseudo-terminal, and shows the bytes as they are.
    let for_people = terminal && !output.vimgrep;
    TextConfig {
        path: !output.no_filename && has_path,
        heading,
        line,
        column,
        known: output.vimgrep,
        offset: output.byte_offset,
        null: output.null,
        color: use_color(output.color, for_people),
        hyperlink: use_hyperlinks(
            output.hyperlink,
            for_people && output.color != ColorArg::Never,
        ),
        terminal,
        both: args.reading.hyphen == HyphenArg::Both,
        clean: args.reading.clean,
    }
}

/// The lines to print around hits. `None` if no option asks for lines.
pub(super) fn context(output: &OutputArgs) -> Option<Context> {
    let (before, after) = (output.before_context, output.after_context);
    before.or(after).or(output.context)?;
    Some(Context {
        before: before.or(output.context).unwrap_or(0),
        after: after.or(output.context).unwrap_or(0),
    })
}

/// Whether colours are used. <https://no-color.org>: colour is off "when
/// present and not an empty string".
fn use_color(typed: ColorArg, terminal: bool) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    typed == ColorArg::Always || (use_hyperlinks(typed, terminal) && !refused)
}

/// True if the terminal does not support control sequences. The buffers of Emacs are terminals
/// too: `M-x grep` sets `TERM=emacs-grep`, `M-x term` has `TERM=eterm-color`, and all of them
/// have `INSIDE_EMACS` (the manual of Emacs, "Interactive Subshell"). They show a hyperlink as its
/// bytes.
fn is_dumb() -> bool {
    let shows_bytes = |term: &OsStr| {
        let term = term.as_encoded_bytes();
        term == b"dumb" || term.starts_with(b"emacs") || term.starts_with(b"eterm")
    };
    let is_in_emacs = std::env::var_os("INSIDE_EMACS").is_some_and(|value| !value.is_empty());
    is_in_emacs || std::env::var_os("TERM").is_none_or(|term| shows_bytes(&term))
}

/// Whether hyperlinks are used. Terminals without colours would show the bytes
/// of a hyperlink.
fn use_hyperlinks(typed: ColorArg, terminal: bool) -> bool {
    match typed {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto => terminal && !is_dumb(),
    }
}

/// The identity of standard output if it is a regular file, and whether it is a
/// pipe.
pub(super) fn output() -> (Option<Metadata>, bool) {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        use std::os::unix::fs::FileTypeExt;

        let file = io::stdout()
            .as_fd()
            .try_clone_to_owned()
            .map(fs::File::from);
        if let Ok(meta) = file.and_then(|file| file.metadata()) {
            let is_pipe = meta.file_type().is_fifo();
            return (Some(meta).filter(Metadata::is_file), is_pipe);
        }
    }
    (None, false)
}
