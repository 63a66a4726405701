//! Options that cannot be used together.

use clap::Command;

/// Modes that read lines and do not search.
const OF_LINES: &[&str] = &["check", "verify"];

/// Options of a search.
const OF_SEARCHES: &[&str] = &[
    "start_at",
    "quiet",
    "hyphen",
    "no_join",
    "suffix_references",
    "join_bare",
    "no_doubtful",
    "unwrap",
    "read_as",
    "no_decode",
    "no_decompress",
    "max_window",
    "max_decompressed",
    "headers",
    "role",
    "new_only",
    "since",
    "until",
    "from",
    "subject",
    "group",
    "unique_per_message",
    "unique_message",
    "notes",
    "rejects",
    "with_rejects",
    "regexp",
    "pattern_file",
    "smart_case",
    "word_regexp",
    "line_regexp",
    "invert_match",
    "scheme",
    "exclude_scheme",
    "host",
    "exclude_host",
    "form",
    "max_count",
    "unique",
    "with_filename",
    "line_number",
    "byte_offset",
    "column",
    "after_context",
    "before_context",
    "context",
];

/// Options that read other input than the requests of `--batch`, or whose
/// output is not one row a hit.
const NOT_OF_BATCHES: &[&str] = &[
    "paths",
    "files_from",
    "files0_from",
    "start_at",
    "explain",
    "count",
    "files_with_matches",
    "files_without_match",
    "tally",
    "quiet",
    "check",
    "verify",
    "after_context",
    "before_context",
    "context",
    "whole_line",
    "heading",
];

/// Options for data that a ledger does not keep, or for other inputs.
const NOT_OF_LEDGERS: &[&str] = &[
    "start_at",
    "batch",
    "whole_line",
    "check",
    "verify",
    "rejects",
    "with_rejects",
    "files_without_match",
    "after_context",
    "before_context",
    "context",
    "unwrap",
];

/// What a report cannot follow: it has every verdict, and counts every hit.
const NOT_OF_REPORTS: &[&str] = &[
    "batch",
    "quiet",
    "rejects",
    "with_rejects",
    "max_count",
    "unique",
    "unique_message",
    "with_filename",
    "null",
    "heading",
    "hyperlink",
];

/// Modes that print rows or paragraphs of their own.
const ROWS: &[&str] = &["json", "format", "csv", "tsv", "explain"];

/// Modes that print one row for each file or for each URL.
const SUMS: &[&str] = &[
    "count",
    "files_with_matches",
    "files_without_match",
    "tally",
];

/// Options that print lines of text around hits.
const LINES: &[&str] = &["whole_line", "after_context", "before_context", "context"];

/// Fields before a URL.
const FIELDS: &[&str] = &["line_number", "byte_offset", "column", "vimgrep"];

/// Each option of the first list conflicts with each option of the second.
const CONFLICTS: &[(&[&str], &[&str])] = &[
    (OF_LINES, OF_SEARCHES),
    (OF_LINES, &["vimgrep", "whole_line", "heading", "hyperlink"]),
    (&["batch"], NOT_OF_BATCHES),
    (&["ledger"], NOT_OF_LEDGERS),
    (&["report"], NOT_OF_REPORTS),
    (&["report"], LINES),
    (&["report"], FIELDS),
    (ROWS, LINES),
    (ROWS, FIELDS),
    (ROWS, &["with_filename", "null", "heading"]),
    (SUMS, LINES),
    (SUMS, FIELDS),
    (SUMS, &["heading", "with_rejects", "hyperlink"]),
    (&["with_rejects"], &["format", "csv", "tsv", "rejects"]),
    // A refused text is a row of its own, with the reason.
    (&["rejects", "with_rejects"], LINES),
    (&["with_rejects"], FIELDS),
    (&["with_rejects"], &["with_filename", "null", "heading"]),
    (&["join_bare"], &["no_join"]),
];

/// Adds the conflicts of the table to `command`.
pub fn apply(mut command: Command) -> Command {
    for &(ones, others) in CONFLICTS {
        for &one in ones {
            command = command.mut_arg(one, |arg| arg.conflicts_with_all(others));
        }
    }
    command
}
