"""The stubs agree with the package, and code that uses it is type-checked."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from urlgrep import _urlgrep

pytest.importorskip("mypy")
HERE = Path(__file__).parent
CONFIG = HERE.parent / "pyproject.toml"


def check(folder: Path, *command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tests_are_typed(tmp_path: Path) -> None:
    check(tmp_path, "mypy", "--config-file", str(CONFIG), *map(str, HERE.glob("*.py")))


PROGRAMS = sorted((HERE / "programs").glob("*.py"))


def test_ten_programs_are_typed_and_run(tmp_path: Path) -> None:
    assert len(PROGRAMS) == 10
    check(tmp_path, "mypy", "--strict", "--config-file", str(CONFIG), *map(str, PROGRAMS))
    for program in PROGRAMS:
        done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("urlgrep.find(1)", "arg-type"),
        ('urlgrep.find("x", profile="rfc3986")', "arg-type"),
        ('urlgrep.find("x")[0].urls', "attr-defined"),
        ('urlgrep.scan("x", colums=["url"])', "call-arg"),
    ],
)
def test_mistakes_are_found(line: str, error: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(f"import urlgrep\n\n{line}\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(CONFIG), "wrong.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert f"[{error}]" in done.stdout, done.stdout


def test_the_stubs_agree_with_the_package(tmp_path: Path) -> None:
    allowed = (HERE / "stubtest.txt").read_text(encoding="utf-8")
    if hasattr(_urlgrep, "_panic_at"):
        allowed += "urlgrep._urlgrep.(__all__|_panic_at)\n"
    if not find_spec("pyspark"):
        allowed += "urlgrep.spark\n"
    (tmp_path / "allowed").write_text(allowed, encoding="utf-8")
    options = "--mypy-config-file", str(CONFIG), "--allowlist", "allowed"
    # pandas and polars may have types or not.
    check(tmp_path, "mypy.stubtest", *options, "--ignore-unused-allowlist", "urlgrep")
