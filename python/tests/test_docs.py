"""The examples of the documentation."""

import doctest
import re
from pathlib import Path

import pytest
import urlgrep

README = Path(__file__).parents[1] / "README.md"
ROOT = Path(__file__).parents[2] / "README.md"
FUNCTIONS = ["canonical", "find", "is_divisible", "message", "resolve", "scan", "validate"]


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
