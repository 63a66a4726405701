//! The examples of `--help` and of the manual page, one for each group of
//! options. A test runs each in `testdata/jobs`.

/// A command, and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// A sentence.
    pub what: &'static str,
    /// A line for the shell.
    pub command: &'static str,
}

/// In the order of the groups of options.
pub const ALL: &[Example] = &[
    Example {
        what: "Each URL of a folder of mail once, in the order of the files:",
        command: "urlgrep -u Mail",
    },
    Example {
        what: "Input: the files that another program names:",
        command: "find Mail -type f -print0 | urlgrep --files0-from -",
    },
    Example {
        what: "Reading URLs: what was refused, by the grammar of 1994, and why:",
        command: "urlgrep --rejects --profile rfc1738 lists",
    },
    Example {
        what: "Filters: the links to one site and its subdomains, with their paths:",
        command: "urlgrep -H --host example.org lists",
    },
    Example {
        what: "Mail and news: what one person linked to from 1998 to 2001, not what she quoted:",
        command: "urlgrep --from ann --since 1998 --until 2002 --new-only lists",
    },
    Example {
        what: "What is printed: a table for a spreadsheet:",
        command: "urlgrep --csv --fields date,from,subject,url lists",
    },
    Example {
        what: "Output: file names and lines, as a compiler writes them:",
        command: "urlgrep -Hn lists",
    },
];
