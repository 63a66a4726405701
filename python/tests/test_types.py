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
