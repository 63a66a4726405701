"""Reads rows of --json in DuckDB, as docs/json.md describes.

    duckdb-rows.py URLGREP

The first value of most keys is in row 50,001, after all rows from which DuckDB
determines types. Needs the packages duckdb and pytz.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import duckdb

ROWS = 50_000
MAIL = """From: J <a@b.example>
Subject: s
Date: Mon, 3 Jun 2002 10:12:41 +0200
Message-ID: <1@b.example>
Content-Type: text/plain; name=a.txt

> see <URL:ftp://u:p@c.example:25/%0d
> x> and <URL:http://d.example/ two/three> http://h_st/
"""


def main() -> None:
    urlgrep = pathlib.Path(sys.argv[1]).resolve()
    docs = pathlib.Path("docs/json.md").read_text()
    [view] = re.findall(r"```sql columns\n(.*?)```", docs, re.DOTALL)
    [example] = re.findall(r"```sql\n(.*?)```", docs, re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        text = "".join(f"http://a{i}.example/\n\n" for i in range(ROWS))
        pathlib.Path("1.txt").write_text(text)
        pathlib.Path("2.eml").write_text(MAIL)
        options = ["--profile", "rfc1738", "--json", "--rejects=both", "--notes"]
        with open("hits.jsonl", "wb") as out:
            subprocess.run([urlgrep, *options, "1.txt", "2.eml"], stdout=out, check=True)
        duckdb.sql(view)
        check("hits", example)
        check("read_json('hits.jsonl', sample_size = -1)", example)


def check(table: str, example: str) -> None:
    """Compares the rows in DuckDB with the input of urlgrep."""

    def ask(query: str, expected: object) -> None:
        got = duckdb.sql(query.replace("TABLE", table)).fetchall()
        assert got == expected, f"{query}: {got}"

    ask("SELECT count(*) FROM TABLE", [(ROWS + 3,)])
    ask("SELECT type, port, role, depth, year(date::TIMESTAMP) FROM TABLE WHERE port IS NOT NULL",
        [("hit", 25, "quoted", 1, 2002)])
    ask('SELECT DISTINCT "from", subject, message_id, message_number, file_name FROM TABLE '
        'WHERE message_start = 0', [("J <a@b.example>", "s", "<1@b.example>", 1, "a.txt")])
    ask("SELECT rule, rule_at, rule_found, reason FROM TABLE WHERE type = 'reject'",
        [("hostname", 8, 95, "rfc1738 hostname, byte 8: `_`")])
    ask("SELECT seams[1].kind, seams[1].at, doubt[1] FROM TABLE WHERE len(doubt) > 0",
        [("space", 17, "inner-space")])
    ask("SELECT c.value FROM (SELECT unnest(components) AS c FROM TABLE) WHERE c.name = 'password'",
        [("p",)])
    ask("SELECT cautions FROM TABLE WHERE len(cautions) > 0",
        [(["password", "low-port", "encoded-cr"],)])
    years = duckdb.sql(example.replace("hits", table)).fetchall()
    assert (2002, "c.example", 1) in years and len(years) == ROWS + 2, len(years)


main()
