//! Mistakes that people make, and the line that each gets.

use super::kit::Dir;

/// Arguments, and the message after `urlgrep: `. Only its end is given after `…`.
#[rustfmt::skip]
const MISTAKES: &[(&str, &str)] = &[
    ("--before 1999 a", "--before: use --until DATE"),
    ("--cc bob a", "--cc: --to PATTERN searches To, Cc and Bcc; the field cc has Cc alone: --json --fields cc,url"),
    ("--not-from bob a", "--not-from: use --exclude-from PATTERN"),
    ("--before 1999 a", "--before: use --until DATE"),
    ("--after 1998 a", "--after: use --since DATE"),
    ("--include *.eml a", "--include: use -g GLOB, or -g '!GLOB'"),
    ("--exclude *.eml a", "--exclude: use -g '!GLOB' for files, --exclude-host GLOB for URLs"),
    ("--output x a", "--output: redirect the output, as in >FILE"),
    ("--domain a.example a", "--domain: use --host GLOB; a plain name includes its subdomains"),
    ("--domains a", "--domains: use --tally=domain, or --tally=host"),
    ("--count-matches a", "--count-matches: use -c"),
    ("-uu a", "-uu: hidden files and those that ignore files name are searched anyway; -u prints each URL once"),
    ("--sort-files a", "--sort-files: use --sort path, the default"),
    ("--extension eml a", "--extension: use -g GLOB, such as -g '*.eml'"),
    ("-k2 a", "-k2: use sort(1) for columns, as in `urlgrep --tsv | sort -k2`; --sort ORDER sorts hits"),
    ("--format csv a", "--format: `csv` has no field; use --csv, or --csv=excel"),
    ("--format bookmarks a", "--format: `bookmarks` has no field; \"Bookmarks\" in docs/recipes.md has the commands"),
    ("--format markdown a", "--format: `markdown` has no field; a template is such as '* <{url}> {subject}'"),
    ("--profile 3986 a", "…; RFC 3986 is --profile current"),
    ("--profile strict a", "…; RFC 3986 is --profile current"),
    ("--csv links.csv a", "links.csv: no such file; --csv takes no file: redirect the output, as in >links.csv"),
    ("--json links.jsonl a", "links.jsonl: no such file; --json takes no file: redirect the output, as in >links.jsonl"),
    ("--attachment a", "--attachment: use --role attachment, which prints only links in attachments; --fields file_name,url says in which"),
    ("--attachments a", "--attachments: leave it out; attachments are opened, and --role attachment prints only their links"),
    ("--has-attachment a", "--has-attachment: use --role attachment, which prints only links in attachments; --fields file_name,url says in which"),
    ("--top-domains a", "--top-domains: use --tally=domain, as in --tally=domain | head"),
    ("--frequency a", "--frequency: use --tally for URLs, --tally=domain for domains, --tally=FIELDS for a table"),
    ("--count-by host a", "--count-by: use --tally=FIELDS, such as --tally=domain or --tally=from"),
    ("--range 1-9 a", "--range: use --start-at BYTE and --end-at BYTE, for dates --since DATE and --until DATE"),
    ("--lint a", "--lint: use --rejects for what looks like a URL and is none, --cautions for links that deceive, --check for a list of URLs"),
    ("--no-recursive a", "--no-recursive: use --max-depth 1, which searches only the files of the folder itself"),
    ("--hrefs a", "--hrefs: use --form link, which is what attributes of HTML contain"),
    ("--urls-only a", "--urls-only: leave it out; only URLs are printed, one a line"),
    ("--online a", "--online: nothing is fetched; \"lychee\" in docs/recipes.md checks links"),
    ("--anchor a", "--anchor: no field has the text of a link, except text, where it is the URL of another host; --cautions=text-differs prints these"),
    ("--from-domain a.example a", "--from-domain: use --from @DOMAIN, such as --from @example.org"),
    ("--since -7d a", "--since -7d: an age has no sign; use --since 7d"),
    ("--until -2weeks a", "--until -2weeks: an age has no sign; use --until 2weeks"),
    ("--headers List-Unsubscribe a", "…; use --role header, which prints only what header fields contain; --fields subject,url prints a field"),
    ("x.(b|c) a", "x.(b|c): no such file, so nothing was searched; a pattern is `-e 'x.(b|c)'`, a host `--host 'x.(b|c)'`, a path `'./x.(b|c)'`"),
    ("--batch --format {url}\\0", "--format: with --batch a TEMPLATE cannot end in `\\0`, because an answer has lines"),
    ("--host b.example|c.example a", "--host b.example|c.example: commas separate a list: --host b.example,c.example"),
    ("--host *.b.example,-x.b.example a", "--host -x.b.example: use --exclude-host x.b.example"),
    ("--scheme http* a", "--scheme http*: this is not a valid scheme, and no pattern; commas separate a list, such as http,https"),
    ("--since Monday a", "…or `2 weeks`; use the date of the day, or an age such as `3 days`"),
    ("--since 31/12/2025 a", "…or `2 weeks`; use --since 2025-12-31"),
    ("--until 26.11.2026 a", "…or `2 weeks`; use --until 2026-11-26"),
    ("--since 05/06/2025 a", "…or `2 weeks`; the year is first, as in 2025-01-31"),
    ("--since 2025-02-30 a", "…or `2 weeks`; this month has no such day"),
    ("--since @1700000000 a", "…or `2 weeks`; as seconds since 1970 this is --since 2023-11-14"),
    ("--since this-week a", "…or `2 weeks`; use an age, such as `1 week`, or a day, a month or a year"),
    ("--since 2025-01-01..2025-02-01 a", "…or `2 weeks`; use --since 2025-01-01 --until 2025-02-01, which is not included"),
    ("--fields {url} a", "--fields: no field `{url}`; only a template has braces: url"),
    ("--format {date|%Y} a", "--format: no field `date|%Y`; a field has no format; year, month, day and timestamp are forms of date"),
    ("--format url,date a", "--format: `url,date` has no field; use --fields url,date, or braces around each field: {url}"),
    ("--tally=domain,count a", "--tally=count: the number is the first column anyway; leave it out"),
    ("--tally=host;year a", "--tally=host;year: commas separate fields: --tally=host,year"),
    ("--tally=email a", "--tally=email: no such field; use from; the fields are url, host, domain, scheme, year, month, day, from, to, cc, subject, group, role, file_name, path, folder, and a number after folder"),
    ("--sort from a", "…; use --tsv --fields with sort(1), as in `urlgrep --tsv --fields from,url | sort`"),
    ("--csv=utf8 a", "…; use --csv, which is UTF-8; --csv=excel marks it for a spreadsheet"),
    ("--csv --no-headers a", "--no-headers: tail -n +2 leaves out the first row of a table"),
    ("--unique=canonical a", "…; leave the value out; -u compares the canonical form"),
    ("--role list a", "…; use --role footer for the footers of lists, --headers list for their header fields"),
    ("--as text/html a", "…; use --as html"),
    ("--as .eml a", "…; use --as message"),
    ("--generate completions", "…; use --generate complete-bash, complete-zsh, complete-fish or complete-powershell"),
    ("--usage", "--usage: use --help, or -h for a summary"),
    ("a,a", "a,a: No such file or directory (blanks separate paths, not commas)"),
    ("a:1", "a:1: No such file or directory (a path has no line; the whole file is searched, and -n prints lines)"),
    ("a!b", "a!b: No such file or directory (an archive is searched as a whole; -H prints its members)"),
    ("--clean https://b.example/?utm_source=x", "https://b.example/?utm_source=x: no such file, so nothing was searched; a pattern is `-e 'https://b.example/?utm_source=x'`, a host `--host b.example`, a path `'./https://b.example/?utm_source=x'`, and a URL itself `echo 'https://b.example/?utm_source=x' | urlgrep --clean`"),
    ("--tag a", "--tag: labels are not read, nor the elements of HTML; notmuch can select messages, and --form link prints what attributes contain"),
    ("--check -u a", "the argument '--check' cannot be used with '--unique'; run the lines through `sort -u` first"),
    ("--check --json a", "the argument '--check' cannot be used with '--json'; its lines have columns with tabs between them, which cut(1) and awk(1) read"),
    ("--title x a", "--title needs --report; the title of a message is --subject PATTERN"),
    #[cfg(unix)]
    ("--pre nosuchprogram a", "--pre: no program `nosuchprogram`"),
    ("--defang a", "--defang: URLs are printed as they are; `sed 's/^http/hxxp/; s/[.]/[.]/g'` masks them; --refang reads masked ones"),
    ("--html a", "--html: use --as html to read it, --report FILE to write it"),
    ("-t x a", "-t: use -g GLOB for names of files, --scheme NAME for URLs"),
    ("-P a", "-P: use -e PATTERN; its syntax is that of Rust's regex, without look-around and backreferences"),
    ("-U a", "-U: leave it out; URLs are joined over lines, unless --no-join is given"),
    ("--author ann a", "--author: use --from PATTERN"),
    ("--list x a", "--list: leave it out to list URLs; --group GLOB is for newsgroups and mailing lists"),
    ("--exclude-host x.example, a", "--exclude-host: a host is missing; is there a comma too many?"),
    ("--scheme http, a", "--scheme: a scheme is missing; is there a comma too many?"),
    ("--group x, a", "--group: a group is missing; is there a comma too many?"),
    ("--uniq a", "--uniq: use -u"),
    ("--new a", "--new: use --start-at BYTE for what was added to a file, as in \"Every night\" of docs/recipes.md, --ledger FILE for folders; --authored for what authors wrote"),
    ("--ledger l --new a", "--new: leave it out; with --ledger only new links are printed"),
    ("--exclude-from ./a a", "--exclude-from ./a: this is a file, and PATTERN is a part of a sender; \"Two archives\" in docs/recipes.md compares files"),
    ("--first-seen a", "--first-seen: use --ledger FILE with --sort first-seen"),
    ("--no-header --tsv a", "--no-header: tail -n +2 leaves out the first row of a table; --headers none leaves out the fields of messages"),
    ("--label x a", "--label: the name of standard input is <stdin>; labels of messages are not read"),
    ("--surt a", "--surt: use --fields surt"),
    ("--message-ID x a", "--message-ID: use --message-id ID"),
    ("--contains x a", "--contains: messages are not searched for words; use --subject or --from, or -e for URLs"),
    ("--diff a", "--diff: \"Two archives\" in docs/recipes.md has the commands"),
    ("--phishing a", "--phishing: use --cautions; with --csv the rows also have sender and subject"),
    ("--tally=author a", "--tally=author: no such field; use from; the fields are url, host, domain, scheme, year, month, day, from, to, cc, subject, group, role, file_name, path, folder, and a number after folder"),
    ("--tally=from_address a", "--tally=from_address: no such field; use from; the fields are url, host, domain, scheme, year, month, day, from, to, cc, subject, group, role, file_name, path, folder, and a number after folder"),
    ("--new-only a", "--new-only: use --authored"),
    ("--limit 3 a", "--limit: use -m NUM, or head(1)"),
    ("--jobs 2 a", "--jobs: use -j NUM"),
    ("--columns url a", "--columns: use --fields FIELDS"),
    ("--jsonl a", "--jsonl: use --json, which prints one object a line"),
    ("--excel a", "--excel: use --csv=excel"),
    ("--db x a", "--db: use --ledger FILE, if the build has it; for another database, --csv or --json"),
    ("--verbose a", "--verbose: use --explain, --notes or --stats"),
    ("--validate a", "--validate: use --check, which reads URLs from files and standard input, one a line"),
    ("--mbox a", "--mbox: leave it out; the format is detected, or use --as KIND"),
    ("--hots a.example a", "--hots: no such option; did you mean --host?"),
    ("--jsn a", "--jsn: no such option; did you mean --json?"),
    ("--zzz a", "--zzz: no such option; --help lists all options"),
    ("--profile rfc3986 a", "invalid value 'rfc3986' for '--profile <NAME>' [possible values: url-00, url-03, www-uri-00, url-06, rfc1738, current, iri, whatwg]; RFC 3986 is --profile current"),
    ("--profile rfc9999 a", "invalid value 'rfc9999' for '--profile <NAME>' [possible values: url-00, url-03, www-uri-00, url-06, rfc1738, current, iri, whatwg]"),
    ("--sort name a", "…; use --sort path, the default"),
    ("--sort year a", "…; use --tally=year; years are in their order"),
    ("--color yes a", "invalid value 'yes' for '--color <WHEN>' [possible values: auto, always, never]; use --color always"),
    ("--as eml a", "invalid value 'eml' for '--as <KIND>' [possible values: auto, text, mbox, message, rnews, html, json, csv]; use --as message"),
    ("--as pst a", "invalid value 'pst' for '--as <KIND>' [possible values: auto, text, mbox, message, rnews, html, json, csv]"),
    ("--role sig a", "invalid value 'sig' for '--role <ROLE>' [possible values: body, quoted, signature, footer, header, attachment]; use --role signature"),
    ("--role subject a", "invalid value 'subject' for '--role <ROLE>' [possible values: body, quoted, signature, footer, header, attachment]; use --role header"),
    ("--role html-link a", "invalid value 'html-link' for '--role <ROLE>' [possible values: body, quoted, signature, footer, header, attachment]; use --form link"),
    ("--form angle a", "invalid value 'angle' for '--form <FORM>' [possible values: wrapped, bracketed, quoted, prefixed, bare, link, suffix, namespace]; use --form bracketed"),
    ("--from Ann Reed a", "Reed: no such file; did you mean --from 'Ann Reed'?"),
    ("--subject Big News today a", "News: no such file; did you mean --subject 'Big News today'?"),
    ("--since someday a", "--since: `someday` is not a date such as 1996, 1996-01, 1996-01-31, yesterday or `2 weeks`"),
    ("--since 1999 --until 1998 a", "--since must be earlier than --until; the year 1998 is `--since 1998 --until 1999`"),
    ("--host https://a.example/ a", "--host https://a.example/: a host has no `/`; use --host a.example"),
    ("--host !a.example a", "--host !a.example: use --exclude-host a.example"),
    ("--host /x/ a", "--host /x/: a host has no `/`"),
    ("--host example$ a", "--host example$: a host is a glob such as `*.example.org`, not a regular expression"),
    ("--host a.example:80 a", "--host a.example:80: a host has no port; use --host a.example, or -e"),
    ("--scheme htp a", "--scheme htp: no such URL was found; did you mean http?"),
    ("--tally host a", "host: no such file; the fields of a tally follow `=`: --tally=host"),
    ("--tally=hosts a", "--tally=hosts: no such field; the fields are url, host, domain, scheme, year, month, day, from, to, cc, subject, group, role, file_name, path, folder, and a number after folder"),
    ("--fields url -n a", "--fields cannot be used with -n; add line, offset, column or path to --fields"),
    ("--tally=host --csv --fields url a", "--fields cannot be used with --tally; the columns are those of --tally=FIELDS"),
    ("--csv --fields urll a", "--fields: no field `urll`; did you mean url?"),
    ("--csv --fields nothing a", "--fields: no field `nothing`; --help lists the fields"),
    ("--format %u a", "--format: `%u` has no field; a field is in braces: {url}"),
    ("--format url a", "--format: `url` has no field; a field is in braces: {url}"),
    ("--format {URL} a", "--format: no field `URL`; did you mean url?"),
    ("--csv --fields url date a", "date: no such file; commas separate a list: --fields url,date"),
    ("--pre *.pdf a", "--pre \"*.pdf\": a command is missing, as in '*.pdf=pdftotext - -'"),
    ("-vimgrep a", "-vimgrep: use --vimgrep"),
    ("a -name x", "-name: use -g GLOB, or -g '!GLOB'"),
    ("-5 a", "-5: use -C NUM, or -m NUM"),
    ("--no-color a", "--no-color: use --color never"),
    ("--print0 a", "--print0: use --format '{url}\\0' for URLs, --null for paths, --files0-from FILE for lists of files"),
    ("--stdin", "--stdin: leave it out; without a path, standard input is read"),
    ("--sort-by date a", "--sort-by: use --sort ORDER"),
    ("--dedupe a", "--dedupe: use -u"),
    ("--unshorten a", "--unshorten: no link is opened; --unwrap shows the targets that links contain"),
    #[cfg(unix)]
    ("--pre /no/such/program a", "--pre: no program `/no/such/program`"),
    ("--pdf a", "--pdf: use --pre '*.pdf=COMMAND'; docs/recipes.md has a command"),
    ("--tld org a", "--tld: use --host '*.TLD'"),
    ("--sort host a", "…; use --tally=host, --tally=url or sort(1)"),
    ("--role from a", "…; use --role header"),
    ("--format {urll} a", "--format: no field `urll`; did you mean url?"),
    ("--format {url a", "--format: byte 0: an unmatched brace; write {{ or }} for a brace"),
    ("-A a a", "invalid value 'a' for '--after-context <NUM>': expected a number"),
    ("-m x a", "invalid value 'x' for '--max-count <NUM>': expected a number"),
    ("-j x a", "invalid value 'x' for '--threads <NUM>': expected a number"),
    ("--max-window big a", "invalid value 'big' for '--max-window <BYTES>': expected a whole number, then K, M, G or T"),
    ("--max-window 1.5G a", "invalid value '1.5G' for '--max-window <BYTES>': expected a whole number, then K, M, G or T"),
    ("-f . a", ".: -f reads patterns from a file; a folder is searched without an option"),
    ("help host", "help: no such file, so nothing was searched; help is `urlgrep --help`"),
    ("--json --csv a", "the argument '--json' cannot be used with '--csv[=<READER>]'; one form of output at a time; leave out one of the two"),
    ("-w a", "-w needs -e, -f, --from, --to, --subject, --exclude-from, --exclude-to or --exclude-subject"),
    ("-v a", "-v needs -e, -f, --scheme, --exclude-scheme, --host or --exclude-host"),
    ("--batch a", "a: --batch reads no paths, but requests on standard input; the framing follows `=`: --batch=netstring"),
    ("--sort date --tally a", "--sort date cannot be used with --tally; its rows are sorted by --sort count or --sort value"),
    ("--sort value a", "--sort value needs --tally"),
    ("--format {count} -u a", "the field count needs --ledger; without one, --tally counts each URL, and --sort date -u prints its first occurrence"),
    ("--fields url,first_seen a", "the field first_seen needs --ledger; without one, --tally counts each URL, and --sort date -u prints its first occurrence"),
    ("--corroborate a", "--corroborate needs --ledger"),
    ("-u --tally a", "-u: a tally has one row for each URL anyway; `-u --tally=host` counts the URLs of each host"),
    ("--no-decode --from ann a", "the argument '--no-decode' cannot be used with '--from <PATTERN>'"),
    ("--host", "a value is required for '--host <GLOB>' but none was supplied"),
    ("--line a", "--line: use -C 0, which prints the line of each hit"),
    ("--labels work a", "--labels: labels are not read; notmuch can select messages, and docs/recipes.md has its commands"),
    ("--no-headers a", "--no-headers: use --headers none"),
    ("--no-headers a", "--no-headers: use --headers none"),
    ("--no-mailto a", "--no-mailto: use --exclude-scheme mailto"),
    ("--body-only a", "--body-only: use --role body"),
    ("--exclude-role footer a", "--exclude-role: use --role with all roles but this, such as --role body,quoted"),
    ("--open a", "--open: nothing is opened; \"fzf\" in docs/recipes.md opens the link that you choose"),
    ("--check-links a", "--check-links: nothing is fetched; \"lychee\" in docs/recipes.md checks links"),
    ("--normalize a", "--normalize: use --clean for URLs without tracking, or --format '{canonical}'"),
    ("--canonical a", "--canonical: use --clean for URLs without tracking, or --format '{canonical}'"),
    ("--fields bcc,url a", "--fields: no field `bcc`; use to, which is To, Cc and Bcc"),
    ("--fields sender,url a", "--fields: no field `sender`; use from, from_address or from_name"),
    ("--format {title} a", "--format: no field `title`; use subject"),
    ("--format {date:%Y} a", "--format: no field `date:%Y`; a field has no format; year, month, day and timestamp are forms of date"),
    ("--json=pretty a", "…; a line has one object; `jq .` prints it over several lines"),
    ("--between 1998 a", "--between: use --since DATE and --until DATE"),
    ("--reverse a", "--reverse: use tac(1), as in --sort date --since 1970 | tac, without undated messages"),
    ("--sort -date a", "-date: use --sort date, and for the newest first --sort date --since 1970 | tac, without undated messages"),
    ("--sort newest a", "…; use --sort date, and for the newest first --sort date --since 1970 | tac, without undated messages"),
    ("--role reply a", "…; use --role quoted"),
    ("--role all a", "…; leave it out; the hits of all roles are printed"),
    ("--headers yes a", "…; use --headers all, or leave it out for the fields that people write"),
    ("--headers subject a", "…; use --role header, which prints only what header fields contain; --fields subject,url prints a field"),
    ("--csv=semicolon a", "…; use --csv, whose columns have commas between them, or --tsv"),
    ("--cc-only bob a", "--cc-only: --to PATTERN searches To, Cc and Bcc; the field cc has Cc alone: --json --fields cc,url"),
    ("--subject= a", "--subject: PATTERN is empty, so it would match every message"),
    ("--to 1999 a", "--to 1999: this is a recipient; the end of a time is --until 1999"),
    ("--to 1999-01-31 a", "--to 1999-01-31: this is a recipient; the end of a time is --until 1999-01-31"),
    ("--from *@a.example a", "--from *@a.example: a pattern is a regular expression, so leave out the first `*`"),
    ("-e *.pdf a", "pattern *.pdf: a pattern is a regular expression, so leave out the first `*`"),
    ("--host ann@a.example a", "--host ann@a.example: a host has no user; use --host a.example"),
    ("--strip a", "--strip: use --clean, which removes parameters that only track"),
    ("--strip-tracking a", "--strip-tracking: use --clean, which removes parameters that only track"),
    ("--utm a", "--utm: use --clean, which removes parameters that only track"),
    ("--no-query a", "--no-query: use --clean, which removes parameters that only track"),
    ("--group-by host a", "--group-by: use --tally=FIELDS, such as --tally=domain or --tally=from"),
    ("--domain-only a", "--domain-only: use --format '{domain}', or --tally=domain"),
    ("--host-only a", "--host-only: use --format '{host}', or --tally=host"),
    ("--max-results 9 a", "--max-results: use -m NUM for each file, or head(1) for all"),
    ("--config x a", "--config: URLGREP_CONFIG_PATH names a file of arguments"),
    ("--first a", "--first: use -m 1, or head(1)"),
    ("--last a", "--last: use --since '7 days' for messages, or --sort date | tail for hits"),
    ("-O a", "-O: redirect the output, as in >FILE"),
    ("--replace x a", "--replace: use --format TEMPLATE, such as '<{url}>'"),
    ("--http a", "--http: use --scheme http,https"),
    ("--web a", "--web: use --scheme http,https"),
    ("--progress a", "--progress: leave it out; progress is drawn on a terminal, unless --no-progress is given"),
    ("--format {} a", "--format: the name of a field is missing; --help lists the fields"),
    ("-j -1 a", "-j -1: a number cannot be negative"),
    ("--max-depth -3 a", "--max-depth -3: a number cannot be negative"),
    ("--rejects=both a", "--rejects both needs --json"),
    ("-n --json --fields url a", "--fields cannot be used with -n; add line, offset, column or path to --fields"),
    ("-0 a", r"-0 needs -H, -l, --files-without-match, -c, -n, -b, --column or --vimgrep; for URLs before `xargs -0` use --format '{url}\0'"),
    ("--since 70m a", "--since: `70m` may be months or minutes; write `70 months` or `70 minutes`"),
    ("-clean a", "-clean: use --clean"),
    ("-from ann a", "-from: use --from"),
    ("-fields url a", "-fields: use --fields"),
    ("-format {url} a", "-format: use --format"),
    ("-tally=host a", "-tally: use --tally"),
    ("\u{2013}since 2020 a", "\u{2013}since: this is a dash, not a hyphen; use --since"),
    ("\u{2014}-host b.example a", "\u{2014}-host: this is a dash, not a hyphen; use --host"),
    ("\u{2013}u a", "\u{2013}u: this is a dash, not a hyphen; use -u"),
    ("--tally=host --top 10 a", "--top: use head(1), as in --tally=host | head"),
    ("--limit 10 --tally a", "--limit: use head(1), as in --tally=host | head"),
    ("--top 10 a", "--top: use -m NUM for each file, or head(1) for all"),
    ("--tally=host -m 10 a", "-m stops reading each file, so --tally would count only its first hits; for the first rows, use head(1)"),
    ("--thread x@a.example a", "--thread: use --message-id ID for one message, --subject PATTERN for a thread"),
    ("--port 8080 a", "--port: use -e '^[^/]*//[^/?#]*:8080([/?#]|$)'; --fields port,url prints ports"),
    ("--offset a", "--offset: use -b, which prints offsets; --start-at BYTE begins a search at one"),
    ("--man", "--man: use `urlgrep --generate man | man -l -`"),
    ("--completions", "--completions: use --generate complete-bash, complete-zsh, complete-fish or complete-powershell"),
    ("--output=json a", "--output: use --json"),
    ("--output=links.txt a", "--output: redirect the output, as in >FILE"),
    ("--output-file x a", "--output-file: redirect the output, as in >FILE"),
    ("--output-format json a", "--output-format: use --json, --csv, --tsv or --format TEMPLATE"),
    ("--type-add m:*.mbox a", "--type-add: use -g GLOB for names of files, --scheme NAME for URLs"),
    ("--exclude-message-id x a", "--exclude-message-id: no option leaves out one message; with --fields message_id,url each row names it, and grep -v leaves out rows"),
    ("--word ann a", "--word: use -w"),
    ("--lines a", "--lines: use -n for the numbers of lines, -C 0 for the lines of the hits"),
    ("--zip a", "--zip: leave it out; compressed files and archives are always searched"),
    ("--from ann AND --to bob a", "AND: no such file; leave it out; a hit must pass every filter"),
    ("--from ann AND bob a", "AND: no such file; leave it out; a hit must pass every filter"),
    ("--from ann and --to bob a", "and: no such file; leave it out; a hit must pass every filter"),
    ("--host a.example OR --host b.example a", "OR: no such file; an option that is given twice finds either value"),
    ("NOT --from ann a", "NOT: no such file; the opposite of --from is --exclude-from, and so on; -v inverts filters of URLs"),
    ("--subject cats and dogs a", "and: no such file; did you mean --subject 'cats and dogs'?"),
    ("--tally=from,to,cc a", "--tally: `to` has the recipients of Cc, too; leave out cc"),
    ("--tally=group,cc a", "--tally: a message has several values of each of to, cc and group; name one of them"),
    ("--json --pretty a", "--pretty: a line has one object; `jq .` prints it over several lines"),
    ("--pretty a", "--pretty: use --heading and -n"),
    ("--filename a.docx a", "--filename: use -g GLOB for files; attachments have no filter by name; --fields file_name,url prints it"),
    ("--content-type text/plain a", "--content-type: parts have no filter by type; --fields content_type,url prints it; --role and --form are filters of places"),
    ("--safelinks a", "--safelinks: use --unwrap"),
    ("--no-footer a", "--no-footer: use --authored"),
    ("--exclude-domain a.example a", "--exclude-domain: use --exclude-host GLOB"),
    ("--on 2020-01-01 a", "--on: use --since DATE and --until DATE"),
    ("-Z a", "-Z: use --format '{url}\\0' for URLs, --null for paths, --files0-from FILE for lists of files"),
    ("--bcc bob a", "--bcc: use --to PATTERN, which is To, Cc and Bcc; --tally=to counts recipients"),
    ("--tally=list a", "--tally=list: no such field; use group; the fields are url, host, domain, scheme, year, month, day, from, to, cc, subject, group, role, file_name, path, folder, and a number after folder"),
    ("b|c a", "b|c: no such file, so nothing was searched; a pattern is `-e 'b|c'`, a host `--host 'b|c'`, a path `'./b|c'`"),
    ("--csv date,url a", "date,url: no such file; columns and keys are chosen by --fields date,url"),
    ("--json url a", "url: no such file; columns and keys are chosen by --fields url"),
    ("--scheme http https a", "https: no such file; commas separate a list: --scheme http,https"),
    ("--role body quoted a", "quoted: no such file; commas separate a list: --role body,quoted"),
    ("--host b.example c.example.org a", "c.example.org: no such file; commas separate a list: --host b.example,c.example.org"),
    ("--fields date, url a", "url: no such file; commas separate a list: --fields date,url"),
    ("ann@example.org a", "ann@example.org: no such file, so nothing was searched; an author is `--from ann@example.org`, a recipient `--to ann@example.org`, a link to it `-e mailto:ann@example.org`"),
    ("*.mbox", "*.mbox: No such file or directory (a shell replaces `*` only outside of quotation marks; -g GLOB chooses files of a folder)"),
    ("Mail/*.mbox", "Mail/*.mbox: No such file or directory (a shell replaces `*` only outside of quotation marks; -g GLOB chooses files of a folder)"),
    ("--host @a.example a", "--host @a.example: a mail address has no host here; use -e @a.example, or --from for authors"),
    ("--format -{urll} a", "--format: no field `urll`; did you mean url?"),
    ("help", "help: No such file or directory (--help prints help)"),
    ("--oneline a", "--oneline: use --format TEMPLATE, such as '{date} {from} {url}'"),
    ("--pretty=format:%s a", "--pretty: use --format TEMPLATE, such as '{date} {from} {url}'"),
    ("--passthru a", "--passthru: use -C NUM, which prints the lines around each hit"),
    ("--trim a", "--trim: leave it out; no blanks are printed around a URL"),
    ("--total -c a", "--total: use -q --stats, or wc(1)"),
    ("--type-list", "--type-list: files are chosen by name with -g GLOB; the formats, which are detected, are in docs/reference.md"),
    ("--encoding latin1 a", "--encoding: a part of a message is read in the charset that it names; for plain text `iconv -f latin1 -t utf-8 FILE | urlgrep`"),
    ("--charset=latin1 a", "--charset: a part of a message is read in the charset that it names; for plain text `iconv -f latin1 -t utf-8 FILE | urlgrep`"),
    ("--null-data a", "--null-data: use --files0-from for paths that end in NUL, --format '{url}\\0' for output"),
    ("--ignore-file x a", "--ignore-file: use -g '!GLOB'; files of ignored names are searched"),
    ("--changed-within 2d a", "--changed-within: use `find … -print0 | urlgrep --files0-from -` for the times of files, --since DATE for those of messages"),
    ("-d 1 a", "-d: use --max-depth NUM"),
    ("-G -e x a", "-G: leave it out; every pattern is an extended regular expression"),
    ("--delimiter ; --csv a", "--delimiter: use --tsv, or --format '{date};{url}'"),
    ("--exclude-group comp.a a", "--exclude-group: no option leaves out groups; with --fields group,url each row names its group, and grep -v leaves out rows"),
    ("--recipients bob a", "--recipients: use --to PATTERN, which is To, Cc and Bcc; --tally=to counts recipients"),
    ("--after-date 1998 a", "--after-date: use --since DATE"),
    ("--mailbox a", "--mailbox: leave it out; the format is detected, or use --as KIND"),
    ("--reply-to bob a", "--reply-to: use --from PATTERN, which is From; Reply-To is not kept"),
    ("--summary a", "--summary: use --stats for totals, --tally for a table"),
    ("--no-header-row --csv a", "--no-header-row: tail -n +2 leaves out the first row of a table; --headers none leaves out the fields of messages"),
    ("--header subject a", "--header: use --role header, which prints only what header fields contain; --fields subject,url prints a field"),
    ("a -newer x", "-newer: use `find … -print0 | urlgrep --files0-from -` for the times of files, --since DATE for those of messages"),
    ("a -empty", "-empty: use `find … -print0 | urlgrep --files0-from -`"),
    ("a -exec echo", "-exec: no program is run; in `urlgrep -u --format '{url}\\0' | xargs -0 COMMAND` one is"),
    ("a -maxdepth 1", "-maxdepth: use --max-depth NUM"),
    ("a -print0", "-print0: use --format '{url}\\0' for output; `find … -print0 | urlgrep --files0-from -` reads the files"),
    ("a -path *.eml", "-path: use -g GLOB, or -g '!GLOB'"),
    ("a -size 3", "-size: use `find … -print0 | urlgrep --files0-from -`"),
    ("a -user ann", "-user: use `find … -print0 | urlgrep --files0-from -`"),
    ("a -mtime 2", "-mtime: use `find … -print0 | urlgrep --files0-from -` for the times of files, --since DATE for those of messages"),
    ("a -type f", "-type: leave it out; files are searched, and --follow reads links"),
    ("a -x echo", "-x needs -e or -f; a command for each URL is `urlgrep -u --format '{url}\\0' | xargs -0 -n1 COMMAND`"),
    ("from:marcus a", "from:marcus: no such file; use --from marcus"),
    ("~f ann", "~f: no such file; use --from ann"),
    ("date:2020..2021 a", "date:2020..2021: no such file; use --since 2020 --until 2021, which is not included"),
    ("date:2020 a", "date:2020: no such file; use --since 2020"),
    ("a since 2020", "since: no such file; use --since 2020"),
    ("a from ann", "from: no such file; use --from ann"),
    ("subject:x a", "subject:x: no such file; use --subject x"),
    ("a list:comp.a", "list:comp.a: no such file; use --group comp.a"),
    ("--csv excel a", "excel: no such file; the value follows `=`: --csv=excel"),
    ("--rejects both a", "both: no such file; the value follows `=`: --rejects=both"),
    ("--json pretty a", "pretty: no such file; a line has one object; `jq .` prints it over several lines"),
    ("--cautions text-differs a", "text-differs: no such file; the value follows `=`: --cautions=text-differs"),
    ("--unique=host a", "--unique=host: this option has no value; -u prints each URL once; --tally=host counts hosts"),
    ("--headers Subject a", "invalid value 'Subject' for '--headers <WHICH>' [possible values: none, written, list, all]; use --role header, which prints only what header fields contain; --fields subject,url prints a field"),
    ("--role signatures a", "invalid value 'signatures' for '--role <ROLE>' [possible values: body, quoted, signature, footer, header, attachment]; use --role signature"),
    ("--group comp.*,!comp.b a", "--group !comp.b: no option leaves out groups; with --fields group,url each row names its group, and grep -v leaves out rows"),
    ("--host !a.example a", "--host !a.example: use --exclude-host a.example"),
    ("--message-id https://lists.example/x@y/ a", "--message-id https://lists.example/x@y/: this is a URL; use --message-id x@y"),
    ("--message-id https://lists.example/1 a", "--message-id https://lists.example/1: this is a URL, and an ID is such as ann.1@b.example"),
    ("--rejects --host a.example a", "--rejects --host: a refused text has no host; use -e PATTERN"),
    ("--headers none --role header a", "--headers none leaves out what --role header prints; leave out one of the two"),
    ("-n --format {url} a", "the argument '--line-number' cannot be used with '--format <TEMPLATE>'; put {line}, {offset}, {column} or {path} into the TEMPLATE"),
    ("-H --fields url a", "--fields cannot be used with -H; add line, offset, column or path to --fields"),
    ("-n --csv a", "the argument '--line-number' cannot be used with '--csv[=<READER>]'; add line, offset, column or path to --fields"),
    ("-l --fields path a", "--fields cannot be used with -l; --tally=path --json or --csv counts the hits of each file, without the files that have none"),
    ("-c --json a", "the argument '--count' cannot be used with '--json'; --tally=path --json or --csv counts the hits of each file, without the files that have none"),
    ("--heading --format {url} a", "the argument '--heading' cannot be used with '--format <TEMPLATE>'; put {subject} or subject into the fields; sort(1) and uniq(1) group rows"),
    ("--tally=host --fields host a", "--fields cannot be used with --tally; the columns are those of --tally=FIELDS"),
    ("--tally=host --format {host} a", "the argument '--tally[=<FIELDS>]' cannot be used with '--format <TEMPLATE>'; --tally --json or --csv prints the rows for other programs"),
    ("--json -C2 a", "the argument '--json' cannot be used with '--context <NUM>'; the fields line and path say where the hit is; leave out one of the two"),
    ("--ledger l --unwrap a", "the argument '--ledger <FILE>' cannot be used with '--unwrap'; search the files with --unwrap, or run the URLs that the ledger prints through `urlgrep --unwrap`"),
    ("--ledger l --rejects", "the argument '--ledger <FILE>' cannot be used with '--rejects[=<WHICH>]'; a ledger has no refused text; search the files without --ledger"),
    ("--ledger l -C2", "the argument '--ledger <FILE>' cannot be used with '--context <NUM>'; a ledger has no lines; -H -n prints where they are, or search the files without --ledger"),
    ("--crlf a", "--crlf: leave it out; a line may end in CR LF"),
    ("--engine pcre2 a", "--engine: use -e PATTERN; its syntax is that of Rust's regex, without look-around and backreferences"),
    ("--max-filesize 1M a", "--max-filesize: use `find … -print0 | urlgrep --files0-from -`"),
    ("-y a", "-y: use -i"),
    ("--sort modified a", "…; `ls -t | urlgrep --files-from -` has the files in the order of ls(1)"),
    ("--relaxed a", "--relaxed: use --www, which finds hosts without a scheme"),
    ("-dump a", "-dump: leave it out; only URLs are printed, one a line"),
    ("-listonly a", "-listonly: leave it out; only URLs are printed, one a line"),
    ("--compact a", "--compact: leave it out; only URLs are printed, one a line"),
    ("--run x a", "--run: nothing is opened; \"fzf\" in docs/recipes.md opens the link that you choose"),
    ("--insecure a", "--insecure: nothing is fetched; `curl -s URL | urlgrep` searches a page"),
    ("--imap a", "--imap: no server is asked; name files and folders of mail"),
    ("--unread a", "--unread: flags of a maildir are in the names of its files: -g '*:2,*F*' is flagged, -g '!*:2,*S*' is not read"),
    ("--emails a", "--emails: use --scheme mailto; an address that is no URL is not found"),
    ("--text-only a", "--text-only: use --form bare,bracketed,wrapped,quoted,prefixed for text without links of HTML"),
    ("--show-subject a", "--show-subject: use --fields date,from,subject,url"),
    ("--sample 3 a", "--sample: use shuf(1), as in `urlgrep -u | shuf -n 10`"),
    ("--role author a", "…; use --role body, or --authored"),
    ("--role Body a", "…; did you mean body?"),
    ("--role qouted a", "…; did you mean quoted?"),
    ("--generate bash", "…; did you mean complete-bash?"),
    ("--form html a", "…; use --form link"),
    ("--as gz a", "…; leave it out; compressed files and archives are recognised"),
    ("--json=true a", "…; leave the value out; a line has one object"),
    ("--csv=, a", "…; use --csv, whose columns have commas between them, or --tsv"),
    ("--tally=date a", "--tally=date: no such field; use day; the fields are url, host, domain, scheme, year, month, day, from, to, cc, subject, group, role, file_name, path, folder, and a number after folder"),
    ("--fields all a", "--fields: no field `all`; use --json without --fields, which has nearly all"),
    ("maildir:/INBOX a", "maildir:/INBOX: no such file; name the folder as a path, such as ~/Mail"),
    ("tag:inbox a", "tag:inbox: no such file; labels are not read; notmuch can select messages, and docs/recipes.md has its commands"),
    ("file:///srv/a.mbox", "file:///srv/a.mbox: no such file, so nothing was searched; a file is named by its path, /srv/a.mbox"),
    ("https://b.example/m", "https://b.example/m: no such file, so nothing was searched; a pattern is `-e https://b.example/m`, a host `--host b.example`, a path `./https://b.example/m`, and nothing is fetched: `curl -s https://b.example/m | urlgrep`"),
    ("--count=host a", "--count=host: this option has no value; use --tally=FIELDS, such as --tally=host"),
    ("--stats=json a", "--stats=json: this option has no value; the totals are lines of text; --tally=path --json or --csv counts the hits of each file"),
    ("--stats-json a", "--stats-json: the totals are lines of text; --tally=path --json or --csv counts the hits of each file"),
    ("--unwrap=google a", "--unwrap=google: this option has no value; the links of all known gateways are read"),
    ("--clean=all a", "--clean=all: this option has no value; every parameter that only tracks is removed"),
    ("--clean=x a", "--clean=x: this option has no value"),
    ("--max-columns 80 a", "--max-columns: leave it out; a URL is printed as a whole, and cut(1) shortens lines, as in `urlgrep | cut -c1-80`"),
    ("-J a", "-J: use --json, which prints one object a line"),
    ("--format=cvs a", "--format: `cvs` has no field; did you mean --csv?"),
    ("--format jsno a", "--format: `jsno` has no field; did you mean --json?"),
    ("--fields  a", "--fields: the name of a field is missing; --help lists the fields"),
    ("--fields , --json a", "--fields: the name of a field is missing; --help lists the fields"),
    ("--message-id  a", "--message-id: ID is empty"),
    ("--message-id <> a", "--message-id: ID is empty"),
    ("--since", "a value is required for '--since <DATE>' but none was supplied; a DATE is such as 2020-01-31, 2020-01, 2020 or '2 weeks'"),
    ("a --fields", "a value is required for '--fields <FIELDS>' but none was supplied; FIELDS are such as date,from,url"),
    ("--since 2020 05 a", "05: no such file; use --since 2020-05"),
    ("--since 2020 05 31 a", "05: no such file; use --since 2020-05-31"),
    ("a --until May 2020", "2020: no such file; use --until 'May 2020'"),
    ("--since 2 weeks a", "weeks: no such file; use --since '2 weeks'"),
    ("--since May a", "…or `2 weeks`; the year is missing, as in `May 2020`"),
    ("--ledger l --pre cat a", "the argument '--ledger <FILE>' cannot be used with '--pre <COMMAND>'; convert the files first, and record the converted ones"),
    ("--host a.net, b.net a", "b.net: no such file; commas separate a list: --host a.net,b.net"),
    ("--tally=host, year a", "year: no such file; commas separate a list: --tally=host,year"),
    ("--csv=date,url a", "--csv=date,url: the fields of rows are chosen by --csv --fields date,url"),
    ("--json=url a", "--json=url: the fields of rows are chosen by --json --fields url"),
    ("-v --from ann a", "-v needs -e, -f, --scheme, --exclude-scheme, --host or --exclude-host; --exclude-from leaves out authors"),
    ("--scheme !http a", "--scheme !http: this is not a valid scheme; use --exclude-scheme http"),
];

/// As [`MISTAKES`], with options that need a ledger or a report.
#[cfg(all(feature = "ledger", feature = "report"))]
#[rustfmt::skip]
const MISTAKES_OF_ALL: &[(&str, &str)] = &[
    ("--ledger l --sort date", "--sort date cannot be used with --ledger; use --sort first-seen, or --fields date,url with sort(1)"),
    ("--ledger none/l.db a", "--ledger none/l.db: there is no folder none"),
    ("--ledger . a", "--ledger .: this is a folder"),
    ("--report a", "--report a: this file is not a page of urlgrep, so it is not replaced; FILE, such as report.html, comes before the paths"),
];
#[cfg(not(all(feature = "ledger", feature = "report")))]
const MISTAKES_OF_ALL: &[(&str, &str)] = &[];

#[test]
fn each_mistake_has_one_line() {
    let dir = Dir::with("a", "see http://a.example/1\n");
    assert!(MISTAKES.len() >= 60);
    for (args, message) in MISTAKES.iter().chain(MISTAKES_OF_ALL) {
        let out = dir.run(args.split(' '));
        let line = out.errors.strip_prefix("urlgrep: ").unwrap_or_default();
        let line = line.strip_suffix('\n').unwrap_or_default();
        let is_right = match message.strip_prefix('…') {
            Some(end) => line.ends_with(end) && !line.contains('\n'),
            None => line == *message,
        };
        assert!(
            is_right,
            "urlgrep {args}\n{}\nexpected: {message}",
            out.errors
        );
        assert_eq!((out.code, out.text().as_str()), (Some(2), ""), "{args}");
    }
}

#[test]
fn the_file_after_o_is_no_output() {
    let dir = Dir::with("a", "see http://a.example/1\n");
    let out = dir.run(["-o", "links.txt", "a"]);
    let hint = "(-o has no effect and takes no file; redirect the output, as in >FILE)";
    assert!(out.errors.contains(hint), "{}", out.errors);
}

/// Options of other programs for what urlgrep always does.
#[test]
fn habits_have_no_effect() {
    let dir = Dir::with("in/.a", "see http://a.example/1\n");
    let expected = dir.run(["in"]).text();
    for habit in [
        "-o",
        "-r",
        "-R",
        "-E",
        "-a",
        "-z",
        "-N",
        "-rEa",
        "--recursive",
        "--text",
        "--hidden",
        "--no-ignore",
        "--search-zip",
        "--no-heading",
        "--colour",
        "--colour=never",
    ] {
        dir.run([habit, "in"]).is(&expected);
    }
    dir.run(["--colour", "never", "in"]).is(&expected);
    // As in grep, what is printed of a file needs no place.
    dir.run(["-ln", "in"]).is("in/.a\n");
    dir.run(["-nc", "in/.a"]).is("1\n");
    dir.run(["-c", "-l", "in"]).is("in/.a\n");
    dir.run(["-lc", "in"]).is("in/.a\n");
    let json = dir.run(["--json", "in"]).text();
    dir.run(["-Hnb", "--column", "--json", "in"]).is(&json);
}

/// Words with a blank in them, and values that begin with a hyphen.
#[test]
fn values_as_people_quote_them() {
    let dir = Dir::with("a", "see http://a.example/1\n");
    dir.run(["--fields", "date url", "a"]).ends(
        2,
        "",
        "urlgrep: --fields: no field `date url`; commas separate fields: date,url\n",
    );
    dir.run(["--format", "- [{line}]({url})", "a"])
        .is("- [1](http://a.example/1)\n");
    // A pattern may be the name of an option.
    dir.run(["-e", "-clean", "a"]).is_none();
    dir.run(["-ve", "-from", "a"]).is("http://a.example/1\n");
    dir.run(["--", "-clean"]).ends(
        2,
        "",
        "urlgrep: -clean: No such file or directory (a pattern goes after -e, a host after --host)\n",
    );
    dir.run(["--since", "5 May", "a"])
        .fails("or `2 weeks`; the year is missing, as in `5 May 2020`\n");
    // A path that begins with a hyphen.
    dir.write("-dash.eml", "http://d.example/\n");
    dir.run(["-dash.eml"]).ends(
        2,
        "",
        "urlgrep: -dash.eml: a path that begins with a hyphen is ./-dash.eml, or it follows `--`\n",
    );
    dir.run(["--", "-dash.eml"]).is("http://d.example/\n");
    dir.run(["-dish.eml"]).fails("-d: use --max-depth NUM\n");
    // A file with such a name is searched.
    dir.write("\u{2013}u", "http://b.example/\n");
    dir.write("url", "http://c.example/\n");
    dir.run(["\u{2013}u"]).is("http://b.example/\n");
    dir.run(["--json", "--fields", "url", "url"])
        .is("{\"url\":\"http://c.example/\"}\n");
}

/// Values that are read as something else and find nothing, and their negatives.
#[test]
fn what_was_meant_is_said_after_an_empty_result() {
    let mail = "From: ann@a.example\nTo: bob@b.example\nSubject: x\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n\nhttp://a.example/\n";
    let dir = Dir::with("in/a.eml", mail);
    let me = "urlgrep: warning: --to me is a part of a name or an address; who you are is not known, so give your address\n";
    dir.run(["--to", "me", "in"]).ends(1, "", me);
    let kind = "urlgrep: warning: -e eml matches URLs; for files of this name, use -g '*.eml'\n";
    dir.run(["-e", "eml", "in"]).ends(1, "", kind);
    let glob = "urlgrep: warning: -e 'http://*.org' is a regular expression, in which `*` repeats the character before it; any text is `.*`, and --host has globs\n";
    dir.run(["-e", "http://*.org", "in"]).ends(1, "", glob);
    let name =
        "urlgrep: warning: -g 'in' is for names of files in a folder; to search in, leave out -g\n";
    dir.run(["-g", "in"]).ends(1, "", name);
    let folder = "urlgrep: in: this is a folder; without --files-from its files are searched\n";
    dir.run(["--files-from", "in"]).ends(2, "", folder);
    for silent in [["--to", "meg"], ["-e", "email"], ["-e", "http://.*[.]org"]] {
        dir.run([silent[0], silent[1], "in"]).ends(1, "", "");
    }
    let found = ["--from", "me", "in"];
    dir.write("in/b.eml", mail.replace("ann@", "james@"));
    dir.run(found).is("http://a.example/\n");
}

#[test]
fn an_empty_result_is_explained() {
    let dir = Dir::with(
        "bad",
        "http://a..example/ http://under_score.example.org/^\n",
    );
    let refused =
        "urlgrep: 2 texts like URLs were refused; --rejects prints them, with the reasons\n";
    dir.run(["bad"]).ends(1, "", refused);
    dir.run(["-c", "bad"]).ends(1, "", refused);
    // The filters choose among refused texts, too.
    dir.run(["-e", "score", "bad"]).ends(
        1,
        "",
        "urlgrep: 1 text like a URL was refused; --rejects prints it, with the reason\n",
    );
    for silent in ["--no-messages", "-q"] {
        dir.run([silent, "bad"]).is_none();
    }
    let refused = "urlgrep: 1 text like a URL was refused; --rejects prints it, with the reason\n";
    let hint = "urlgrep: --refang reads defanged URLs such as hxxp://a[.]example\n";
    for text in [
        "hxxp://a[.]example/b",
        "http://a(.)example/",
        "https://a{.}example/",
        "http://a[dot]example/",
        "HXXPS://a[DOT]example/",
        "http://ann[at]a.example/",
    ] {
        dir.pipe(["-"], text.as_bytes())
            .ends(1, "", &format!("{hint}{refused}"));
        assert_eq!(dir.pipe(["--refang", "-"], text.as_bytes()).code, Some(0));
    }
    // A scheme alone makes a hit.
    let hit = "hxxp://a.example/b\n";
    dir.pipe(["-"], hit.as_bytes()).ends(0, hit, hint);
    let both = format!("{hit}http://b.example/\n");
    dir.pipe(["-"], both.as_bytes()).ends(0, &both, "");
    dir.pipe(["-q", "-"], hit.as_bytes()).ends(0, "", "");
    for text in ["http://a[1]example/b", "http://a.(example)..b/"] {
        dir.pipe(["-"], text.as_bytes()).ends(1, "", refused);
    }
    dir.write("good", "http://a.example/ http://a..example/\n");
    dir.run(["good"]).is("http://a.example/\n");
    let stats = dir.run(["--stats", "good", "bad"]).errors;
    assert!(
        stats.contains("\n3 refused texts (--rejects prints them)\n"),
        "{stats}"
    );
    // The name of a file is not a pattern.
    let hint = "urlgrep: warning: `good` was read as a pattern, and no path was named; paths \
                follow the pattern\n";
    dir.pipe(["-e", "good"], b"http://a.example/\n")
        .ends(1, "", hint);
    dir.run(["--scheme", "www", "good"]).ends(
        2,
        "",
        "urlgrep: --scheme www: no such URL was found; did you mean --www?\n",
    );
    dir.run(["~/good"]).ends(
        2,
        "",
        "urlgrep: ~/good: No such file or directory (a shell replaces `~` only outside of \
         quotation marks)\n",
    );
    // A list of files is not searched for URLs.
    let hint = "urlgrep: warning: names of files were searched, not the files; `--files-from -` \
                reads the files that standard input names, `--files0-from -` after `find -print0`\n";
    dir.pipe(["-"], b"good\nbad\n").ends(1, "", hint);
    dir.pipe(&[] as &[&str], b"./good\0./bad\0")
        .ends(1, "", hint);
    dir.pipe(["-"], b"no file\nbad\n").is_none();
    let list = dir.pipe(["--files-from", "-"], b"good\0bad\0");
    let error =
        "urlgrep: <stdin>: the list has a NUL byte; --files0-from reads paths that end in one\n";
    assert_eq!((list.code, list.errors.as_str()), (Some(2), error));
}

/// A run that searched no file, or whose filters nothing can pass, says so.
#[test]
fn a_run_without_a_word() {
    let dir = Dir::new();
    dir.write("in/a.eml", "From: Ann <ann@b.example>\nTo: bob@b.example\nDate: Mon, 5 Jan 2099 10:00:00 +0000\nMessage-ID: <1@b.example>\n\nhttp://a.example/1\n");
    dir.write("in/MAIL/new/1", "http://a.example/2\n");
    for (args, why) in [
        (
            "-g *.mbx in",
            "no file matches `-g '*.mbx'`, so none was searched",
        ),
        (
            "-g */new/* in/MAIL",
            "no file matches `-g '*/new/*'`, so none was searched; a glob with `/` is compared \
             with the path below PATH, and `**/` is any",
        ),
        (
            "--max-depth 0 in",
            "--max-depth 0 enters no folder; 1 searches the files in it",
        ),
        (
            "--scheme mail in",
            "no URL has the scheme `mail`; did you mean mailto?",
        ),
        ("--scheme zzz in", "no URL has the scheme `zzz`"),
        (
            "--since 2098 in",
            "--since is in the future; a message with a later date counts as one without a date, \
             because a clock was wrong",
        ),
        (
            "--message-id 2@b.example in",
            "none of 1 message has the Message-ID 2@b.example and a URL",
        ),
        (
            "--message-id 1@b.example --from zoe in",
            "none of 1 message has the Message-ID 1@b.example and a URL, and is what the other \
             filters want",
        ),
        (
            "--to [\"ann@b.example\"] in",
            "--to '[\"ann@b.example\"]' is a regular expression, in which brackets are a class of \
             letters; for an address use --to ann@b.example",
        ),
    ] {
        let message = format!("urlgrep: warning: {why}\n");
        dir.run(args.split(' ')).ends(1, "", &message);
        dir.run(["-s"].into_iter().chain(args.split(' '))).is_none();
    }
    // The message is there; another filter leaves out its URLs.
    dir.run(["--message-id", "1@b.example", "--host", "b.example", "in"])
        .ends(1, "", "");
    dir.run(["-g", "*.eml *.mbox", "in"]).ends(
        1,
        "",
        "so none was searched; give -g once for each: -g '*.eml' -g '*.mbox'\n",
    );
    dir.run(["-g", "**/new/**", "in/MAIL"])
        .is("http://a.example/2\n");
    #[cfg(unix)]
    {
        dir.write("links/x", "");
        std::fs::remove_file(dir.path().join("links/x")).unwrap();
        std::os::unix::fs::symlink("../in", dir.path().join("links/in")).unwrap();
        let why = "no file was searched, and 1 link or device in folders passed over; -L follows \
                   links\n";
        dir.run(["links"]).ends(1, "", why);
    }
    dir.run(["--host", "a.org b.org", "in"])
        .fails("--host a.org b.org: commas separate a list: --host a.org,b.org\n");
    // A mailbox in the place of a list.
    dir.write(
        "box",
        "From a@b.example Fri Jun  5 10:00:00 1998\nTo: x\n\nhttp://a.example/\n",
    );
    for file in ["box", "in/a.eml"] {
        dir.run(["--files-from", file]).ends(
            2,
            "",
            &format!("urlgrep: {file}: this is mail, not a list of paths; without --files-from its URLs are found\n"),
        );
    }
    dir.write("From here", "http://a.example/3\n");
    dir.pipe(["--files-from", "-"], b"From here\n")
        .is("http://a.example/3\n");
    dir.write("t.csv", "url\nhttp://a.example/\n");
    let verified = dir.run(["--verify", "t.csv"]);
    assert_eq!(
        verified.text(),
        "wrong\tt.csv\t\tline 1: not a record; --verify reads the output of --json\n"
    );
}

/// On a terminal, filters that leave nothing are named. A script gets no line.
#[test]
fn filters_that_leave_nothing_are_named_on_a_terminal() {
    let mbox = "From a@b Mon Jan  1 10:00:00 2024\nFrom: ann@a.example\nTo: bob@b.example\n\n\
                http://a.example/ http://b.example/\n\n\
                From a@b Mon Jan  1 10:00:00 2024\nFrom: bob@b.example\n\n\
                > http://a.example/\n\n";
    let dir = Dir::with("a", mbox);
    dir.write("x/and", "http://a.example/\n");
    let script = |line: &str| dir.shell(&format!("script -qec '{line}' /dev/null"));
    let has_terminal = cfg!(target_os = "linux") && script("echo x").text() == "x\r\n";
    for (args, why) in [
        (
            "--host one.exmaple a",
            "nothing is left of 3 URLs after --host",
        ),
        (
            "--exclude-from @ a",
            "nothing is left of 2 messages after --exclude-from",
        ),
        (
            "--from anne a",
            "nothing is left of 2 messages after --from",
        ),
        (
            "--from ann@a.example --to eve a",
            "nothing is left of 2 messages after --from and --to",
        ),
        (
            "--from bob --authored -e b a",
            "nothing is left of 1 URL after --authored and -e",
        ),
        (
            "--role signature a",
            "nothing is left of 3 URLs after --role",
        ),
        // A pattern alone finds nothing as silently as that of grep.
        ("-e nothing a", ""),
        ("-q --host one.exmaple a", ""),
        ("--no-messages --host one.exmaple a", ""),
        // Another reason has a line of its own.
        (
            "--host one a",
            "warning: `--host one` is that host and its subdomains; `--host \"*one*\"` are all hosts that contain it",
        ),
    ] {
        if why.contains('*') {
            assert_eq!(dir.run(args.split(' ')).errors.lines().count(), 1, "{args}");
        } else {
            dir.run(args.split(' ')).is_none();
        }
        if has_terminal {
            let shown = script(&format!("\"$U\" --no-progress {args}")).text();
            let expected = if why.is_empty() {
                String::new()
            } else {
                format!("urlgrep: {}\r\n", why.replace('"', "\'"))
            };
            assert_eq!(shown, expected, "{args}");
        }
    }
    // A file may have the name of an operator.
    let mut command = dir.command();
    command.current_dir(dir.path().join("x"));
    assert!(
        command
            .args(["--host", "a.example", "and", "and"])
            .status()
            .unwrap()
            .success()
    );
}

/// `-w` is for header fields, too.
#[test]
fn whole_words_of_header_fields() {
    let dir = Dir::with(
        "a.eml",
        "From: Joanna <jo@b.example>\nTo: ann@b.example\nDate: Mon, 5 Jan 2009 10:00:00 +0000\nSubject: Planning\n\nhttp://a.example/1\n",
    );
    let url = "http://a.example/1\n";
    dir.run(["--from", "ann", "a.eml"]).is(url);
    dir.run(["-w", "--from", "ann", "a.eml"]).is_none();
    dir.run(["-w", "--exclude-from", "ann", "a.eml"]).is(url);
    dir.run([
        "-w",
        "--from",
        "JOANNA",
        "--to",
        "ann",
        "--subject",
        "planning",
        "a.eml",
    ])
    .is(url);
    dir.run(["-w", "--subject", "plan", "a.eml"]).is_none();
    // No boundary is needed beside `@`.
    for host in ["@b.example", "@b.example$", "^jo@b"] {
        dir.run(["-w", "--from", host, "a.eml"]).is(url);
    }
    dir.run(["-w", "--from", "@b.ex", "a.eml"]).is_none();
    dir.run(["-Fw", "--from", "joanna", "-e", "a.example", "a.eml"])
        .is(url);
    dir.run(["-w", "a.eml"]).fails("-w needs -e, -f, ");
}

/// Somebody may write the address of somebody else as a name.
#[test]
fn an_address_is_not_found_in_names() {
    let message = |from: &str, to: &str, number: u32| {
        format!(
            "From a@b Mon Jan  1 10:00:00 2024\nFrom: {from}\n{to}\n\nhttp://a.example/{number}\n\n"
        )
    };
    let (ann, fake) = (
        "Ann <ann@a.example>",
        "\"ann@a.example\" <eve@evil.example>",
    );
    let mbox = [
        message(ann, "To: bob@b.example", 1),
        message(fake, "To: bob@b.example", 2),
        message("bob@b.example", &format!("Cc: {fake}"), 3),
        message("bob@b.example", "Bcc: ann at a.example (Ann)", 4),
    ];
    let dir = Dir::with("a", mbox.concat());
    for (option, numbers) in [
        ("--from", [1].as_slice()),
        ("--exclude-from", &[2, 3, 4]),
        ("--to", &[4]),
        ("--exclude-to", &[1, 2, 3]),
    ] {
        let urls: String = numbers
            .iter()
            .map(|n| format!("http://a.example/{n}\n"))
            .collect();
        dir.run([option, "ann@a.example", "a"]).is(&urls);
        dir.run([option, "Ann Reed <ANN at a.example>", "a"])
            .is(&urls);
    }
    // A pattern is also looked for in names.
    dir.run(["--from", "ann@a", "a"])
        .is("http://a.example/1\nhttp://a.example/2\n");
}

/// A URL as a pattern, the name of a file as a value, and a path as the file of the output.
#[test]
fn values_that_are_something_else() {
    let url = "http://a.example/x?id=1";
    let mail = format!(
        "From: ann@a.example\nDate: Mon, 1 Jan 2001 00:00:00 +0000\nNewsgroups: comp.lang.lisp\n\n{url}\n"
    );
    let dir = Dir::with("a.eml", &mail);
    dir.write("list", format!("{url}\n"));
    let operator =
        "urlgrep: warning: `?` in a pattern is an operator; -F searches for the URL itself\n";
    dir.run(["-e", url, "a.eml"]).ends(1, "", operator);
    dir.run(["-f", "list", "a.eml"]).ends(1, "", operator);
    for args in [["-F", "-e", url], ["-F", "-f", "list"]] {
        dir.run(args.into_iter().chain(["a.eml"]))
            .is(&format!("{url}\n"));
    }
    dir.run(["-e", "http://b.example/x", "a.eml"]).is_none();
    dir.run(["-e", "https?://b.example/x?y", "a.eml"]).is_none();
    for (args, why) in [
        (
            &["-e", "/x/i"][..],
            "-e has no slashes around a pattern, and -i ignores case: -e x",
        ),
        (
            &["-e", "$x"],
            "`$` in -e '$x' is the end of the URL; -F takes the text as it is",
        ),
        (
            &["-Fx", "-e", "a.example/x"],
            "-x compares the whole URL, which begins with a scheme: 'https://a.example/x'",
        ),
    ] {
        let why = format!("urlgrep: warning: {why}\n");
        dir.run(args.iter().copied().chain(["a.eml"]))
            .ends(1, "", &why);
    }
    let group = "urlgrep: warning: `--group lisp` are names that begin with it; `--group '*lisp*'` \
                 are all groups that contain it\n";
    dir.run(["--group", "lisp", "a.eml"]).ends(1, "", group);
    dir.run(["--group", "*lisp*", "a.eml"])
        .is(&format!("{url}\n"));
    dir.run(["--group", "comp.lang.c", "a.eml"]).is_none();
    let value = "urlgrep: warning: `a.eml` was read as the value of --from, and no path was named; \
                 paths follow the value\n";
    dir.run(["--from", "a.eml"]).ends(1, "", value);
    let patterns = "urlgrep: warning: `a.eml` was read as patterns, no path was named, and \
                    standard input is empty; paths follow the file of -f\n";
    dir.run(["-f", "a.eml"]).ends(1, "", patterns);
    dir.pipe(["-Ff", "list"], b"http://b.example/\n").is_none();
    // A file with the name is searched, and the result says so.
    dir.write("links.csv", "http://c.example/\n");
    let output = "urlgrep: warning: links.csv was searched, too; --csv takes no file: redirect the \
                  output, as in >links.csv\n";
    let args = ["--csv", "--fields", "url"];
    let both = format!("url\nhttp://c.example/\n{url}\n");
    dir.run(args.into_iter().chain(["links.csv", "a.eml"]))
        .ends(0, &both, output);
    dir.write("b.csv", "");
    for paths in [&["links.csv"][..], &["links.csv", "b.csv"]] {
        dir.run(args.iter().chain(paths))
            .is("url\nhttp://c.example/\n");
    }
    dir.pipe(["--files0-from", "-"], b"a.eml\nlist\n").ends(
        2,
        "",
        "urlgrep: <stdin>: the list has line feeds and no NUL byte; --files-from reads a path a line\n",
    );
    let jq = "(jq reads the output: urlgrep --json PATH | jq -r .url)\n";
    dir.run(["-r", ".url", "a.eml"])
        .ends(2, &format!("{url}\n"), jq);
    let part = "urlgrep: warning: --start-at 12 is after --end-at 9\n";
    dir.write(
        "b.mbox",
        "From a@b.example Fri Jun  5 10:00:00 1998\n\nhttp://a.example/\n",
    );
    dir.run(["--start-at", "12", "--end-at", "9", "b.mbox"])
        .ends(1, "", part);
}

/// Patterns in the syntax of other programs, globs, and fields with their names find nothing.
#[test]
fn values_of_other_programs_are_explained() {
    let mail = "From: ann@a.example\nTo: bob@b.example\nSubject: x\nDate: Mon, 1 Jan 2001 00:00:00 +0000\n\nhttp://a.example/\n";
    let dir = Dir::with("in/a.eml", mail);
    for (args, why) in [
        (
            ["-e", r"a\|b", "in"],
            r"`\|` in a pattern is the character itself; the operator is `|`",
        ),
        (
            ["-e", "x OR y", "in"],
            "-e 'x OR y' has a blank, and a URL has none; for either of two, give -e twice",
        ),
        (
            ["-e", "x,y", "in"],
            "-e 'x,y' is one pattern; for either of two, give -e twice",
        ),
        (
            ["-e", "'example'", "in"],
            "-e 'example' has quotation marks, and a URL has none; leave them out",
        ),
        (
            ["-e", "^www", "in"],
            "`^` in a pattern is the start of the URL, which is its scheme: '^https?://www'",
        ),
        (
            ["--from", "From: ann", "in"],
            "--from is compared with the value of the field: --from ann",
        ),
        (
            ["--subject", "Subject: a b", "in"],
            "--subject is compared with the value of the field: --subject 'a b'",
        ),
        (
            ["--from", "Reed, Ann", "in"],
            "--from 'Reed, Ann' is one pattern; most programs write the name as 'Ann Reed'",
        ),
        (
            ["--from", "ann,bob", "in"],
            "--from 'ann,bob' is one pattern; for either of two, give --from twice",
        ),
        (
            ["--to", "/bob/i", "in"],
            "--to has no slashes around a pattern, and ignores case: --to bob",
        ),
        (
            ["-g", "*.txt,*.mbox", "in"],
            "no file matches `-g '*.txt,*.mbox'`, so none was searched; give -g once for each: -g '*.txt' -g '*.mbox'",
        ),
        (
            ["-g", ".mbox", "in"],
            "no file matches `-g '.mbox'`, so none was searched; for the ending of a name use -g '*.mbox'",
        ),
        (
            ["-g", "eml", "in"],
            "no file matches `-g 'eml'`, so none was searched; for the ending of a name use -g '*.eml'",
        ),
    ] {
        dir.run(args)
            .ends(1, "", &format!("urlgrep: warning: {why}\n"));
    }
    for silent in [
        ["-e", "^http://b"],
        ["-e", "^mail.*x"],
        ["-e", "a{1,2}z"],
        ["--subject", "a/b"],
    ] {
        dir.run(silent.into_iter().chain(["in"])).is_none();
    }
    dir.run(["-e", "^http://a[.]example/", "in"])
        .is("http://a.example/\n");
}

/// `xargs -0` takes a line feed after the NUL for the start of the next item.
#[test]
fn a_template_that_ends_in_nul_has_no_line_feed() {
    let dir = Dir::with("a", "http://a.example/1 http://a.example/2\n");
    let both = "http://a.example/1\0http://a.example/2\0";
    for args in ["-u", "-j1", "--sort=date"] {
        dir.run([args, "--format", r"{url}\0", "a"]).is(both);
    }
    dir.run(["-u", "-m1", "--format", r"{line}\0{url}\0", "a"])
        .is("1\0http://a.example/1\0");
    dir.run(["-m1", "--format", r"{url}\0{line}", "a"])
        .is("http://a.example/1\x001\n");
    #[cfg(unix)]
    {
        let line = r#"$U --format '{url}\0' a | xargs -0 -n1 echo U"#;
        dir.shell(line)
            .is("U http://a.example/1\nU http://a.example/2\n");
    }
}

/// Globs and files of patterns that match nothing, and texts in another charset.
#[test]
fn nothing_was_found_for_a_reason_of_the_input() {
    let dir = Dir::with("in/a b/x.eml", "http://a.example/\n");
    dir.write("empty", "");
    dir.write("latin", b"see http://a.example/caf\xe9/\n");
    dir.write("mixed", b"http://a.example/\xe9 http://a..example/\n");
    let utf16 = |order: fn(u16) -> [u8; 2]| {
        let units = "see http://u.example/".encode_utf16();
        units.flat_map(order).collect::<Vec<u8>>()
    };
    dir.write("le", utf16(u16::to_le_bytes));
    dir.write("be", utf16(u16::to_be_bytes));
    dir.write("short", b"a\0b\0");
    dir.write("a.msf", b"// <!-- <mdb:mork:z v=\"1.4\"/> -->\n");
    dir.run(["a.msf"]).ends(
        1,
        "",
        "urlgrep: warning: a.msf is an index of Thunderbird; the mailbox is a\n",
    );
    dir.write(
        "mail/a.eml",
        "From: Ann <ann@b.example>\nSubject: x\nMessage-ID: <1@b.example>\n\nhttp://a.example/1\n",
    );
    for (option, typed, operator) in [
        ("--subject", "costs $5", '$'),
        ("--subject", "Re: (no subject)", '('),
        ("--from", "me+tag", '+'),
    ] {
        let hint = format!(
            "urlgrep: warning: `{operator}` in {option} '{typed}' is an operator; -F takes the text as it is\n"
        );
        dir.run([option, typed, "mail"]).ends(1, "", &hint);
        dir.run([option, typed, "-F", "mail"]).ends(1, "", "");
    }
    dir.run(["--subject", "^no$", "mail"]).ends(1, "", "");
    let host = "urlgrep: warning: `--host '*.a.example'` leaves out a.example itself; `--host a.example` is \
                that host and its subdomains\n";
    dir.run(["--host", "*.a.example", "in"]).ends(1, "", host);
    dir.run(["--host", "*.example", "in"])
        .is("http://a.example/\n");
    dir.run(["--host", "*b.example", "in"]).is_none();
    let pattern = "urlgrep: warning: empty has no pattern, so nothing can match\n";
    dir.run(["-f", "empty", "in"]).ends(1, "", pattern);
    dir.run(["-f", "empty", "-e", "b", "in"]).is_none();
    dir.run(["-vf", "empty", "in"]).is("http://a.example/\n");
    let folder = "urlgrep: warning: no file matches `-g 'a b'`, so none was searched; for the files \
                  of a folder use -g 'a b/**'\n";
    dir.run(["-g", "a b", "in"]).ends(1, "", folder);
    dir.run(["-g", "a b/**", "in"]).is("http://a.example/\n");
    dir.run(["-g", "b a", "in"]).ends(
        1,
        "",
        "urlgrep: warning: no file matches `-g 'b a'`, so none was searched",
    );
    dir.run(["latin"]).ends(
        1,
        "",
        "urlgrep: 1 text like a URL in Latin-1 was refused; `iconv -f latin1 -t utf-8 FILE | urlgrep` converts the file\n",
    );
    dir.run(["mixed"]).ends(
        1,
        "",
        "2 texts like URLs were refused; --rejects prints them",
    );
    for (file, name) in [("le", "LE"), ("be", "BE")] {
        let lower = name.to_lowercase();
        dir.run([file]).ends(
            1,
            "",
            &format!(
                "urlgrep: {file}: its text was not read: UTF-16{name} without a byte order mark; \
                 `iconv -f utf-16{lower} -t utf-8 FILE | urlgrep` reads it\n"
            ),
        );
    }
    dir.run(["short"]).is_none();
}

/// Links, lists of Windows, mail in the place of a list of URLs, and commands for a shell.
#[test]
fn inputs_that_are_something_else() {
    let mail = "From: ann@a.example\n\nhttp://a.example/\n";
    let dir = Dir::with("a.eml", mail);
    let url = "http://a.example/\n";
    dir.pipe(["--files-from", "-"], b"a.eml\r\n").is(url);
    dir.pipe(["--files0-from", "-"], b"a.eml\r\0")
        .fails("a.eml\\x0D: No such file or directory");
    dir.pipe(["--files-from", "-"], b"\xEF\xBB\xBFa.eml\r\n\r\na.eml")
        .is(&url.repeat(2));
    dir.pipe(["--files-from", "-"], b"a.eml\n\xEF\xBB\xBFa.eml")
        .ends(2, url, "No such file");
    dir.pipe(["--files-from", "-"], b"\xFF\xFEa\0\n\0").ends(
        2,
        "",
        "urlgrep: <stdin>: the list is UTF-16; `iconv -f utf-16 -t utf-8 FILE` converts it\n",
    );
    dir.pipe(["-f", "-", "a.eml"], b"\xEF\xBB\xBF^http\r\n")
        .is(url);
    dir.pipe(["--check"], b"\xEF\xBB\xBFhttp://a.example/\r\n")
        .is("valid\thttp://a.example/\n");
    let list = "urlgrep: warning: a.eml is mail, and --check reads a URL a line; without --check its \
                URLs are found\n";
    let out = dir.run(["--check", "a.eml"]);
    assert_eq!((out.code, &*out.errors), (Some(1), list));
    assert_eq!(dir.run(["-s", "--check", "a.eml"]).errors, "");
    dir.write("list", "mailto:to@a.example\nFrom: x\n");
    assert_eq!(dir.run(["--check", "list"]).errors, "");
    #[cfg(unix)]
    {
        std::fs::write(dir.path().join("x\r"), "http://b.example/\n").unwrap();
        dir.pipe(["--files-from", "-"], b"x\r\n")
            .is("http://b.example/\n");
        std::os::unix::fs::symlink("none", dir.path().join("link")).unwrap();
        dir.run(["link"]).ends(
            2,
            "",
            "urlgrep: link: No such file or directory (a symbolic link to a missing file)\n",
        );
        let matches = "urlgrep: warning: what matches `-g 'link'` is a link or a device, so it was not \
                       searched; -L follows links\n";
        dir.run(["-g", "link", "."]).ends(1, "", matches);
        dir.shell("$U -g o.txt . >>o.txt").ends(
            1,
            "",
            "urlgrep: warning: what matches `-g 'o.txt'` is a link, a device or the file that the \
             output goes to, so it was not searched\n",
        );
        let shell =
            "(--pre has no shell, so `|` and `>` are arguments; put the commands into a script)\n";
        dir.run(["--pre", "sed s/a/b/ | cat", "a.eml"])
            .ends(2, "", shell);
        let out = dir.run(["--pre", "sed s/a/b/ none", "a.eml"]);
        assert!(
            out.code == Some(2) && !out.errors.contains("shell"),
            "{}",
            out.errors
        );
    }
}
