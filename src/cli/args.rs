//! The options as typed. Each option is one field. [`Config`] interprets them.
//!
//! [`Config`]: super::config::Config

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args as ClapArgs, Parser};

use super::values::{
    BatchArg, ColorArg, CsvArg, GenerateArg, HeadersArg, HyphenArg, RejectsArg, Sort, as_parser,
    form_parser, number, profile_parser, role_parser, size,
};
use urlgrep::Form;
use urlgrep::mail::ReadAs;
use urlgrep::url::Profile;

/// Finds every URL in mail and Usenet text. Unwraps, rejoins, validates and
/// locates each URL.
#[derive(Debug, Parser)]
#[command(
    name = "urlgrep",
    version,
    about = "Finds every URL in mail and Usenet text: unwraps, rejoins, validates",
    long_about = "Finds every URL in mail and Usenet text: unwraps, rejoins, validates, and locates it. \
                  Prints one URL a line.\n\n\
                  Exit status: 0 if something was found, 1 if nothing was, 2 if a path could not \
                  be read, the output failed, or the command line is wrong. If a path cannot be \
                  read, the others are still searched. If the command line is wrong, nothing is.",
    args_override_self = true,
    disable_help_flag = true,
    disable_version_flag = true,
    max_term_width = 100
)]
pub struct Args {
    /// Files and folders to search; `-` is standard input
    ///
    /// Folders are searched recursively, with hidden files, in the byte order
    /// of names. No ignore files are read. The content of a file decides
    /// how it is read, and a file without a known format is read as text. FIFOs,
    /// devices, sockets and symbolic links in folders are skipped, but are read
    /// if they are named here. Without a path, standard input is searched. If it
    /// is a terminal, the current folder is searched.
    ///
    /// A path that does not exist is an error, and the other paths are
    /// searched. But nothing is searched if a missing path contains `://`, or if
    /// the first of several paths is missing and is probably a pattern: it has
    /// no `/`, no `.` and no digit, it ends like a host (`example.org`), or it has
    /// marks of a pattern (`a|b`, `.*`).
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,

    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub mail: MailArgs,
    #[command(flatten)]
    pub mode: ModeArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub other: OtherArgs,
    #[command(flatten)]
    pub own: OwnArgs,
}

/// The input and its format.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Search files whose name matches GLOB (`!GLOB`: does not match)
    ///
    /// If several match, the last one decides. A GLOB without `/` is matched
    /// against names. A GLOB with `/` is matched against the path below the
    /// named folder. Files named as arguments are always searched.
    #[arg(short, long, value_name = "GLOB", allow_hyphen_values = true)]
    pub glob: Vec<String>,

    /// Search what COMMAND prints, instead of the file: `GLOB=COMMAND`
    ///
    /// Only this option runs programs: `--pre '*.pdf=pdftotext - -'`. GLOB is for
    /// the names of files and attachments, or for the types of attachments:
    /// `application/pdf`. `{a,b}` in it means a or b. COMMAND without `GLOB=` is
    /// for all files. The first COMMAND that fits is run. It reads the file on
    /// standard input, and URLGREP_PATH is its path, or the name of the attachment.
    /// Blanks separate its arguments. There is no shell. The output is the member
    /// `pre`, such as `paper.pdf!pre`, and may be mail. If COMMAND fails, its
    /// output is searched, its first message is printed, and the status is 2. At
    /// most one COMMAND a thread runs. When it ends, so do the processes that it
    /// started in its process group. URLGREP_CONFIG_PATH cannot contain --pre.
    #[arg(long, value_name = "COMMAND")]
    pub pre: Vec<String>,

    /// End a COMMAND of --pre after this time
    ///
    /// It also ends when its output reaches --max-decompressed, or 1 GiB without
    /// this option.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = number::<u32>)]
    pub pre_timeout: u32,

    /// Follow symbolic links
    #[arg(short = 'L', long)]
    pub follow: bool,

    /// Descend at most NUM folders deep; 1 searches only the files of the
    /// folder itself
    #[arg(long, value_name = "NUM", value_parser = number::<usize>)]
    pub max_depth: Option<usize>,

    /// Read further paths from FILE, one a line (`-`: standard input)
    #[arg(long, value_name = "FILE")]
    pub files_from: Vec<OsString>,

    /// Read further paths from FILE, each ended by a NUL (`-`: standard input)
    #[arg(long, value_name = "FILE")]
    pub files0_from: Vec<OsString>,

    /// Read a file from BYTE on, for example from its size at the last run
    ///
    /// Plain text is read from that byte on, an mbox from the first message
    /// that begins at or after it. Offsets count from the start of the file.
    /// Lines and messages have no numbers. Compressed files, single messages
    /// and pipes are refused.
    #[arg(long, value_name = "BYTE", value_parser = size)]
    pub start_at: Option<u64>,

    /// Read a file up to BYTE: with --start-at, a part for each of many machines
    ///
    /// Each BYTE means the next place at which the file can be cut, so any
    /// partition of a file gives each hit once: a message belongs to the part in
    /// which it begins. A file that cannot be cut, such as a compressed
    /// one, belongs to the part that begins at 0.
    #[arg(long, value_name = "BYTE", value_parser = size)]
    pub end_at: Option<u64>,

    /// The order of the files of a folder, of all hits, or of a tally
    ///
    /// With `date`, -u prints the earliest occurrence of each URL. Rows over 64
    /// MiB are sorted in temporary files. A tally is sorted by `count`. But if
    /// its first fields are year, month or day, these come first: --tally=year,host
    /// has the years in their order, and in each year the most frequent host
    /// first.
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = Sort::Path)]
    pub sort: Sort,

    /// Number of threads; 0 means one for each processor
    ///
    /// The output does not depend on it.
    #[arg(short = 'j', long, value_name = "NUM", default_value_t = 0, value_parser = number::<usize>)]
    pub threads: usize,

    /// The size of the pieces of a large file that threads search
    #[arg(long, value_name = "BYTES", hide = true, value_parser = number::<usize>)]
    pub segment_size: Option<usize>,
}

/// How URLs are read and judged.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Reading URLs")]
pub struct ReadingArgs {
    /// The document that defines URLs
    ///
    /// `current` is RFC 3986, `iri` RFC 3987, and `whatwg` the URL Standard of browsers. The
    /// others are older.
    #[arg(long, value_name = "NAME", default_value = "iri", value_parser = profile_parser())]
    pub profile: Profile,

    /// The meaning of a hyphen at the end of a line inside a URL
    #[arg(long, value_name = "HOW", value_enum, default_value_t = HyphenArg::Keep)]
    pub hyphen: HyphenArg,

    /// Find hosts without a scheme that begin with `www.`, `ftp.` or `gopher.`
    #[arg(long)]
    pub www: bool,

    /// Find defanged URLs such as hxxp://a[.]example, and print what was meant
    ///
    /// Read are hxxp, hxxps, fxp and h**p; `[:]//`, `[.]`, `(.)`, `{.}`, `[dot]`, `(dot)`, `[at]`
    /// and `[/]`; ` dot ` in a host that something else defangs; and blanks around the colon and
    /// the slashes. These hits have the doubt `refanged`, and the text as it was written is an
    /// alternate. Other URLs do not change. A host without a scheme
    /// (`evil[.]example`) is no URL.
    #[arg(long)]
    pub refang: bool,

    /// Do not join the lines of a bare URL, or the rows of a terminal: print only the first
    #[arg(long)]
    pub no_join: bool,

    /// Leave out hits that may be joined wrongly, or print the first line alone; --json has a
    /// `doubt` for them
    #[arg(long)]
    pub no_doubtful: bool,

    /// Print the original URL inside the links of mail gateways
    ///
    /// The links are those of mail gateways (Safe Links, urldefense, Cisco,
    /// Check Point, Sophos and others), of Google, Bing, Facebook and LinkedIn,
    /// and of trackers that contain the URL. A link inside a link is removed
    /// too, up to ten. Filters, -u and --tally also use the original URL. The
    /// links around it become alternates, `outer`. A link without a valid URL
    /// inside is unchanged, and so are those of web archives, which name a copy.
    /// Nothing is fetched.
    #[arg(long)]
    pub unwrap: bool,

    /// Print URLs without the parameters that only track, such as utm_source
    ///
    /// -u and --tally compare and count the clean URLs too. The parameters are those of a
    /// table of services (Google, Facebook, Mailchimp, HubSpot and others). All others stay
    /// as they are, and so do signed URLs and those of web archives. --unwrap comes first.
    /// In rows the field `url` is the URL as it was found, and `clean` the clean one.
    #[arg(long)]
    pub clean: bool,
}

/// Filters of hits.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Filters")]
pub struct FilterArgs {
    /// URLs that match the regular expression PATTERN, or one of several
    ///
    /// PATTERN may match anywhere in the URL. Case is ignored in the scheme and
    /// the host, not after them: `-e Example.org/Faq` finds
    /// `http://example.org/Faq`, not `http://example.org/faq`. -i ignores it
    /// everywhere. `?` and `+` are operators: for a URL itself, add -F.
    #[arg(
        short = 'e',
        long = "regexp",
        value_name = "PATTERN",
        allow_hyphen_values = true
    )]
    pub regexp: Vec<String>,

    /// Read patterns from FILE, one a line (`-`: standard input)
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub pattern_file: Vec<OsString>,

    /// Patterns are plain strings
    #[arg(short = 'F', long)]
    pub fixed_strings: bool,

    /// Patterns match letters of either case
    #[arg(short = 'i', long, overrides_with = "smart_case")]
    pub ignore_case: bool,

    /// Patterns match letters of either case if they have no upper case letter
    #[arg(short = 'S', long, overrides_with = "ignore_case")]
    pub smart_case: bool,

    /// Patterns match whole words: no letter, digit or `_` beside them. Also those of --from, --to
    /// and --subject, in which `@a.example` may follow a letter
    #[arg(short = 'w', long, overrides_with = "line_regexp")]
    pub word_regexp: bool,

    /// Patterns match whole URLs
    ///
    /// With -F a pattern also finds the other spellings of its URL, compared in
    /// canonical form. So `-Fxf dead.txt` finds the URLs of a list in any spelling.
    #[arg(short = 'x', long, overrides_with = "word_regexp")]
    pub line_regexp: bool,

    /// Print only the URLs that the filters would leave out
    ///
    /// The filters are -e, -f, --scheme, --host, --exclude-scheme and
    /// --exclude-host. They are inverted together. So
    /// `-v --scheme http --host example.org` prints all URLs except those with
    /// both the scheme http and the host example.org.
    #[arg(short = 'v', long)]
    pub invert_match: bool,

    /// URLs of these schemes (may be a list: http,https)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub scheme: Vec<String>,

    /// URLs except those of these schemes (may be a list)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub exclude_scheme: Vec<String>,

    /// URLs whose host matches GLOB (may be a list); a plain name matches its
    /// subdomains too
    ///
    /// `--host example.org` matches `example.org` and `www.example.org`. A name
    /// with other letters also matches its form in Punycode, and the reverse.
    /// `--host '*example*'` matches all hosts that contain `example`. With
    /// --rejects nothing matches, because refused text has no host.
    #[arg(long, value_name = "GLOB")]
    pub host: Vec<String>,

    /// URLs whose host does not match GLOB (may be a list), and URLs without a
    /// host
    #[arg(long, value_name = "GLOB")]
    pub exclude_host: Vec<String>,

    /// URLs in these delimiters (may be a list)
    #[arg(long, value_name = "FORM", value_delimiter = ',', value_parser = form_parser())]
    pub form: Vec<Form>,

    /// Stop reading a file after NUM hits; for the first rows of --tally, use
    /// head(1)
    #[arg(short = 'm', long, value_name = "NUM", value_parser = number::<u64>)]
    pub max_count: Option<u64>,

    /// Print each URL once: its first occurrence, compared in canonical form
    #[arg(short = 'u', long)]
    pub unique: bool,
}

/// Mail and news.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Mail and news")]
pub struct MailArgs {
    /// Read every file as this kind, without detection
    #[arg(long = "as", value_name = "KIND", default_value = "auto", value_parser = as_parser())]
    pub read_as: ReadAs,

    /// Search the bytes unchanged: no messages, no decoding
    #[arg(long)]
    pub no_decode: bool,

    /// Do not look into compressed files and archives
    #[arg(long)]
    pub no_decompress: bool,

    /// The maximum memory for windows of xz and zstd data
    ///
    /// Files that need more are not read. A decompressor keeps the last bytes
    /// of its output in a window. The file specifies the size of the window. In
    /// nested archives the windows of all layers count together.
    #[arg(long, value_name = "BYTES", value_parser = size, default_value = "128M")]
    pub max_window: u64,

    /// Stop after this much decompressed data [default: no limit for one stream, 16G for nested
    /// archives, 256 times its size and 1M for an attachment]
    #[arg(long, value_name = "BYTES", value_parser = size)]
    pub max_decompressed: Option<u64>,

    /// Do not search the parts of messages whose type does not say that they are text
    #[arg(long)]
    pub no_attachments: bool,

    /// Hold larger attachments in temporary files
    ///
    /// An archive, a compressed file or an encoded message in a message is held while it is
    /// searched. Up to this size that is in memory. With 0, archives and compressed files are
    /// not searched, and an encoded message is searched as plain text.
    #[arg(long, value_name = "BYTES", value_parser = size, default_value = "32M")]
    pub max_attachment: u64,

    /// The header fields to search
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = HeadersArg::Written)]
    pub headers: HeadersArg,

    /// Hits in these places of a message (may be a list)
    #[arg(long, value_name = "ROLE", value_delimiter = ',', value_parser = role_parser())]
    pub role: Vec<String>,

    /// Only text of the author: no header fields, quotations, signatures and
    /// list footers
    ///
    /// It leaves out the roles `header`, `quoted`, `signature` and `footer`.
    #[arg(long)]
    pub authored: bool,

    /// Messages of DATE and later, by their Date field
    ///
    /// DATE is a day (1998-01-31, 1998-1-31, `31 Jan 1998`, `yesterday`,
    /// `today`), a month (1998-01, `Jan 1998`), a year (1998), or an age before now
    /// (`2 weeks`, `12 hours` or 12h, `last month`; 1d is 24 hours). A month or a year
    /// means its first day. Days begin at midnight UTC. --since and --until leave out
    /// messages without a date, and those dated later than tomorrow. --since,
    /// --until, --from, --to, --subject, --message-id and --group leave out text
    /// outside messages.
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,

    /// Messages before DATE, not including it: `--since 1998 --until 1999` is the year 1998
    ///
    /// The same DATE for both is that day, month or year.
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,

    /// Messages whose From field has this address, this part of a name, or a
    /// match of this regular expression (may be given several times)
    ///
    /// Case and the composition of accents are ignored, and a run of blanks and
    /// folds counts as one blank, also in --to and --subject. `ann at a.example`
    /// counts as `ann@a.example`. With -F a PATTERN is a plain string.
    /// `ann@a.example` finds this address only, in no name, `@a.example` and `ann` all that
    /// contain it: Ann, Joanna, me@annex.example. With -w it is a whole word of a name or an
    /// address: Ann, Ann-Marie. `^` and `$` are also the ends of a name or an address. A comma does
    /// not separate two names: give the option twice.
    #[arg(long, value_name = "PATTERN")]
    pub from: Vec<String>,

    /// Messages to this recipient: To, Cc or Bcc; PATTERN as for --from
    #[arg(long, value_name = "PATTERN")]
    pub to: Vec<String>,

    /// Messages whose Subject field matches the regular expression, or one of
    /// several, in any case
    ///
    /// A tag, such as `[PATCH]` or the `[R]` of `[R] Calling`, is read as text and
    /// not as a class of letters. `[a-z]` is a class, and so is a tag in round
    /// brackets: `([PATCH])`. The same is true for --from and --to.
    #[arg(long, value_name = "PATTERN")]
    pub subject: Vec<String>,

    /// No messages from this sender; PATTERN as for --from
    #[arg(long, value_name = "PATTERN")]
    pub exclude_from: Vec<String>,

    /// No messages to this recipient; PATTERN as for --from
    #[arg(long, value_name = "PATTERN")]
    pub exclude_to: Vec<String>,

    /// No messages with this subject; PATTERN as for --subject
    #[arg(long, value_name = "PATTERN")]
    pub exclude_subject: Vec<String>,

    /// The messages with this Message-ID, with or without its angle brackets
    #[arg(long, value_name = "ID")]
    pub message_id: Vec<String>,

    /// Messages of a newsgroup or mailing list whose name matches GLOB (may be
    /// a list)
    ///
    /// A plain name matches names that begin with it: `alsa-devel` matches the
    /// list `alsa-devel.alsa-project.org`, `comp.lang` the group
    /// `comp.lang.lisp`. The address of a list is its name: `@` is read as a dot.
    #[arg(long, value_name = "GLOB")]
    pub group: Vec<String>,

    /// Leave out messages that Thunderbird has deleted but not yet removed from
    /// the mailbox (X-Mozilla-Status)
    #[arg(long)]
    pub skip_deleted: bool,

    /// Print each URL once in each message
    #[arg(long)]
    pub unique_per_message: bool,

    /// Read each message once, even if it is in several places, such as two
    /// groups
    ///
    /// Messages with the same Message-ID count as the same message. Of these,
    /// the hits of the first one that has hits are printed. Memory: at most 40
    /// bytes for each Message-ID.
    #[arg(long)]
    pub unique_message: bool,

    /// Print tolerated faults inside messages on standard error
    #[arg(long)]
    pub notes: bool,
}

/// The kind of output.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "What is printed")]
pub struct ModeArgs {
    /// JSON Lines: one object for each hit, with the keys of docs/json.md or
    /// those of --fields
    ///
    /// Only with --fields: to, cc, from_address, from_name, year, month, day,
    /// timestamp, group, mid, url_path and readable. Other fields need no key of
    /// their own, because another key has them.
    #[arg(long, group = "mode")]
    pub json: bool,

    /// A line for each hit, such as '{url} {path}:{line}'; the fields are
    /// listed below
    ///
    /// `\t` is a tab, `\n` a line feed, `\0` a NUL byte, `{{` a brace. A TEMPLATE
    /// that ends in `\0` adds no line feed: '{url}\0' is for `xargs -0`. Values
    /// contain no tabs or line feeds. Control characters become `\xNN`, other
    /// hidden characters `\u{N}`, and a backslash becomes `\\`. In URLs, hidden
    /// characters are percent-encoded.
    #[arg(
        long,
        value_name = "TEMPLATE",
        group = "mode",
        allow_hyphen_values = true
    )]
    pub format: Option<String>,

    /// Comma-separated values with a header row (RFC 4180); see --fields
    ///
    /// Use --csv=excel for a spreadsheet. Anyone can write a mail whose author
    /// or subject begins with `=`, `+`, `-`, `@`, a tab or a line break, and a
    /// spreadsheet may run such a value as a formula. A `'` before the value
    /// prevents this.
    #[arg(long, value_name = "READER", value_enum, group = "mode", num_args = 0..=1,
          require_equals = true, default_missing_value = "rfc4180")]
    pub csv: Option<CsvArg>,

    /// As --csv, with tabs instead of commas
    ///
    /// A value with a tab, a quotation mark or a line break is quoted as in
    /// CSV. Programs such as cut and awk split lines at tabs and know no
    /// quotes. For these, use --format '{date}\t{url}'.
    #[arg(long, group = "mode")]
    pub tsv: bool,

    /// The columns of --csv and --tsv, or the keys of --json, such as date,url;
    /// the fields are listed below
    ///
    /// Without another form of output it means --tsv. The default columns are date,
    /// from, subject, role, path, line and url. With --rejects they are also rule,
    /// rule_at and reason. The default keys are all fields but those that --json
    /// has in `components`.
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub fields: Vec<String>,

    /// All details of each hit: form, seams, components, the verdict of every
    /// profile
    #[arg(long, group = "mode")]
    pub explain: bool,

    /// Only URLs with a caution, or with one of these, as in --cautions=ip-number. Without another
    /// form of output, the URL, its cautions, what its host means, and the text of its link;
    /// docs/reference.md lists them
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true,
          default_missing_value = "true")]
    pub cautions: Vec<String>,

    /// The number of hits of each file and of each member of an archive that
    /// has any, as in rg; -H prints their names
    #[arg(short = 'c', long)]
    pub count: bool,

    /// The paths of files with hits; -c beside it has no effect, as in grep
    #[arg(short = 'l', long, group = "mode")]
    pub files_with_matches: bool,

    /// The paths of files without hits
    #[arg(long, group = "mode")]
    pub files_without_match: bool,

    /// How often each URL occurs, most frequent first: number, tab, URL
    ///
    /// Alone, it counts every link, by its canonical form, and prints the first spelling. With FIELDS a URL counts once per message, and
    /// with -u once per row; `--format '{host}' | sort | uniq -c` counts every link
    /// of each host. --tally=host,year prints a table with a row for each host and
    /// year. Columns are separated by tabs, and --csv, --tsv and --json print them
    /// in that form, with names. The fields are url (in canonical form), host,
    /// domain, scheme, year, month, day, from, to, cc, subject, group, role,
    /// file_name, path and folder. An author (from) or a recipient (to: To, Cc and Bcc; cc: Cc alone) is
    /// an address, and has the most frequent of its names. A number after folder is its depth, where 1
    /// is the folder that was named: for Mail, --tally=folder,2 counts
    /// Mail/lists/2001/may under Mail/lists. A missing value, such as the host of a
    /// mailto URL, comes last. It is printed as `-`, or in --csv, --tsv and --json
    /// as an empty value or null. A message of several groups or recipients counts for
    /// each of them. See also --sort. Memory: at most 115 bytes for each row, plus
    /// the row itself.
    #[arg(long, value_name = "FIELDS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub tally: Option<String>,

    /// Print nothing and stop at the first hit; see the exit status. With
    /// --stats, read everything
    #[arg(short, long)]
    pub quiet: bool,

    /// Print the text that the grammar refused, and the reason, instead of URLs
    ///
    /// --rejects=both needs --json, and prints both URLs and refused text.
    #[arg(long, value_name = "WHICH", value_enum, num_args = 0..=1, require_equals = true,
          default_missing_value = "only")]
    pub rejects: Option<RejectsArg>,

    /// Write the result into FILE as one HTML page with tables and a plot, and
    /// print nothing
    ///
    /// The page has no scripts and fetches nothing. With --ledger and no PATH
    /// it shows the content of the ledger. `-` is standard output. --title TEXT
    /// names the archive in the title (default: the paths). See docs/report.md.
    #[arg(
        long,
        value_name = "FILE",
        group = "mode",
        hide = cfg!(not(feature = "report"))
    )]
    pub report: Option<PathBuf>,

    /// Name of the archive, for the title of the page of --report (default: the
    /// paths)
    #[arg(long, value_name = "TEXT", hide = true)]
    pub title: Option<String>,

    /// Keep hits in the database FILE and print the new ones; without PATH,
    /// print the content of FILE
    ///
    /// A run reads only new data. A file that only grew is read from the end of
    /// the last run on. An unchanged file is not opened. All hits are recorded;
    /// the filters select which of them are printed. With -u, only URLs that
    /// are new to FILE are printed. --merge DB adds another ledger to FILE. See
    /// docs/ledger.md.
    #[arg(
        long,
        value_name = "FILE",
        hide = cfg!(not(feature = "ledger"))
    )]
    pub ledger: Option<PathBuf>,

    /// Add the ledger DB to FILE, as if FILE had read its files
    ///
    /// Ledgers of parts of an archive become one. Nothing that DB has is new. May
    /// be given several times. Needs --ledger.
    #[arg(long, value_name = "DB", hide = true)]
    pub merge: Vec<PathBuf>,

    /// Of several readings of a URL, print the one that occurs elsewhere as it is
    ///
    /// If a URL was joined over a line, a hyphen or a space, it may have more
    /// than one valid reading. A reading that also occurs elsewhere in the
    /// ledger without repair is preferred. Needs --ledger.
    #[arg(long, hide = cfg!(not(feature = "ledger")))]
    pub corroborate: bool,

    /// The number of hits that one transaction records
    #[arg(long, value_name = "NUM", hide = true, default_value_t = 200_000, value_parser = number::<u64>)]
    pub ledger_transaction: u64,

    /// Print totals on standard error at the end
    ///
    /// The last lines list data that was not searched: parts of messages
    /// (encrypted, uuencoded, `.doc` and other old office documents, PDF, unknown
    /// formats, archives over a limit), files that were read as text although their
    /// text is encoded (PDF, the packs of git), and SQLite databases. --notes names
    /// each. Without these options the last lines name up to three such files and
    /// what reads them, or have their number, unless the run stopped early (-l, -m,
    /// -q), or a script updates a ledger.
    #[arg(long)]
    pub stats: bool,
}

/// The format of the output.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Print the path before each hit
    #[arg(short = 'H', long, overrides_with = "no_filename")]
    pub with_filename: bool,

    /// Print no paths
    #[arg(short = 'I', long, overrides_with = "with_filename")]
    pub no_filename: bool,

    /// Print the line number, counted from 1
    #[arg(short = 'n', long)]
    pub line_number: bool,

    /// Print the offset of the URL's first byte, counted from 0
    #[arg(short = 'b', long)]
    pub byte_offset: bool,

    /// Print the column of the URL's first byte, in bytes, counted from 1
    ///
    /// It is empty if the file does not contain the line unchanged: in base64,
    /// after a quoted-printable escape, or in HTML markup.
    #[arg(long)]
    pub column: bool,

    /// Print path, line, column and URL, as editors read them: -H -n --column
    ///
    /// An unknown line or column is 1.
    #[arg(long)]
    pub vimgrep: bool,

    /// End each path with a NUL instead of `:` or a line feed
    ///
    /// In a pipe or a file the path is then unescaped. Without -0 its control
    /// and other hidden characters become `\xNN` or `\u{N}`, bytes that are not
    /// UTF-8 become `\xNN`, and a backslash becomes `\\`.
    #[arg(short = '0', long)]
    pub null: bool,

    /// Print the whole line of each hit, and NUM lines after it; see -C
    #[arg(short = 'A', long, value_name = "NUM", value_parser = number::<usize>)]
    pub after_context: Option<usize>,

    /// Print the whole line of each hit, and NUM lines before it, at most 64 KiB
    #[arg(short = 'B', long, value_name = "NUM", value_parser = number::<usize>)]
    pub before_context: Option<usize>,

    /// Print the whole line of each hit, and NUM lines before and after it
    ///
    /// With 0, only the line itself. In mail it is the line of the decoded text.
    /// The URL of an HTML link is not in the text, so it is printed on a line of
    /// its own. A line over 64 KiB is printed in pieces.
    #[arg(short = 'C', long, value_name = "NUM", value_parser = number::<usize>)]
    pub context: Option<usize>,

    /// Group hits by message, below its date, author and subject; the hits of a
    /// file are below its path
    #[arg(long)]
    pub heading: bool,

    /// When to use colours; NO_COLOR in the environment turns `auto` off
    #[arg(long, alias = "colour", value_name = "WHEN", value_enum, default_value_t = ColorArg::Auto)]
    pub color: ColorArg,

    /// When URLs of http, https, ftp, gopher and mailto are hyperlinks (OSC 8)
    ///
    /// `auto` means on a terminal, unless colours are turned off by
    /// `--color never`, in Emacs, or with --vimgrep.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColorArg::Auto)]
    pub hyperlink: ColorArg,

    /// Search and print input from a pipe as it arrives
    #[arg(long)]
    pub line_buffered: bool,

    /// Draw no progress
    ///
    /// Without this option, progress is drawn on standard error, if that is a
    /// terminal, standard output is no pipe, and the run takes over a second.
    #[arg(long)]
    pub no_progress: bool,

    /// Print no messages about paths that cannot be read or data that was not
    /// searched; the exit status is the same
    #[arg(short = 's', long)]
    pub no_messages: bool,

    /// No effect, because urlgrep always works so. People type it from habit.
    #[arg(short = 'o', long, action = ArgAction::SetTrue, hide = true)]
    pub only_matching: bool,

    /// No effect, as `only_matching`.
    #[arg(
        short = 'r',
        long,
        short_aliases = ['R', 'E', 'a', 'z', 'N'],
        aliases = ["text", "hidden", "no-ignore", "search-zip", "no-heading"],
        action = ArgAction::SetTrue,
        hide = true
    )]
    pub recursive: bool,
}

/// Work that is no search of paths.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Not searches")]
pub struct OtherArgs {
    /// Judge each line as one URL: `valid`, tab, URL; `invalid`, tab, URL, tab, reason
    ///
    /// Exit status 1 if any URL is refused. A blank line stays blank. In the URL, characters are escaped as in
    /// --format.
    #[arg(long, group = "mode")]
    pub check: bool,

    /// Check the records of `--json` in the paths against the files that they
    /// name
    #[arg(long, group = "mode")]
    pub verify: bool,

    /// Answer each request on standard input at once; see docs/recipes.md
    ///
    /// A request is a file name and a line feed. With --batch=netstring it is a
    /// message: its length, a colon, its bytes, a comma. The answer is its hits
    /// and an empty line. With --json it ends with a row of the type `end`
    /// instead. In the values of --csv and --tsv, control and other hidden
    /// characters are escaped as in --format, so that no value contains an empty
    /// line.
    #[arg(long, value_name = "FRAMING", value_enum, num_args = 0..=1, require_equals = true,
          default_missing_value = "lines")]
    pub batch: Option<BatchArg>,

    /// Print the manual page, or completions for a shell
    #[arg(long, value_name = "KIND", value_enum, exclusive = true)]
    pub generate: Option<GenerateArg>,
}

/// Options of the program itself.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "This program")]
pub struct OwnArgs {
    /// Print help; -h prints a summary
    #[arg(short = 'h', long, action = ArgAction::Help)]
    help: Option<bool>,

    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,

    /// Ignore the file of arguments that URLGREP_CONFIG_PATH names
    ///
    /// The file has one argument per line. They come before those of the
    /// command line. Blank lines and lines that begin with `#` are ignored.
    #[arg(long)]
    pub no_config: bool,
}

impl ModeArgs {
    /// True if an option asks for rows with the columns of `--fields`.
    pub fn has_columns(&self) -> bool {
        self.csv.is_some() || self.tsv || self.json
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        crate::cli::conflicts::apply(Args::command()).debug_assert();
    }
}
