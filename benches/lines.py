"""Finds texts that cost more for each byte the more lines they have, and texts that are dear.

    python3 benches/lines.py COMMAND [--cases 3000] [--seed 1] [--size 250000] [--pipe] [OPTION...]

Many rules look at the lines above and below, at what is open, such as a quotation, or at all names
so far. A rule that does so again at each line takes quadratic time, and no test shows that if the
rule does not count the bytes that it reads. This program makes texts of 1 to 5 kinds of lines, each
of them 1 to 30 times, until the text has its size. A kind may have no line end. The text stands alone
or in a frame, such as a mail. With `--pipe` it comes from a pipe, where it may be rows of a terminal.
OPTIONs go to the command, such as `--json`.

Each line of the output says what was found, the frame, how the kinds stand, and each kind with its
number. `№` is the number of the round. A `Repeated` has its part once more in each round, or about
2, 4, 8, ... 4,096 times (`powers`). What was found is one of these:

    growth    at 2 SIZE bytes each byte takes over 1.6 times as long as at SIZE, and at 4 SIZE
              over 1.6 times as long as at 2 SIZE. The three times are shown
    dear      over 0.6 s a MB, at 2 SIZE bytes
    status    a status over 1, a signal, a panic, or no end in 100 s, and what the command said

Look for the kind and the frame that findings share: other kinds may have no part in it. Times are
processor time of the user, the least of 3 runs. Near a limit they may be noise: use the seed again.
"""

import argparse
import base64
import functools
import json
import random
import resource
import subprocess
import tempfile
from typing import NamedTuple


class Repeated(NamedTuple):
    """A line with a part that is in it a number of times, which depends on the round."""

    before: str
    part: str
    after: str = "\n"
    powers: bool = False


# Rules that read blocks, or words of the processor, have their edges at powers of two.
POWERS = [2**exponent + more for exponent in range(1, 13) for more in (-1, 0, 1)]
MARKS = " \t\n>|-=_*#.,:;+~!?&%@$^/\\'\"`()[]<{}0a\0\x08\r\u00a0\u200b…│─あé"

KINDS = {
    "text and URLs": [
        "\n", "  \n", "\f\n", "some words of a text here\n", "abc\r", "http://a.example/abc\r\n",
        "a\0b\n", '"\n', "<\n", ">\n", "bbb>\n", "x" * 100 + "\n", "これはhttp://a.example/です\n",
        "http://a.example/path/page.html\n", "see http://a.example/p and more\n",
        "http://a.example/b\n", "see <http://a.example/aa\n", "<URL:http://a.example/aa\n",
        "http://a.example/abc-\n", "http://a.example/abc/\n", "http://a.example/?a=\n",
        "http://a.example/abc \n", "http://a.example/abc\\\n", "defghijk/lmnop\n",
        "abcdefgh/j" * 8 + "\n", "http://a.example/" + "abcdefghij" * 6 + "\n", "s://a\n",
        "   " + "abcdefghij" * 7 + "\n", "1. http://a.example/\n", "[№] http://a.example/\n",
    ],
    "replies": [
        "> > quoted text\n", ">\n", "| quoted\n", "AB> quoted text\n", "Name№> text\n", "<< a\n",
        "> http://a.example/abcdefghijklmnop/qrstuvwxyz/abcdefghijkl\n", "＞ quoted\n", "-> a\n",
        "> http://a.example/abc \n", "On Mon, 1 Jan 2001, John Smith wrote:\n", "wrote:\n",
        "<john@a.example> wrote:\n", "John Smith writes:\n", "On " + "Mon, " * 20 + "\n",
        "In article <123@a.example>, john@a.example (John) wrote:\n", "*From:* John\n",
        "-----Original Message-----\n", "---------- Forwarded message ---------\n",
    ],
    "ends of messages": [
        "-- \n", "--\n", "-" * 60 + "\n", "_" * 47 + "\n", "=" * 70 + "\n", "Thanks\n",
        "John Smith\n", "Best regards,\n", "Tel: +1 555 1234\n", "Sent from my iPhone\n",
        "John Smith  http://a.example/  john@a.example\n", "To unsubscribe: http://a.example/\n",
    ],
    "header fields and parts": [
        "From: John <john@a.example>\n", "To: a@a.example\n", "Cc:a\n", "X-Foo№: bar\n",
        "Subject: Re: see http://a.example/s\n", "  folded\n", "Message-ID: <№@a.example>\n",
        "References: <a@b> <c@d>\n", "Content-Type: text/plain; charset=utf-8\n", "=?a?q?b?=",
        "Content-Transfer-Encoding: base64\n", "Content-Transfer-Encoding: quoted-printable\n",
        " =?utf-8?B?aHR0cDovL2EuZXhhbXBsZS8=?=\n", " =?utf-8?q?=?utf-8?b?\n", "--BB\n", "--BB--\n",
        "--B№\n", "Content-Type: multipart/mixed; boundary=B№\n\n--B№\n",
        "Content-Type: message/rfc822\n\n", "--BB\nContent-Type: message/rfc822\n\nSubject: x\n\n",
        "--BB\nContent-Type: text/html\n\n<p>x http://a.example/\n",
        "--BB\nContent-Type: text/plain\n\nsee http://a.example/\n",
        "--BB\nContent-Transfer-Encoding: base64\n\naHR0cDovL2EuZXhhbXBsZS8=\n",
        "--BB\nContent-Type: multipart/alternative; boundary=C№\n\n--C№\n\nx\n",
        "--BB\nContent-ID: <a№@b>\nContent-Location: http://a.example/\nContent-Type: image/gif\n\n",
        "--BB\nContent-Type: text/plain; name*№*=utf-8''a№.txt; name*0=x\n\n", "#! rnews 100\n",
        "From a@a.example Mon Jan  1 00:00:00 2001\n", ">From a@a.example\n",
    ],
    "encodings": [
        "c2VlIGh0dHA6Ly9hLmV4YW1wbGUvYWJjZGVmZyBhbmQgbW9yZSB0ZXh0IHdoaWNoIGlz\n", "abc=\n", "=\n",
        "=41=\n", "=3D=20=E2=80=A6 http://a.example/=3D\n", "=3D", "=E2=80", "=\n<b>", "`\nend\n",
        "begin 644 a.txt\n", "M<V5E(&AT='`Z+R]A+F5X86UP;&4O(&%N9\"!M;W)E('1E>'0@:&5R92!A;F0@\n",
        "#0V%T\n", "=ybegin part=№ total=9 line=128 size=100 name=a.txt\n", "Hash: SHA256\n",
        "\x8e\x8f=n" * 20 + "\n", "-----BEGIN PGP SIGNED MESSAGE-----\n",
        "-----BEGIN PGP SIGNATURE-----\n", "-----END PGP SIGNATURE-----\n",
    ],
    "tags": [
        "<div>\n", "</div>\n", '<a href="http://a.example/">x</a>\n', "<blockquote>\n", "<b>\n",
        '<a href="http://a.example/\n', "</blockquote>\n", '<div class="gmail_quote">\n',
        '<span style="display:none">\n', "<style>.a{display:none} .b№{color:red}\n", "</style>\n",
        ".c№, #d№ { display: none; background:url(http://a.example/x) }\n", "<script>\n", "<!-- \n",
        '<p class="c№" id="d№">x\n', "</script>\n", "-->\n", "<![CDATA[\n", "<textarea>\n", "<p>\n",
        "<table><tr><td>\n", "</td></tr></table>\n", "<ul><li>\n", "<br>\n", "</p>\n", "<hr>\n",
        "&amp;&lt;&#104;ttp://a.example/\n", '<base href="http://b№.example/">\n', "<html><body>\n",
        "</body></html>\n", '<meta http-equiv="refresh" content="0;url=http://a.example/">\n',
        "<<<< <a <b\n", '<img src="cid:x" srcset="http://a.example/a 1x, http://a.example/b 2x">\n',
    ],
    "fragments without a line end": [
        "a<hr>", "<b>=", "<b>a</b>", "<p>a", "http://a/<wbr>b", "&amp;", "&#104;ttp://a/&lt;",
        "<a href=http://a/>b</a>", "<a name=x></a>b", "<blockquote>a</blockquote>b", "<!--a-->b",
        "<div class=gmail_signature>a</div>b", "<a b=c ", "<div><span class=gmail_quote>",
        "<style>l(l(l(l(", "<xmp>a</xmp>", "<b style='a:url(http://a/x)'>",
        "<iframe srcdoc='<a href=http://a/>'></iframe>", "<img srcset='a 1x, http://a/ 2x'>",
        "<li><a href=http://a/>http://a/</a>", "On 4 March 1901 the mayor wrote:<br>",
        "http://a.example/", "http://a.example/ ", "s://a ", "s://a,", "://", "a@b.example ", "> ",
        "[a](http://a/)", "{{a}}", "${a}", "\x1b[1m", "_\x08h", '{"a":', "\\n", "│ ", "\x0304",
    ],
    "rows, data and code": [
        "| http://a.example/path | cell |\n", "+------+------+\n", "├──────┼──────┤\n",
        "│ http://a.example/abcdefgh │\n", "* http://a.example/aaa *\n",
        "http://a.example/aaaa     http://a.example/bbbb\n", "\x1b[1mhttp://a.example/\x1b[0m\n",
        "more/path             more/path/abc\n", "http://a.example/abcdefgh" + " " * 55 + "\n",
        ("http://a.example/" + "abcdefghij" * 8)[:80] + "\n", "_\x08h_\x08t\n",
        "\x08\\://\n", "s://a\x08\x08\n",
        'a,"b http://a.example/c",d\n', 'a,"b http://a.example/\n', '"a""b",""","\n', '{"a":\n',
        "id,url,name\n", "a\thttp://a.example/\tb\n", '{"a":"http://a.example/","b":[1,2]}\n',
        "}\n", '{"a":"b http://a.example/\n', "BEGIN:VCARD\nURL:http://a.example/\n",
        '{"from":"a@a.example","subject":"x","body":"see http://a.example/","date":"2001-01-01"}\n',
        '{"id":"№","type":"PushEvent","payload":{"a":"see http://a.example/"}},\n',
        "DESCRIPTION:see http://a.example/ab\n c\n", "diff --git a/x b/x\n", "--- a/x\n+++ b/x\n",
        "@@ -1,9999 +1,9999 @@\n", "+see http://a.example/a\n", "\\url{http://a.example/\n",
        "${a}/{b} http://a.example/${c}/{{d}}\n", "[x](http://a.example/) [y][1]\n", "```\n",
        "[№]: http://a.example/\n", "// http://a.example/\n", '"http://a.example/" +\n',
    ],
    "growing lines": [
        Repeated("", ">", " x\n"), Repeated("", "a "), Repeated("", "-"),
        Repeated("", " ", "http://a.example/\n"), Repeated("http://a.example/", "b"),
        Repeated("", "> ", "http://a.example/\n"), Repeated("References: ", "<a@b> "),
    ],
    "runs": [Repeated("", mark, "", True) for mark in MARKS],
    "runs below a URL": [Repeated("http://a.example/b\n", mark, "c\n", True) for mark in MARKS],
}  # fmt: skip
ARRANGEMENTS = ["in turn"] * 6 + ["one after the other"] * 2 + ["in one line"] * 2
HEADER = "From: a@a.example\nSubject: x\nDate: Mon, 1 Jan 2001 00:00:00 +0000\nMIME-Version: 1.0\n"
QUOTED = "Content-Transfer-Encoding: quoted-printable\n\n"
# What stands before the text. `framed` encodes the text of some, and adds what follows it.
FRAMES = {
    "text": "",
    "HTML": "<!DOCTYPE html><html><body>\n",
    "JSON": '{"a":"b",\n',
    "string of JSON": '{"from":"a@a.example","subject":"x","body":"',
    "mbox": f"From a@a.example Mon Jan  1 00:00:00 2001\n{HEADER}\n",
    "header": HEADER,
    "mail": HEADER + "\n",
    "flowed": f"{HEADER}Content-Type: text/plain; format=flowed; delsp=yes\n\n",
    "quoted-printable": HEADER + QUOTED,
    "base64": f"{HEADER}Content-Transfer-Encoding: base64\n\n",
    "mail of HTML": f"{HEADER}Content-Type: text/html\n\n",
    "quoted-printable HTML": f"{HEADER}Content-Type: text/html\n{QUOTED}",
    "attachment": f"{HEADER}Content-Type: application/octet-stream\n\n",
    "parts": f"{HEADER}Content-Type: multipart/mixed; boundary=BB\n\n--BB\n",
    "alternatives": f"{HEADER}Content-Type: multipart/alternative; boundary=BB\n\n--BB\n\n",
}  # fmt: skip
GROWTH, DEAR, PATIENCE = 1.6, 0.6, 100


def rounds(kinds, size, line_end):
    """Rounds of pairs of a kind and how often it stands in a row."""
    parts, length, number = [], 0, 0
    while length < size:
        for kind, times in kinds:
            if isinstance(kind, Repeated):
                count = POWERS[number % len(POWERS)] if kind.powers else number + 1
                text = kind.before + kind.part * count + kind.after
            else:
                text = kind.replace("№", str(number))
            parts.append(text.replace("\n", line_end) * times)
            length += len(parts[-1])
        number += 1
    return "".join(parts).encode()[:size]


def framed(frame, arrangement, kinds, size):
    """The whole text."""
    groups = [[kind] for kind in kinds] if arrangement == "one after the other" else [kinds]
    line_end = " " if arrangement == "in one line" else "\n"
    body = b"".join(rounds(group, size // len(groups), line_end) for group in groups)
    if frame == "string of JSON":
        body = json.dumps(body.decode(errors="replace"), ensure_ascii=False)[1:].encode() + b"}\n"
    elif frame == "base64":
        body = base64.encodebytes(body)
    elif frame == "alternatives":
        body += b"\n--BB\nContent-Type: text/html\n\n" + body
    return FRAMES[frame].encode() + body + (b"\n--BB--\n" if "boundary=BB" in FRAMES[frame] else b"")


def run(command, haystack, pipe):
    """The processor time of a run, and what was wrong with its end."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    wrong = None
    with tempfile.NamedTemporaryFile() as file:
        file.write(haystack)
        file.flush()
        source = {"input": haystack} if pipe else {"stdin": subprocess.DEVNULL}
        output = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "timeout": PATIENCE}
        command = [*command, "-" if pipe else file.name]
        try:
            end = subprocess.run(command, check=False, **source, **output)
            if end.returncode not in (0, 1) or b"panicked" in end.stderr:
                wrong = f"{end.returncode}: {end.stderr.decode(errors='replace').strip()[:150]!r}"
        except subprocess.TimeoutExpired:
            wrong = f"none: no end in {PATIENCE} s"
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start, wrong


def findings(command, text, size, pipe):
    """What is to be said of a text, which `text` makes in any size."""

    def least(*sizes):
        """Sizes take turns, so that what else the machine does slows all of them."""
        turns = [[run(command, text(each), pipe)[0] for each in sizes] for _ in range(3)]
        return map(min, zip(*turns))

    double = text(2 * size)
    first, wrong = run(command, double, pipe)
    if wrong:
        yield f"status {wrong}"
    # Most texts need a few milliseconds, of which the start is the most. A larger SIZE finds more.
    elif first >= 0.05:
        short, middle = least(size, 2 * size)
        if middle > DEAR * len(double) / 1e6:
            yield f"dear {middle / len(double) * 1e6:.2f} s a MB"
        if middle > 2 * GROWTH * short:
            middle, long = least(2 * size, 4 * size)
            if long > 2 * GROWTH * middle:
                yield f"growth {short:.3f} -> {middle:.3f} -> {long:.3f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command")
    parser.add_argument("--cases", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=250_000)
    parser.add_argument("--pipe", action="store_true")
    args, options = parser.parse_known_args()
    command = [args.command, "-j1", "--no-config", *options]
    choices = random.Random(args.seed)
    every = [kind for kinds in KINDS.values() for kind in kinds]
    for _ in range(args.cases):
        frame, arrangement = choices.choice(list(FRAMES)), choices.choice(ARRANGEMENTS)
        number = choices.choice([1, 1, 1, 2, 2, 3, 4, 5])
        kinds = [(choices.choice(every), choices.choice([1, 1, 1, 2, 5, 30])) for _ in range(number)]
        text = functools.partial(framed, frame, arrangement, kinds)
        for finding in findings(command, text, args.size, args.pipe):
            shown = "  ".join(f"{times} x {kind!r}" for kind, times in kinds)
            print(f"{finding}  [{frame}] [{arrangement}]  {shown}", flush=True)


if __name__ == "__main__":
    main()
