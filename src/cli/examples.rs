//! The examples of `--help` and of the manual page: a general example, then one
//! for each group of options. A test runs them in `testdata/jobs`.

/// A command and its purpose.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The purpose, as a phrase.
    pub what: &'static str,
    /// The command line for a shell.
    pub command: &'static str,
}

/// The examples, in the order of the groups.
pub const ALL: &[Example] = &[
    Example {
        what: "Each URL of a folder of mail, once:",
        command: "urlgrep -u Mail",
    },
    Example {
        what: "Input: the files that another program names:",
        command: "find Mail -type f -print0 | urlgrep --files0-from -",
    },
    Example {
        what: "Reading URLs: what the grammar of 1994 refuses, and why:",
        command: "urlgrep --rejects --profile rfc1738 pipermail",
    },
    Example {
        what: "Filters: links to one site and its subdomains:",
        command: "urlgrep --host example.org lists",
    },
    Example {
        what: "Mail and news: what one person linked to from 1998 to 2001, without quotations:",
        command: "urlgrep --from tcmay --since 1998 --until 2002 --new-only lists",
    },
    Example {
        what: "What is printed: a table for a spreadsheet:",
        command: "urlgrep --csv=excel --fields date,from,subject,url lists",
    },
    Example {
        what: "Output: files, lines and columns for an editor:",
        command: "urlgrep --vimgrep lists",
    },
    Example {
        what: "This program: completions for bash:",
        command: "urlgrep --generate complete-bash >urlgrep.bash",
    },
];
