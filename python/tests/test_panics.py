"""The state of a scan after a panic. The build has the feature panics."""

from collections.abc import Iterator

import pytest
import urlgrep
from test_scan import MBOX, table
from urlgrep import _urlgrep

if not hasattr(_urlgrep, "_panic_at"):
    pytest.skip("built without the feature panics", allow_module_level=True)

GOOD = b"http://good.example/\n"


@pytest.fixture(autouse=True)
def no_panic_after() -> Iterator[None]:
    yield
    panic_at("")


def panic_at(place: str) -> None:
    _urlgrep._panic_at(place)  # type: ignore[attr-defined]


@pytest.mark.parametrize("place", ["caller", "thread", "sink"])
@pytest.mark.parametrize("inputs", [[MBOX, GOOD], [(MBOX, 100, 2000)]])
def test_a_panic_is_an_error_of_the_scan(place: str, inputs: object) -> None:
    panic_at(place)
    with pytest.raises(RuntimeError, match="urlgrep panicked"):
        list(urlgrep.scan(inputs))  # type: ignore[arg-type]
    # Through Arrow's C interface.
    with pytest.raises(Exception, match="urlgrep panicked"):
        table(inputs)
    panic_at("")
    assert table(inputs).num_rows > 1


def test_a_panic_of_a_worker_is_an_error_of_its_input() -> None:
    panic_at("row")
    for threads in [1, 3]:
        found = table([MBOX, b"no URL", MBOX], threads=threads).to_pylist()
        assert [row["type"] for row in found] == ["error", "error"]
        assert all("panic" in row["reason"] for row in found)


def test_a_panic_in_a_part_is_an_error() -> None:
    panic_at("row")
    with pytest.raises(RuntimeError, match="urlgrep panicked"):
        list(urlgrep.scan([(MBOX, 100, 2000)]))
