//! Why nothing was printed, if the options and the numbers of the run show it.

use super::super::config::Config;
use super::super::names::SCHEMES;
use super::super::output::{Counts, plural};

/// Explains an empty result. `None` if it has no reason that is known.
pub fn why(config: &Config, counts: &Counts) -> Option<String> {
    if counts.files == 0 {
        of_no_file(config, counts)
    } else {
        of_messages(config, counts).or_else(|| of_scheme(config))
    }
}

/// No file was searched.
fn of_no_file(config: &Config, counts: &Counts) -> Option<String> {
    let input = &config.args.input;
    if let Some(glob) = input.glob.iter().find(|glob| !glob.starts_with('!')) {
        let globs: Vec<&str> = glob.split_whitespace().collect();
        let why = format!("no file matches `-g '{glob}'`, so none was searched");
        return Some(if globs.len() > 1 {
            format!(
                "{why}; give -g once for each: -g '{}'",
                globs.join("' -g '")
            )
        } else if glob.contains('/') {
            format!("{why}; a glob with `/` is compared with the path below PATH, and `**/` is any")
        } else {
            why
        });
    }
    if input.max_depth == Some(0) {
        return Some("--max-depth 0 enters no folder; 1 searches the files in it".to_owned());
    }
    (counts.special > 0).then(|| {
        let what = plural(counts.special, "link or device");
        format!("no file was searched, and {what} in folders passed over; -L follows links")
    })
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
        let id = mail.message_id.first()?;
        let messages = plural(counts.messages, "message");
        Some(format!(
            "none of {messages} has the Message-ID {id} and a URL"
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
