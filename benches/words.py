"""Finds words whose cost for each byte grows with their length.

    python3 benches/words.py COMMAND [--cases 3000] [--seed 1] [--pipe] [OPTION...]

A URL may have `url_max` bytes, and a rule that reads the word so far at each of its marks takes
quadratic time in it. No test shows that if the rule does not count the bytes that it reads. This
program makes words of two random parts, repeated, after `http://a.example/` and something that
stands before a URL. It compares the processor time for words of 1,000 and of 8,000 bytes in texts of
one size, and prints the words for which the longer ones take more than twice as long. With `--pipe`
the text comes from a pipe, where it may be rows of a terminal. OPTIONs go to the command, such as
`--json` or `--refang`.

A word that was printed once may be noise of the machine: run it again with the same seed.
"""

import argparse
import random
import resource
import subprocess
import tempfile

BEFORE = [
    "", "u=", '"', "'", "(", "[", "<", "<URL:", "URL:", 'see "', "x='", "{", "{{", "`", "|", "| ",
    "> ", "# ", "// ", "* ", "a,", "http://b.example/?u=", '<a href="', "<a href=", "[a](",
    "\\url{", "<p>", "│ ", "1. ",
]  # fmt: skip
PARTS = [
    "", "a", "a ", "1", "a=1", "a.b", "a'b", "=", "=3D", "=20", "=E2", "=E2=80=A6", "=\n", "a=\n",
    ",", ";", ".", "..", "...", "-", "--", "-\n", "a-\n", "_", "~", "!", "!1", "?", "?a", "&",
    "&amp;", "&&", "&lt;", "&#x41;", "#", "%", "%20", "%41", "/", "//", "/*", "*/", "*", "'", "''",
    '"', "`", "(", ")", "()", "(a", "a)", "[", "]", "[]", "[...]", "{", "}", "{}", "{{", "}}", "${",
    "$", "$a", "$(", "<", ">", "<>", "</", "<b>", "</b>", "<wbr>", "|", "||", "\\", "\\n", "\\/",
    "\\u0026", "\\\n", "^", "@", ":", "::", "http:", "http://", "www.", "://", "+", "+\n", "\n",
    "\r\n", "\n ", "\n> ", ">\n", "\t", "é", "、", "。", "「", "」", "が", "“", "”", "…", "│",
    "│\n", "\u200b", "\x1b[0m", "\x08", "_\x08", "\0",
]  # fmt: skip
SHORT, LONG = 1000, 8000
TEXT = 100_000


def text(before, part, length):
    """Lines of one word each, `TEXT` bytes in all."""
    part = part.encode()
    word = before.encode() + b"http://a.example/" + part * (length // len(part)) + b" \n"
    return word * (TEXT // len(word))


def seconds(command, haystack, pipe):
    """The processor time of a run."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    if pipe:
        subprocess.run([*command, "-"], input=haystack, check=False, **quiet)
    else:
        with tempfile.NamedTemporaryFile() as file:
            file.write(haystack)
            file.flush()
            subprocess.run([*command, file.name], check=False, **quiet)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pipe", action="store_true")
    args, options = parser.parse_known_args()
    command = [args.command, "-j1", *options]
    choices = random.Random(args.seed)
    for _ in range(args.cases):
        before = choices.choice(BEFORE)
        part = choices.choice(PARTS) + choices.choice(PARTS)
        if not part:
            continue

        def least(length, times):
            haystack = text(before, part, length)
            return min(seconds(command, haystack, args.pipe) for _ in range(times))

        # Most words need a few milliseconds, of which the start is the most.
        if least(LONG, 1) < 0.03:
            continue
        long, short = least(LONG, 2), least(SHORT, 2)
        if long > 2 * short:
            print(f"{1000 * short:4.0f} -> {1000 * long:4.0f} ms  {before!r} {part!r}", flush=True)


if __name__ == "__main__":
    main()
