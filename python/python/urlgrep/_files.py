"""Files by path or URL: lists of folders, reads of ranges, and byte ranges."""

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from . import is_divisible

HEAD = 8192
"""The number of bytes that show the format of a file."""
SMALLEST, LARGEST = 64 << 10, 1 << 20
"""The minimum and maximum number of bytes of one read from a remote file."""
DRIVER_THREADS = 16
"""The number of files that are opened in parallel, because remote files are slow."""


_URL = re.compile(r"([^:]+)(://[^/?]*)(/[^?]*)?(\?.*)?", re.DOTALL)
"""A URL: its scheme, its bucket or host, the path in it, and the options of its file
system."""
_ARROW = "abfs", "abfss", "gcs", "gs", "hdfs", "s3", "viewfs"
"""The schemes of pyarrow.fs. In other schemes the query is a part of the name."""


class Part(NamedTuple):
    """A part of a file; the whole file if start is None."""

    path: str
    start: int | None
    end: int | None
    length: int


class Files:
    """Lists and opens local paths and URLs.

    If kind is "arrow" or "fsspec", that package opens all paths. Otherwise Python
    opens local files. pyarrow.fs opens URLs with a scheme that it supports, and
    fsspec opens all other URLs.
    """

    def __init__(self, kind: str | None = None) -> None:
        if kind not in (None, "arrow", "fsspec"):
            raise ValueError(f"filesystem is arrow or fsspec: {kind}")
        self.kind = kind

    def local(self, path: str) -> str | None:
        """The local path of path, if Python opens it."""
        if self.kind:
            return None
        if path.startswith("file:///"):
            return url2pathname(urlsplit(path).path)
        return None if "://" in path else path

    def name(self, path: str) -> str:
        """The path as in the column path: a URL without a password and options."""
        match = _URL.fullmatch(path)
        if not match:
            return path
        scheme, host, inner, options = match.groups("")
        if self.kind != "fsspec" and scheme in _ARROW:
            options = ""
        return scheme + re.sub("://.*:.*@", "://", host) + inner + options

    def open(self, path: str) -> Any:
        """A binary file object with read and seek."""
        local = self.local(path)
        if local is not None:
            return open(local, "rb", buffering=0)
        arrow = self._arrow(path)
        if arrow:
            filesystem, inner = arrow
            return filesystem.open_input_file(inner)
        filesystem, inner = _fsspec(path)
        return filesystem.open(inner, "rb", cache_type="none")

    def list(self, path: str) -> Iterator[tuple[str, int | None]]:
        """The file, or all files in the folder, with their sizes. The size is
        None if it is not known."""
        try:
            local = self.local(path)
            if local is not None and local == path:
                yield from _list_local(path)
            elif local is not None:
                for name, size in _list_local(local):
                    yield path.rstrip("/") + name[len(local.rstrip("/")) :], size
            elif arrow := self._arrow(path):
                yield from _list_arrow(*arrow, path)
            else:
                yield from _list_fsspec(*_fsspec(path), path)
        except Exception:
            # The scan opens the path again, and returns an error row.
            yield path, None

    def _arrow(self, path: str) -> tuple[Any, str] | None:
        if self.kind == "fsspec":
            return None
        if "://" not in path:
            path = "file://" + os.path.abspath(path)
        match = _URL.fullmatch(path)
        found = match and _arrow_root(f"{match[1]}{match[2]}/{match[4] or ''}")
        if match and found:
            filesystem, root = found
            return filesystem, f"{root.rstrip('/')}/{(match[3] or '/')[1:]}"
        if self.kind == "arrow":
            raise ValueError(f"pyarrow.fs does not know this URL: {path}")
        return None

    def is_divisible(self, path: str, as_: Any) -> bool:
        """True if the file can be searched in parts."""
        try:
            with self.open(path) as file:
                head = b""
                while len(head) < HEAD and (more := file.read(HEAD - len(head))):
                    head += more
        except Exception:
            # The scan reads the file again, and returns an error row.
            return False
        return is_divisible(head, as_=as_)


@cache
def _arrow_root(url: str) -> tuple[Any, str] | None:
    """The file system of a URL, and the path of its root."""
    from pyarrow import ArrowInvalid, fs

    try:
        found: tuple[Any, str] = fs.FileSystem.from_uri(url)
    except ArrowInvalid:
        return None
    return found


def _fsspec(path: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    found: tuple[Any, str] = url_to_fs(path)
    return found


def _list_local(path: str) -> Iterator[tuple[str, int | None]]:
    if glob.has_magic(path) and not os.path.lexists(path):
        names = sorted(glob.glob(path, recursive=True))
        if names:
            yield from chain.from_iterable(map(_list_local, names))
            return
    if not os.path.isdir(path):
        yield path, os.path.getsize(path)
        return
    folders = [path]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name))
        except OSError:
            yield folder, None
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry.path, entry.stat(follow_symlinks=False).st_size


def _list_arrow(filesystem: Any, inner: str, path: str) -> Iterator[tuple[str, int | None]]:
    from pyarrow import fs

    info = filesystem.get_file_info(inner)
    if info.type != fs.FileType.Directory:
        yield path, info.size
        return
    # The options of the file system come after the name of each file.
    folder, query, options = path.partition("?")
    inside = filesystem.get_file_info(fs.FileSelector(inner, recursive=True))
    for info in sorted(inside, key=lambda info: info.path):
        if info.type == fs.FileType.File:
            name = folder.rstrip("/") + info.path[len(inner.rstrip("/")) :]
            yield name + query + options, info.size


def _list_fsspec(filesystem: Any, inner: str, path: str) -> Iterator[tuple[str, int | None]]:
    inside = filesystem.find(inner, detail=True)
    for name, info in sorted(inside.items()):
        yield path.rstrip("/") + name[len(inner.rstrip("/")) :], info.get("size")
    if not inside:
        yield path, None


class RemoteFile:
    """A file object that reads blocks. The first read opens the file.

    The first block is small, so that a short read costs little. Consecutive
    blocks grow, so that a long read takes few requests. If the file cannot be
    opened, the first read fails.
    """

    def __init__(self, opener: Callable[[], Any]) -> None:
        self._opener = opener
        self._file: Any = None
        # The position of the file object, and the offset of the next read.
        self._position = self._at = 0
        self._start, self._block = 0, b""
        self._size = SMALLEST

    def seek(self, offset: int) -> None:
        """Sets the offset of the next read."""
        self._at = offset

    def read(self, size: int) -> bytes:
        """The next bytes, at most size. Empty at the end."""
        if not self._start <= self._at < self._start + len(self._block):
            self._next_block()
        skip = self._at - self._start
        data = self._block[skip : skip + size]
        self._at += len(data)
        return data

    def _next_block(self) -> None:
        if self._file is None:
            self._file, self._position = self._opener(), 0
        follows = self._at == self._start + len(self._block)
        self._size = min(2 * self._size, LARGEST) if follows else SMALLEST
        if self._position != self._at:
            self._file.seek(self._at)
        block = self._file.read(self._size)
        if not isinstance(block, bytes) or len(block) > self._size:
            raise OSError("read returned a wrong type or too many bytes")
        self._start, self._block = self._at, block
        self._position = self._at + len(block)
        if not block:
            # Close it now, because a task may have many files.
            self._file.close()
            self._file = None


def parts(files: Files, paths: Iterable[str], size: int, as_: Any) -> list[Part]:
    """The parts of all files. A divisible file of more than size bytes is
    divided into equal parts."""
    found = [item for path in paths for item in files.list(path)]
    large = [name for name, length in found if length is not None and length > size]
    with ThreadPoolExecutor(DRIVER_THREADS) as pool:
        divisible = dict(zip(large, pool.map(lambda name: files.is_divisible(name, as_), large)))
    out = []
    for name, length in found:
        if length is None or not divisible.get(name):
            out.append(Part(name, None, None, length or 0))
            continue
        step = -(-length // -(-length // size))
        for start in range(0, length, step):
            end = start + step if start + step < length else None
            out.append(Part(name, start, end, min(step, length - start)))
    return out
