"""The examples of the documentation."""

import doctest
import os
import re
from pathlib import Path
from typing import Any

import pytest
import urlgrep

pa = pytest.importorskip("pyarrow")

README = Path(__file__).parents[1] / "README.md"
ROOT = Path(__file__).parents[2] / "README.md"
FUNCTIONS = [
    "canonical",
    "columns",
    "find",
    "is_divisible",
    "message",
    "resolve",
    "scan",
    "splits",
    "validate",
]


SPARK = {
    "int64": "bigint",
    "string": "string",
    "binary": "binary",
    "bool": "boolean",
    "timestamp[us, tz=UTC]": "timestamp",
}


def spark_type(ty: Any) -> str:
    """The type of a column in Spark, as in a schema."""
    if pa.types.is_list(ty):
        return f"array<{spark_type(ty.value_type)}>"
    if pa.types.is_struct(ty):
        fields = [ty.field(i) for i in range(ty.num_fields)]
        return f"struct<{','.join(f'{f.name}:{spark_type(f.type)}' for f in fields)}>"
    return SPARK[str(ty)]


def test_the_page_of_columns() -> None:
    # URLGREP_WRITE=1 writes the tables anew.
    page = ROOT.parent / "docs" / "columns.md"
    text = page.read_text(encoding="utf-8")
    columns = urlgrep.columns()
    schema = pa.schema(urlgrep.scan([], columns=[name for name, *_ in columns]))
    assert pa.schema(urlgrep.scan([])).names == [name for name, _, usual in columns if usual]
    for wanted in [True, False]:
        rows = ["| column | Arrow | Spark | meaning |", "| --- | --- | --- | --- |"]
        for name, meaning, usual in columns:
            ty = schema.field(name).type
            arrow = str(ty).replace("element: ", "").replace(" not null", "")
            if usual == wanted:
                rows.append(f"| `{name}` | `{arrow}` | `{spark_type(ty)}` | {meaning} |")
        before, after = f"<!-- {'usual' if wanted else 'more'} -->\n\n", "\n\n<!-- end -->"
        start = text.index(before) + len(before)
        text = text[:start] + "\n".join(rows) + text[text.index(after, start) :]
    if os.environ.get("URLGREP_WRITE"):
        page.write_text(text, encoding="utf-8")
    assert page.read_text(encoding="utf-8") == text


def test_readme() -> None:
    failed, attempted = doctest.testfile(str(README), module_relative=False)
    assert attempted > 5 and failed == 0


def test_readme_of_the_project(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Mail").mkdir()
    monkeypatch.chdir(tmp_path)
    [code] = re.findall("```python\n(.*?)```", ROOT.read_text(encoding="utf-8"), re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out == (
        "http://www.example.org/drafts/fields.html (9, 52) www.example.org\n"
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings(name: str) -> None:
    doc = getattr(urlgrep, name).__doc__
    test = doctest.DocTestParser().get_doctest(doc, {}, name, None, 0)
    failed, attempted = doctest.DocTestRunner().run(test)
    assert attempted > 1 and failed == 0
