//! `--generate`: prints shell completions or the manual page. Both are derived
//! from the definition of the options. The manual page also uses the table of
//! fields.

use std::io::{self, Write};

use clap::builder::{PossibleValue, PossibleValuesParser, Resettable};
use clap::{Command, ValueHint};
use clap_complete::aot::{self, Shell};
use clap_mangen::Man;
use urlgrep::rows::Field;

use super::config::TALLIED;
use super::help;
use super::names::SCHEMES;
use super::values::GenerateArg;

/// Writes the completions or the manual page.
///
/// # Errors
///
/// The errors of `out`.
pub fn write(kind: GenerateArg, out: &mut impl Write) -> io::Result<()> {
    let mut text = Vec::new();
    match kind {
        GenerateArg::CompleteBash => complete(Shell::Bash, &mut text),
        GenerateArg::CompleteZsh => complete(Shell::Zsh, &mut text),
        GenerateArg::CompleteFish => complete(Shell::Fish, &mut text),
        GenerateArg::CompletePowershell => complete(Shell::PowerShell, &mut text),
        GenerateArg::Man => manual(&mut text)?,
    }
    out.write_all(&text)?;
    out.flush()
}

fn complete(shell: Shell, out: &mut Vec<u8>) {
    let mut command =
        visible(&help::command()).mut_args(|arg| match values(arg.get_id().as_str()) {
            Some(values) => arg.value_parser(PossibleValuesParser::new(values)),
            // zsh would offer commands in place of the paths.
            None if arg.get_id() == "paths" => arg.value_hint(ValueHint::AnyPath),
            None => arg,
        });
    aot::generate(shell, &mut command, "urlgrep", out);
    let mut script = String::from_utf8_lossy(out).into_owned();
    let mut attached = Vec::new();
    for arg in command.get_arguments() {
        let long = arg.get_long().unwrap_or_default();
        if LISTS.contains(&long) {
            let names = arg.get_possible_values();
            let names: Vec<_> = names.iter().map(PossibleValue::get_name).collect();
            script = with_list(shell, &script, long, &names.join(" "));
        }
        if arg.is_require_equals_set() {
            attached.push(format!("--{long}"));
            // In zsh, `=-` is an argument after `=` only. fish takes it so without `-r`.
            let at = script.find(&format!(" -l {long} ")).unwrap_or(script.len());
            let rest = script.split_off(at);
            script += &rest.replacen(" -r ", " ", 1);
            script = script.replacen(&format!("--{long}=["), &format!("--{long}=-["), 1);
        }
    }
    *out = match shell {
        Shell::Bash => for_bash(&script, &attached.join(" ")),
        Shell::Fish => format!("{FISH}{script}"),
        _ => script,
    }
    .into_bytes();
}

/// Options whose value is a list.
const LISTS: &[&str] = &[
    "fields",
    "tally",
    "scheme",
    "exclude-scheme",
    "role",
    "form",
];

/// The values that completions offer for an option that takes others too.
fn values(id: &str) -> Option<Vec<&'static str>> {
    match id {
        "fields" => Some(Field::ALL.iter().map(|field| field.name()).collect()),
        "tally" => Some(TALLIED.map(Field::name).to_vec()),
        "scheme" | "exclude_scheme" => Some(SCHEMES.to_vec()),
        _ => None,
    }
}

/// Completes the last element of the list that is being typed in fish.
const FISH: &str = r"function __urlgrep_list
    set -l typed (commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '[^,]*$' '')
    printf '%s\n' $typed$argv
end
";

/// The script in which the last element of the list of an option is completed.
fn with_list(shell: Shell, script: &str, option: &str, names: &str) -> String {
    // The entry of the option, and the part of it that `new` replaces.
    let (entry, from, to, new) = match shell {
        Shell::Bash => {
            let list = r#"-P "${cur%"${cur##*,}"}" -W"#;
            let new = format!("compgen {list} \"{names}\" -- \"${{cur##*,}}\"))");
            (format!(" --{option})\n"), "compgen", "))", new)
        }
        Shell::Zsh => {
            let new = format!(":_sequence compadd - {names}'");
            (format!("--{option}=["), ":(", ")'", new)
        }
        Shell::Fish => {
            let new = format!("-a \"(__urlgrep_list {names})\"");
            (format!(" -l {option} "), "-a \"", "\"\n", new + "\n")
        }
        _ => return script.to_owned(),
    };
    let from = script
        .find(&entry)
        .and_then(|at| Some(at + script[at..].find(from)?));
    let to = from.and_then(|at| Some(at + script[at..].find(to)? + to.len()));
    match (from, to) {
        (Some(from), Some(to)) => script[..from].to_owned() + &new + &script[to..],
        _ => script.to_owned(),
    }
}

/// The script in which `--option=value`, which bash divides into three words, is
/// completed, the options of `attached` in this form only. A word that does not
/// begin with `-` is a path, for which clap offers options.
fn for_bash(script: &str, attached: &str) -> String {
    let equals = format!(
        r#"prev="$3"
    if [[ "${{prev}}" == "=" ]]; then
        prev="${{COMP_WORDS[COMP_CWORD-2]}}"
    elif [[ "${{COMP_WORDS[COMP_CWORD]}}" != "=" && " {attached} " == *" ${{prev}} "* ]]; then
        prev=""
    fi"#
    );
    let options = r#"COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )"#;
    script
        .replacen(r#"prev="$3""#, &equals, 1)
        .replacen(" || ${COMP_CWORD} -eq 1", "", 1)
        .replacen(&format!("esac\n            {options}"), "esac", 1)
}

/// The command without its hidden options. Conflicts are also removed, because
/// an option may conflict with a hidden one.
fn visible(command: &Command) -> Command {
    let args = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let visible = Command::new("urlgrep")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_flag(true)
        .disable_version_flag(true);
    visible.args(args.map(|arg| arg.clone().conflicts_with(Resettable::Reset)))
}

/// The manual page, as roff.
fn manual(out: &mut Vec<u8>) -> io::Result<()> {
    // Otherwise the page has no text for options with one paragraph.
    let command = help::command().mut_args(|arg| arg.hide_short_help(false));
    let page = Man::new(command).manual("User Commands");
    // The second argument is the date, which `.ci/release` writes. clap_mangen leaves it out, so the
    // version stands in its place, and cuts the line of NAME at its last comma.
    let version = env!("CARGO_PKG_VERSION");
    let title = format!(".TH urlgrep 1 \"\" \"urlgrep {version}\" \"User Commands\"\n");
    out.extend_from_slice(title.as_bytes());
    section(out, "NAME");
    out.extend_from_slice(b"urlgrep \\- finds every URL in mail and Usenet text\n");
    section(out, "SYNOPSIS");
    paragraph(out, "`urlgrep` [OPTIONS] [PATH]...");
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    // An empty line is a space already, and macros beside it do nothing.
    let text = String::from_utf8_lossy(out).replace("\n.br\n\n.br\n", "\n\n");
    *out = text.into_bytes();
    section(out, "EXAMPLES");
    for text in help::EXAMPLES.lines() {
        let Some(command) = text.strip_prefix("      ") else {
            paragraph(out, text.trim_start());
            continue;
        };
        out.extend_from_slice(b".PP\n.RS 4\n.nf\n");
        line(out, command);
        out.extend_from_slice(b".fi\n.RE\n");
    }
    section(out, "FIELDS");
    paragraph(
        out,
        "`--format`, `--fields` and `--json` call a field by the same name. \
         Those marked with * are not keys of `--json`.",
    );
    for &field in Field::ALL {
        let mark = if Field::KEYS.contains(&field) {
            ""
        } else {
            " *"
        };
        item(out, &format!("`{}`{mark}", field.name()), field.meaning());
    }
    for text in SECTIONS.lines() {
        match text.split_once(": ") {
            Some((name, meaning)) => item(out, name, meaning),
            None => section(out, text),
        }
    }
    page.render_version_section(out)
}

/// The last sections of the manual page: titles, and terms with their meaning.
const SECTIONS: &str = include_str!("sections.txt");

fn section(out: &mut Vec<u8>, title: &str) {
    out.extend_from_slice(format!(".SH \"{title}\"\n").as_bytes());
}

/// Appends a paragraph. The first one of a section begins without a macro.
fn paragraph(out: &mut Vec<u8>, text: &str) {
    let last = out.strip_suffix(b"\n").unwrap_or(out);
    let last = last.rsplit(|&b| b == b'\n').next();
    if !last.is_some_and(|line| line.starts_with(b".SH")) {
        out.extend_from_slice(b".PP\n");
    }
    line(out, text);
}

/// Appends a term and its meaning.
fn item(out: &mut Vec<u8>, term: &str, meaning: &str) {
    out.extend_from_slice(b".TP\n");
    line(out, term);
    line(out, meaning);
}

/// Appends a line of text. Words in backquotes become bold.
fn line(out: &mut Vec<u8>, text: &str) {
    let mut bold = false;
    // The prefix `\&` prevents that the text is read as a roff request.
    out.extend_from_slice(b"\\&");
    for c in text.chars() {
        match c {
            '`' => {
                bold = !bold;
                out.extend_from_slice(if bold { b"\\fB" } else { b"\\fR" });
            }
            '\\' => out.extend_from_slice(b"\\e"),
            '-' => out.extend_from_slice(b"\\-"),
            '\'' => out.extend_from_slice(b"\\(aq"),
            '\n' => out.push(b' '),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    fn text(kind: GenerateArg) -> String {
        let mut text = Vec::new();
        write(kind, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn the_page_has_every_option_and_field() {
        let page = text(GenerateArg::Man);
        assert!(page.contains(".TH urlgrep 1"), "{page}");
        for option in help::command().get_arguments() {
            let Some(long) = option.get_long() else {
                continue;
            };
            let name = format!("\\fB\\-\\-{}\\fR", long.replace('-', "\\-"));
            // The description of a field may mention an option that this build
            // hides.
            let mut lines = page.lines();
            let has = lines.any(|l| l.starts_with("\\fB") && l.contains(&name));
            assert_eq!(has, !option.is_hide_set(), "--{long}");
            let text = lines.next().unwrap_or_default();
            assert!(
                !has || text.starts_with(char::is_uppercase),
                "--{long}: {text:?}"
            );
        }
        for field in Field::ALL {
            assert!(page.contains(&format!(".TP\n\\&\\fB{}\\fR", field.name())));
        }
        // What the linter of mandoc says of macros without effect.
        for wrong in ["\n.br\n\n", "\n\n.br\n", "\"\n.PP\n", ".TH urlgrep 1  "] {
            assert!(!page.contains(wrong), "{wrong:?}");
        }
        assert!(page.contains("\nurlgrep \\- finds every URL in mail and Usenet text\n"));
        let sections = ["EXAMPLES", "FIELDS", "EXIT STATUS", "ENVIRONMENT"];
        let at = sections.map(|title| page.find(&format!(".SH \"{title}\"")).unwrap());
        assert!(at.is_sorted());
    }

    #[test]
    fn completions_have_every_option() {
        let shells = [
            GenerateArg::CompleteBash,
            GenerateArg::CompleteZsh,
            GenerateArg::CompleteFish,
            GenerateArg::CompletePowershell,
        ];
        for shell in shells {
            let script = text(shell);
            for option in help::command().get_arguments() {
                if let Some(long) = option.get_long() {
                    let entry = match shell {
                        GenerateArg::CompleteFish => format!("-l {long}"),
                        _ => format!("--{long}"),
                    };
                    // The description of an option may mention a hidden option.
                    let has = script.match_indices(&entry).any(|(at, _)| {
                        let end = script[at + entry.len()..].chars().next();
                        !end.is_some_and(|c| c.is_alphanumeric() || c == '-')
                    });
                    assert_eq!(has, !option.is_hide_set(), "{shell:?}: --{long}");
                }
            }
        }
    }

    /// The generated texts leave out the option values that this build does not
    /// support.
    #[test]
    fn hidden_values_are_left_out() {
        for kind in GenerateArg::value_variants() {
            let has = text(*kind).contains("first-seen");
            assert!(!has || cfg!(feature = "ledger"), "{kind:?}");
        }
        let help = help::command().render_long_help().to_string();
        assert_eq!(help.contains("first-seen"), cfg!(feature = "ledger"));
    }

    #[test]
    fn roff_is_escaped() {
        let mut out = Vec::new();
        line(&mut out, ".a `b-c` \\x 'd'");
        assert_eq!(out, b"\\&.a \\fBb\\-c\\fR \\ex \\(aqd\\(aq\n");
    }
}
