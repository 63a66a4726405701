"""Links of HTML mail that each program finds, for the table in docs/answers.md.

    python3 benches/peers.py FOLDER [--mails 200] [--seed 2026] NAME='COMMAND' ...

What is asked: Python's `email` and lxml read each message of FOLDER (`*.eml`). A link is a `href`
of `a` or `area` in a part `text/html` that begins with http or https and that Ada, the URL parser
of Node, accepts. Each COMMAND gets the path of a message as its last argument, with its own
defaults otherwise, and prints one URL per line. A link is found if a line of the same message is
the same URL to Ada, so how a program writes a host or an escape does not matter. Lines that are no
such link are not counted against a program: they may be URLs of the text, which lxml does not judge.

Needs `pip install ada-url lxml`.
"""

import argparse
import email
import email.policy
import random
import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import ada_url
from lxml import html


def href(url):
    try:
        return ada_url.URL(url.strip()).href
    except ValueError:
        return None


def links(path):
    """The links of the message, as a browser writes them."""
    found = set()
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.compat32)
    for part in message.walk():
        body = part.get_payload(decode=True) if part.get_content_type() == "text/html" else None
        if not body:
            continue
        try:
            text = body.decode(part.get_content_charset() or "utf-8", "replace")
        except LookupError:
            text = body.decode("latin-1")
        parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
        try:
            page = html.fromstring(text.replace("\0", "").encode(), parser=parser)
        except Exception:  # lxml has many kinds of errors; such a page has no links here
            continue
        values = (tag.get("href") or "" for tag in page.iter("a", "area"))
        found |= {href(value) for value in values if re.match(r"\s*https?:", value, re.I)}
    return found - {None}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("peers", nargs="+")
    parser.add_argument("--mails", type=int, default=200)
    parser.add_argument("--seed", type=int, default=2026)
    args = parser.parse_args()
    mails = [(path, links(path)) for path in sorted(args.folder.glob("*.eml"))]
    mails = [(path, wanted) for path, wanted in mails if wanted]
    mails = random.Random(args.seed).sample(mails, min(args.mails, len(mails)))
    total = sum(len(wanted) for _, wanted in mails)
    print(f"{len(mails)} messages, {total} links, seed {args.seed}")
    for peer in args.peers:
        name, command = peer.split("=", 1)
        found = whole = failed = 0
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for path, wanted in mails:
            out = subprocess.run([*shlex.split(command), path], capture_output=True)
            lines = out.stdout.decode("utf-8", "replace").splitlines()
            hits = wanted & {href(line) for line in lines}
            found += len(hits)
            whole += hits == wanted
            failed += out.returncode not in (0, 1)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{name}: {found} links ({found / total:.1%}), {whole} messages whole, "
              f"{failed} failed, {1000 * spent / len(mails):.0f} ms of CPU each; `{command}`")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
