//! Why nothing was printed, if the options and the numbers of the run show it.

use super::super::config::Config;
use super::super::inputs::shell_word;
use super::super::names::SCHEMES;
use super::super::output::{Counts, plural};

/// Explains an empty result. `None` if it has no reason that is known.
pub fn why(config: &Config, counts: &Counts) -> Option<String> {
    if counts.files == 0 {
        of_no_file(config, counts)
    } else {
        of_messages(config, counts)
            .or_else(|| of_no_pattern(config))
            .or_else(|| of_index(config))
            .or_else(|| of_operators(config))
            .or_else(|| of_myself(config))
            .or_else(|| of_subdomains(config))
            .or_else(|| of_field(config))
            .or_else(|| of_pattern(config))
            .or_else(|| of_pasted(config))
            .or_else(|| of_range(config))
            .or_else(|| of_name(config))
            .or_else(|| of_scheme(config))
    }
}

/// The filters that left nothing. `None` if none did, or if they are patterns of URLs alone, which
/// find nothing as silently as those of grep.
pub fn left(config: &Config, counts: &Counts) -> Option<String> {
    let (filter, mail) = (&config.args.filter, &config.args.mail);
    let of_messages = [
        ("--since", mail.since.is_some()),
        ("--until", mail.until.is_some()),
        ("--from", !mail.from.is_empty()),
        ("--to", !mail.to.is_empty()),
        ("--subject", !mail.subject.is_empty()),
        ("--exclude-from", !mail.exclude_from.is_empty()),
        ("--exclude-to", !mail.exclude_to.is_empty()),
        ("--exclude-subject", !mail.exclude_subject.is_empty()),
        ("--message-id", !mail.message_id.is_empty()),
        ("--group", !mail.group.is_empty()),
        ("--skip-deleted", mail.skip_deleted),
    ];
    let of_urls = [
        ("--host", !filter.host.is_empty()),
        ("--exclude-host", !filter.exclude_host.is_empty()),
        ("--scheme", !filter.scheme.is_empty()),
        ("--exclude-scheme", !filter.exclude_scheme.is_empty()),
        ("--role", !mail.role.is_empty()),
        ("--authored", mail.authored),
        ("--cautions", !config.args.mode.cautions.is_empty()),
    ];
    let typed = |filters: &[(&'static str, bool)]| {
        let typed = filters.iter().filter(|(_, is_typed)| *is_typed);
        let names: Vec<&str> = typed.map(|(name, _)| *name).collect();
        (!names.is_empty()).then(|| names.join(" and "))
    };
    if counts.accepted == 0
        && counts.messages > 0
        && let Some(names) = typed(&of_messages)
    {
        let messages = plural(counts.messages, "message");
        return Some(format!("nothing is left of {messages} after {names}"));
    }
    let names = typed(&of_urls).filter(|_| counts.filtered > 0)?;
    let patterns = [
        ("-e", !filter.regexp.is_empty()),
        ("-f", !filter.pattern_file.is_empty()),
        ("-v", filter.invert_match),
    ];
    let names = [Some(names), typed(&patterns)];
    let names: Vec<String> = names.into_iter().flatten().collect();
    let urls = plural(counts.filtered, "URL");
    Some(format!(
        "nothing is left of {urls} after {}",
        names.join(" and ")
    ))
}

/// The index that Thunderbird keeps beside each mailbox.
fn of_index(config: &Config) -> Option<String> {
    let path = config.args.paths.first()?;
    let is_index = path.as_encoded_bytes().ends_with(b".msf");
    let mailbox = std::path::Path::new(path).with_extension("");
    let (index, mailbox) = (std::path::Path::new(path).display(), mailbox.display());
    is_index.then(|| format!("{index} is an index of Thunderbird; the mailbox is {mailbox}"))
}

/// A subject or a name that was pasted and has operators of a pattern: `costs $5`, `me+tag`.
fn of_operators(config: &Config) -> Option<String> {
    let mail = &config.args.mail;
    let options = [
        ("--from", &mail.from),
        ("--to", &mail.to),
        ("--subject", &mail.subject),
    ];
    // What people write in a pattern, and not in a subject.
    let is_pattern = |typed: &str| {
        let signs = ["|", "\\", ".*", "[", ")?", ")+", ")*"];
        typed.starts_with('^')
            || typed.ends_with('$')
            || signs.iter().any(|sign| typed.contains(sign))
    };
    let is_pasted =
        |typed: &&String| typed.contains(['(', '$', '+', '?', '*', '^']) && !is_pattern(typed);
    options.into_iter().find_map(|(option, typed)| {
        let typed = typed.iter().find(is_pasted)?;
        let operator = typed.chars().find(|c| "($+?*^".contains(*c))?;
        (!config.args.filter.fixed_strings).then(|| {
            format!("`{operator}` in {option} '{typed}' is an operator; -F takes the text as it is")
        })
    })
}

/// `-f` with an empty file.
fn of_no_pattern(config: &Config) -> Option<String> {
    let file = config.args.filter.pattern_file.first()?.display();
    let text = format!("{file} has no pattern, so nothing can match");
    config.has_no_pattern.then_some(text)
}

/// `--host '*.a.example'`, which leaves out `a.example`.
fn of_subdomains(config: &Config) -> Option<String> {
    let names = config.args.filter.host.iter();
    let mut names = names.flat_map(|names| names.split(',')).map(str::trim);
    let host = names.find_map(|name| {
        let host = name.strip_prefix("*.")?;
        (!host.contains(['*', '?', '{', '['])).then_some(host)
    })?;
    Some(format!(
        "`--host '*.{host}'` leaves out {host} itself; `--host {host}` is that host and its subdomains"
    ))
}

/// `--to me`.
fn of_myself(config: &Config) -> Option<String> {
    const WORDS: [&str; 5] = ["me", "myself", "self", "mine", "i"];
    let mail = &config.args.mail;
    let is_me = |typed: &&String| WORDS.iter().any(|word| typed.eq_ignore_ascii_case(word));
    let options = [("--from", &mail.from), ("--to", &mail.to)];
    options.into_iter().find_map(|(option, typed)| {
        let typed = typed.iter().find(is_me)?;
        Some(format!(
            "{option} {typed} is a part of a name or an address; who you are is not known, so \
             give your address"
        ))
    })
}

/// A pattern that is a kind of file, or a glob.
fn of_pattern(config: &Config) -> Option<String> {
    const KINDS: [&str; 13] = [
        "eml", "mbox", "msg", "maildir", "txt", "html", "htm", "pdf", "zip", "gz", "warc", "json",
        "csv",
    ];
    let filter = &config.args.filter;
    let is_kind = |typed: &str| KINDS.contains(&typed.trim_start_matches(['*', '.']));
    filter.regexp.iter().find_map(|typed| {
        if is_kind(typed) {
            let name = typed.trim_start_matches(['*', '.']);
            return Some(format!(
                "-e {typed} matches URLs; for files of this name, use -g '*.{name}'"
            ));
        }
        if filter.fixed_strings && filter.line_regexp && !typed.contains(':') {
            return Some(format!(
                "-x compares the whole URL, which begins with a scheme: 'https://{typed}'"
            ));
        }
        if let Some(why) = of_other_syntax(typed).filter(|_| !filter.fixed_strings) {
            return Some(why);
        }
        let is_glob = ["/*", "*."].iter().any(|sign| typed.contains(sign));
        let is_regex = typed.contains(['[', '(', '\\', '^', '$', '+']) || typed.contains(".*");
        (is_glob && !is_regex && !filter.fixed_strings).then(|| {
            format!(
                "-e '{typed}' is a regular expression, in which `*` repeats the character before \
                 it; any text is `.*`, and --host has globs"
            )
        })
    })
}

/// A pattern in the syntax of another program, or one that no URL can match.
fn of_other_syntax(typed: &str) -> Option<String> {
    if let Some(mark) = ["\\|", "\\+", "\\(", "\\{"]
        .iter()
        .find(|mark| typed.contains(**mark))
    {
        let operator = &mark[1..];
        return Some(format!(
            "`{mark}` in a pattern is the character itself; the operator is `{operator}`"
        ));
    }
    if typed.contains(char::is_whitespace) {
        return Some(format!(
            "-e '{typed}' has a blank, and a URL has none; for either of two, give -e twice"
        ));
    }
    if typed.contains(',') && !typed.contains('{') {
        return Some(format!(
            "-e '{typed}' is one pattern; for either of two, give -e twice"
        ));
    }
    if typed.starts_with(['"', '\'']) && typed.len() > 1 {
        return Some(format!(
            "-e {typed} has quotation marks, and a URL has none; leave them out"
        ));
    }
    if let Some((inner, flags)) = typed.strip_prefix('/').and_then(|t| t.rsplit_once('/'))
        && matches!(flags, "i" | "g" | "gi" | "ig")
    {
        return Some(format!(
            "-e has no slashes around a pattern, and -i ignores case: -e {}",
            shell_word(inner)
        ));
    }
    if typed.starts_with('$') && typed.len() > 1 {
        return Some(format!(
            "`$` in -e '{typed}' is the end of the URL; -F takes the text as it is"
        ));
    }
    let start = typed
        .strip_prefix('^')?
        .split([':', '[', '(', '.', '?', '*', '\\'])
        .next()?;
    if start.is_empty() || !start.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let is_scheme = SCHEMES
        .iter()
        .any(|scheme| scheme.starts_with(&start.to_lowercase()));
    (!is_scheme).then(|| {
        format!(
            "`^` in a pattern is the start of the URL, which is its scheme: '^https?://{start}'"
        )
    })
}

/// A value of `--from`, `--to` or `--subject` that has the name of the field, or slashes around it.
fn of_field(config: &Config) -> Option<String> {
    let mail = &config.args.mail;
    let options = [
        ("--from", "from:", &mail.from),
        ("--to", "to:", &mail.to),
        ("--subject", "subject:", &mail.subject),
    ];
    options.into_iter().find_map(|(option, name, typed)| {
        typed.iter().find_map(|typed| {
            let lower = typed.to_lowercase();
            if lower.starts_with(name) {
                let value = shell_word(typed[name.len()..].trim());
                return Some(format!(
                    "{option} is compared with the value of the field: {option} {value}"
                ));
            }
            let inner = typed.strip_prefix('/')?;
            let (inner, flags) = inner.rsplit_once('/')?;
            (flags.len() < 3).then(|| {
                format!(
                    "{option} has no slashes around a pattern, and ignores case: {option} {}",
                    shell_word(inner)
                )
            })
        })
    })
}

/// A URL that was pasted as a pattern.
fn of_pasted(config: &Config) -> Option<String> {
    let operator = config.pasted?;
    Some(format!(
        "`{operator}` in a pattern is an operator; -F searches for the URL itself"
    ))
}

/// `-g lists`, where `lists` is the folder that was meant.
fn of_name(config: &Config) -> Option<String> {
    let (input, paths) = (&config.args.input, &config.args.paths);
    let is_there = |glob: &&String| std::path::Path::new(glob.as_str()).exists();
    let glob = input.glob.iter().find(is_there)?;
    let has_lists = !input.files_from.is_empty() || !input.files0_from.is_empty();
    (paths.is_empty() && !has_lists).then(|| {
        format!("-g '{glob}' is for names of files in a folder; to search {glob}, leave out -g")
    })
}

/// No file was searched.
fn of_no_file(config: &Config, counts: &Counts) -> Option<String> {
    let input = &config.args.input;
    if let Some(glob) = input.glob.iter().find(|glob| !glob.starts_with('!')) {
        if counts.special > 0 {
            let what = if config.has_output_file() {
                "a link, a device or the file that the output goes to, so it was not searched"
            } else {
                "a link or a device, so it was not searched; -L follows links"
            };
            return Some(format!("what matches `-g '{glob}'` is {what}"));
        }
        let globs: Vec<&str> = if glob.contains(['{', '[']) {
            glob.split_whitespace().collect()
        } else {
            let ends = |c: char| c.is_whitespace() || c == ',';
            glob.split(ends).filter(|one| !one.is_empty()).collect()
        };
        let why = format!("no file matches `-g '{glob}'`, so none was searched");
        let folder = glob.trim_matches('/');
        // A blank may be a part of a name.
        let are_globs = globs
            .iter()
            .all(|one| one.contains(['*', '?', '[', '{', '.']));
        return Some(if config.has_folder(folder) {
            format!("{why}; for the files of a folder use -g '{folder}/**'")
        } else if globs.len() > 1 && are_globs {
            format!(
                "{why}; give -g once for each: -g '{}'",
                globs.join("' -g '")
            )
        } else if glob.contains('/') {
            format!("{why}; a glob with `/` is compared with the path below PATH, and `**/` is any")
        } else if !glob.contains(['*', '?', '{', '[']) && glob.trim_start_matches('.').len() < 6 {
            format!(
                "{why}; for the ending of a name use -g '*.{}'",
                glob.trim_start_matches('.')
            )
        } else {
            why
        });
    }
    if input.max_depth == Some(0) {
        return Some("--max-depth 0 enters no folder; 1 searches the files in it".to_owned());
    }
    if counts.special > 0 {
        let what = plural(counts.special, "link or device");
        return Some(format!(
            "no file was searched, and {what} in folders passed over; -L follows links"
        ));
    }
    of_empty_folder(config)
}

/// Only folders were named, and no file is in them, or none so near.
fn of_empty_folder(config: &Config) -> Option<String> {
    let input = &config.args.input;
    let paths = &config.args.paths;
    let has_lists = !input.files_from.is_empty() || !input.files0_from.is_empty();
    let are_folders = paths.iter().all(|path| std::path::Path::new(path).is_dir());
    if has_lists || !are_folders {
        return None;
    }
    let what = match &paths[..] {
        [] => "this folder".to_owned(),
        [path] => std::path::Path::new(path).display().to_string(),
        _ => "these folders".to_owned(),
    };
    Some(match input.max_depth {
        Some(depth) => format!("{what}: no file at --max-depth {depth}, so none was searched"),
        None => format!("{what}: no file in it, so none was searched"),
    })
}

/// A part of a file that ends before it begins.
fn of_range(config: &Config) -> Option<String> {
    let input = &config.args.input;
    let (from, to) = (input.start_at.unwrap_or(0), input.end_at?);
    (from > to).then(|| format!("--start-at {from} is after --end-at {to}"))
}

/// The filters of messages left none.
fn of_messages(config: &Config, counts: &Counts) -> Option<String> {
    let mail = &config.args.mail;
    let is_class = |typed: &&String| typed.starts_with('[') && typed.contains(['"', '@']);
    let patterns = [("--from", &mail.from), ("--to", &mail.to)];
    let class = patterns.iter().find_map(|(option, typed)| {
        let typed = typed.iter().find(is_class)?;
        let plain = |c: char| "[]\"' ".contains(c);
        let first = typed.trim_matches(plain).split(['"', ',']).next()?;
        Some(format!(
            "{option} '{typed}' is a regular expression, in which brackets are a class of \
             letters; for an address use {option} {first}"
        ))
    });
    let (since, _) = config.filter.period();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs() as i64);
    if since.is_some_and(|since| since > now) {
        return Some(
            "--since is in the future; a message with a later date counts as one without a date, \
             because a clock was wrong"
                .to_owned(),
        );
    }
    if let Some(group) = mail.group.iter().find(|group| group.contains('/')) {
        let dots = group.replace('/', ".");
        return Some(format!("names of groups have dots: --group {dots}"));
    }
    class.or_else(|| {
        let id = mail.message_id.first().filter(|_| counts.accepted == 0)?;
        let messages = plural(counts.messages, "message");
        let others = [
            &mail.from,
            &mail.to,
            &mail.subject,
            &mail.exclude_from,
            &mail.exclude_to,
            &mail.exclude_subject,
            &mail.group,
        ];
        let is_dated = mail.since.is_some() || mail.until.is_some();
        let has_others = is_dated || others.iter().any(|typed| !typed.is_empty());
        let rest = if has_others {
            ", and is what the other filters want"
        } else {
            ""
        };
        Some(format!(
            "none of {messages} has the Message-ID {id} and a URL{rest}"
        ))
    })
}

/// A scheme that nobody has registered.
fn of_scheme(config: &Config) -> Option<String> {
    let names = config.args.filter.scheme.iter();
    let mut names = names.flat_map(|names| names.split(',')).map(|name| {
        let name = name.trim().trim_end_matches('/').trim_end_matches(':');
        name.to_ascii_lowercase()
    });
    let is_told = |name: &str| config.misspelt.iter().any(|known| known.name() == name);
    let name = names.find(|name| !SCHEMES.contains(&&**name) && !is_told(name))?;
    let near = SCHEMES
        .iter()
        .find(|near| near.starts_with(&*name) && name.len() > 2);
    let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
    Some(format!("no URL has the scheme `{name}`{near}"))
}
