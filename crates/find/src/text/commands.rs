//! The words of a shell: the commands with which a line of it begins.

use super::class::is_blank;

/// Words with which a command of a shell begins, or that stand between commands.
const COMMANDS: [&[u8]; 52] = [
    b"apt",
    b"bash",
    b"break",
    b"cat",
    b"cd",
    b"chmod",
    b"continue",
    b"cp",
    b"curl",
    b"do",
    b"docker",
    b"done",
    b"echo",
    b"elif",
    b"else",
    b"esac",
    b"exec",
    b"exit",
    b"export",
    b"false",
    b"fi",
    b"for",
    b"git",
    b"grep",
    b"if",
    b"ln",
    b"ls",
    b"make",
    b"mkdir",
    b"mv",
    b"npm",
    b"pip",
    b"printf",
    b"pwd",
    b"python",
    b"python3",
    b"read",
    b"return",
    b"rm",
    b"set",
    b"sh",
    b"sleep",
    b"source",
    b"sudo",
    b"tar",
    b"then",
    b"true",
    b"unset",
    b"unzip",
    b"wait",
    b"wget",
    b"while",
];

/// The maximum length of a command.
pub(crate) const COMMAND_MAX: usize = 8;

/// True for the name of a command.
pub(crate) fn is_command(word: &[u8]) -> bool {
    COMMANDS.binary_search(&word).is_ok()
}

/// Commands that take a URL and are no words of prose.
const FETCHERS: [&[u8]; 10] = [
    b"apt", b"curl", b"docker", b"git", b"npm", b"pip", b"python", b"python3", b"sudo", b"wget",
];

/// True if `line` begins with a command that takes a URL, or with any after the mark of a prompt.
pub(crate) fn begins_command(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let (line, has_prompt) = match line {
        [b'$' | b'#' | b'%', b' ', rest @ ..] => (rest.trim_ascii_start(), true),
        _ => (line, false),
    };
    let Some(end) = line.iter().position(|&b| is_blank(b)) else {
        return false;
    };
    let word = &line[..end];
    FETCHERS.contains(&word) || has_prompt && is_command(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_in_byte_order() {
        assert!(COMMANDS.is_sorted() && COMMANDS.iter().all(|word| word.len() <= COMMAND_MAX));
        assert!(is_command(b"ls") && !is_command(b"type") && !is_command(b""));
    }

    #[test]
    fn lines_of_a_shell() {
        for line in ["curl -s ", "$ curl -s ", "  # wget "] {
            assert!(begins_command(line.as_bytes()), "{line}");
        }
        for line in ["", "curl", "see ", "the curl ", "$curl ", "read ", "make "] {
            assert!(!begins_command(line.as_bytes()), "{line}");
        }
    }
}
