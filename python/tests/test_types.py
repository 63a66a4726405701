"""The stubs say what the package is, and its users are type-checked."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")
HERE = Path(__file__).parent
# It takes an alias of Literal for a type of its own.
ALLOWED = ["--allowlist", str(HERE / "stubtest.txt")]
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
    check(tmp_path, "mypy", "--strict", *map(str, HERE.glob("*.py")))


def test_the_stubs_are_true(tmp_path: Path) -> None:
    check(tmp_path, "mypy.stubtest", "--mypy-config-file", str(CONFIG), *ALLOWED, "urlgrep")
