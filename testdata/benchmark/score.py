#!/usr/bin/env python3
"""Scores a command that finds URLs, by places whose URL people have written down.

    score.py [--out DIR] [--messages-only] [--wrong] COMMAND [ARGUMENT...]

The command gets the paths of the input files as further arguments. It prints a line for
each URL: path, tab, offset of the first byte of the URL in the file, tab, URL. A
command that does not know offsets prints `-`. README.md says what is counted, and why.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
ESCAPE = re.compile(rb"\\(x[0-9A-Fa-f]{2}|[nrtf\\])")
PLAIN = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"f": b"\f", b"\\": b"\\"}
# The message that each file of a place is: content type, transfer encoding.
DECLARED = {
    None: ("text/plain; charset=utf-8", "8bit"),
    "quoted-printable": ("text/plain", "quoted-printable"),
    "html": ("text/html", "7bit"),
    "quoted-printable html": ("text/html", "quoted-printable"),
}
SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]*$")
OPEN, CLOSE = "⸠", "⸡"


def unescape(text):
    def one(match):
        code = match[1]
        return bytes([int(code[1:], 16)]) if code[:1] == b"x" else PLAIN[code]

    return ESCAPE.sub(one, text.encode())


class Place:
    """A place of truth.toml: the question is which URL covers its mark."""

    def __init__(self, row):
        content_type, encoding = DECLARED[row.get("decode")]
        head = (
            "From: reader\nSubject: a place\nMIME-Version: 1.0\n"
            f"Content-Type: {content_type}\nContent-Transfer-Encoding: {encoding}\n\n"
        ).encode()
        text = unescape(row["context"])
        self.name = f"place-{row['n']:03}.eml"
        self.file = head + text
        self.mark = len(head) + row["at"]
        self.url = row.get("url")
        # The readers saw a URL that no document allows. To print it is neither right nor wrong.
        self.refused = bool(row.get("illegal") or row.get("refused") or row.get("doubt"))
        self.encoded = "decode" in row
        self.slashes = text[row["at"] :].startswith(b"://")
        scheme = SCHEME.search(text[max(0, row["at"] - 32) : row["at"]])
        self.text = text[row["at"] - len(scheme[0] if scheme else b"") :]

    def answer(self, found):
        """The URL that the command prints at the mark, or None."""
        covering = [
            (offset, url)
            for offset, url in found
            if offset is not None and offset <= self.mark < offset + len(url.encode())
        ]
        if covering:
            return max(covering)[1]
        unplaced = [url for offset, url in found if offset is None]
        if self.url in unplaced:
            return self.url
        # Without offsets: the URL that shares most with the text at the mark, at least
        # the scheme and the first byte after it.
        best, least = None, self.text.index(b":") + (4 if self.slashes else 2)
        for url in unplaced:
            shared = len(os.path.commonprefix([self.text, url.encode()]))
            if shared >= least:
                best, least = url, shared + 1
        return best


class Line:
    """A line of the test file of UTS #58: all its links, and nothing else."""

    def __init__(self, number, kind, text):
        self.name = f"line-{number:03}.txt"
        self.kind = kind
        self.urls = [part.split(CLOSE)[0] for part in text.split(OPEN)[1:]]
        self.file = (text.replace(OPEN, "").replace(CLOSE, "") + "\n").encode()


def places():
    with open(os.path.join(HERE, "../truth.toml"), "rb") as file:
        return [Place(row) for row in tomllib.load(file)["row"]]


def lines():
    """The lines of LinkDetectionTest.txt, but for those that link a mail address."""
    out = []
    with open(os.path.join(HERE, "../uts58/LinkDetectionTest.txt"), encoding="utf-8") as file:
        for text in file.read().splitlines():
            if not text.strip() or text.startswith("#"):
                continue
            links = [part.split(CLOSE)[0] for part in text.split(OPEN)[1:]]
            if any("@" in link and "/" not in link for link in links):
                continue
            if not links:
                kind = "no link"
            elif all("://" in link for link in links):
                kind = "with a scheme"
            else:
                kind = "`http://` put before the host"
                text = re.sub(OPEN + "(?![a-z]+://)", OPEN + "http://", text)
            out.append(Line(len(out), kind, text))
    return out


def run(command, folder, names):
    """What the command printed, by name of the file: offset or None, and URL."""
    paths = [os.path.join(folder, name) for name in names]
    result = subprocess.run(command + paths, stdout=subprocess.PIPE, check=False)
    found = defaultdict(list)
    for line in result.stdout.decode("utf-8", "replace").splitlines():
        fields = line.split("\t")
        if len(fields) != 3:
            sys.exit(f"not PATH, OFFSET, URL: {line!r}")
        path, offset, url = fields
        found[os.path.basename(path)].append((None if offset in ("", "-") else int(offset), url))
    return found


def per_cent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "–"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", help="folder for the input files (default: a temporary one)")
    parser.add_argument(
        "--messages-only", action="store_true", help="leave out the lines of UTS #58"
    )
    parser.add_argument("--wrong", action="store_true", help="list the wrong answers")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    if not args.command:
        parser.error("a command is needed")
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.out or temporary
        os.makedirs(folder, exist_ok=True)
        truth = places()
        uts58 = [] if args.messages_only else lines()
        for item in truth + uts58:
            with open(os.path.join(folder, item.name), "wb") as file:
                file.write(item.file)
        found = run(args.command, folder, [item.name for item in truth + uts58])

    def score(what, chosen):
        wanted = printed = right = 0
        for place in chosen:
            answer = place.answer(found[place.name])
            wants = place.url is not None and not place.refused
            wanted += wants
            printed += answer is not None and not (place.refused and answer == place.url)
            right += wants and answer == place.url
        print(f"{what}\t{len(chosen)}\t{per_cent(right, printed)} / {per_cent(right, wanted)}")

    print("set\tplaces\tprecision / recall")
    plain = [place for place in truth if not place.encoded]
    score("plain text, `://`", [place for place in plain if place.slashes])
    score("plain text", plain)
    score("all", truth)
    for kind in dict.fromkeys(line.kind for line in uts58):
        chosen = [line for line in uts58 if line.kind == kind]
        right = sum([url for _, url in found[line.name]] == line.urls for line in chosen)
        print(f"UTS #58, {kind}\t{len(chosen)}\t{right} right")
    if args.wrong:
        for place in truth:
            answer = place.answer(found[place.name])
            wants = place.url if not place.refused else None
            if answer != wants and not (place.refused and answer == place.url):
                print(f"{place.name}\twanted {wants!r}\tgot {answer!r}")
        for line in uts58:
            got = [url for _, url in found[line.name]]
            if got != line.urls:
                print(f"{line.name}\twanted {line.urls!r}\tgot {got!r}")


if __name__ == "__main__":
    main()
