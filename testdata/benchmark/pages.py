#!/usr/bin/env python3
"""Counts the URLs of the examples in README.md, docs/guide.md and docs/reference.md that a command finds.

    pages.py COMMAND [ARGUMENT...]

The examples are the files that these pages show with `$ cat NAME` and then search with
`$ urlgrep NAME`. The lines that follow are the right answers: a test runs urlgrep and
compares them. The command is called as by score.py. For each example it prints the number of
right URLs, the number of URLs of the example, and the number of other texts that the command
printed.
"""
import os
import re
import sys
import tempfile

from score import run

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = ["../../README.md", "../../docs/guide.md", "../../docs/reference.md"]


def examples():
    """Name, text and URLs of each example."""
    texts, urls = {}, {}
    for page in PAGES:
        with open(os.path.join(HERE, page), encoding="utf-8") as file:
            sessions = re.findall(r"^```console\n(.*?)^```", file.read(), re.M | re.S)
        for session in sessions:
            for step in re.split(r"^\$ ", session, flags=re.M)[1:]:
                command, _, output = step.partition("\n")
                match command.split():
                    case ["cat", name]:
                        texts[name] = output
                    case ["urlgrep", name] | ["urlgrep", "-n", name] if name in texts:
                        lines = output.splitlines()
                        numbered = "-n" in command.split()
                        urls[name] = [l.partition(":")[2] if numbered else l for l in lines]
    return [(name, texts[name], urls[name]) for name in urls]


def is_address(text):
    """A bare mail address. Some programs link these too, which is not wrong."""
    return "@" in text and ":" not in text


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    all_right, all_urls, all_wrong = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text, urls in examples():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            left = list(urls)
            wrong = 0
            for _, url in run(command, folder, [name])[name]:
                if url in left:
                    left.remove(url)
                elif url not in urls and not is_address(url):
                    wrong += 1
            right = len(urls) - len(left)
            print(f"{name}: {right} of {len(urls)}, {wrong} wrong")
            all_right += right
            all_urls += len(urls)
            all_wrong += wrong
    print(f"all: {all_right} of {all_urls}, {all_wrong} wrong")


if __name__ == "__main__":
    main()
