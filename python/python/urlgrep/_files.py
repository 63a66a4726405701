"""Files by path or URL: lists of folders, reads of ranges, and byte ranges."""

import glob
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from errno import ENOENT
from functools import cache, partial
from itertools import chain
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from ._urlgrep import is_divisible

HEAD = 8192
"""The number of bytes that show the format of a file."""
SMALLEST, LARGEST = 64 << 10, 1 << 20
"""The minimum and maximum number of bytes of one read from a remote file."""
THREADS = 16
"""The number of files that are opened in parallel, because remote files are slow."""

_URL = re.compile(r"([^:]+)(://[^/?]*)(/[^?]*)?(\?.*)?", re.DOTALL)
"""A URL: its scheme, its bucket or host, the path in it, and the options of its file
system."""
_WEB = "http://", "https://"
_ARROW = "abfs", "abfss", "gcs", "gs", "hdfs", "s3", "viewfs"
"""The schemes of pyarrow.fs. In other schemes the query is a part of the name."""

Listed = tuple[str, int | None]
"""A file and its size; None if the size is not known."""


class Split(NamedTuple):
    """A part of a file."""

    path: str
    """A local path or a URL."""
    start: int | None
    """The offset of its first byte; None if the file is searched whole."""
    end: int | None
    """The offset after its last byte; None for the end of the file."""


class Part(NamedTuple):
    """A split, and its length; None if it is not known."""

    split: Split
    length: int | None


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

    def of_pyarrow(self, path: str) -> tuple[Any, str]:
        """The path as a path in a file system of pyarrow."""
        from pyarrow import fs

        local = self.local(path)
        if local is not None:
            return fs.LocalFileSystem(), local
        if arrow := self.arrow(path):
            return arrow
        filesystem, inner = _fsspec(path)
        return fs.PyFileSystem(fs.FSSpecHandler(filesystem)), inner

    def open(self, path: str, is_whole: bool = False) -> Any:
        """A binary file object with read, and with seek unless is_whole is set."""
        local = self.local(path)
        if local is not None:
            return open(local, "rb", buffering=0)
        if arrow := self.arrow(path):
            filesystem, inner = arrow
            return filesystem.open_input_file(inner)
        filesystem, inner = _fsspec(path)
        if is_whole and inner.startswith(_WEB):
            # One request. Some servers do not know ranges.
            return filesystem.open(inner, "rb", block_size=0)
        return filesystem.open(inner, "rb", cache_type="none")

    def list(self, path: str) -> Iterator[Listed]:
        """The files of a path, a folder or a pattern, in order. A folder in which a
        pattern matches is listed too. FileNotFoundError if there are none."""
        inner, options = self.local(path), ""
        if inner is not None:
            walk, match = _walk_local, _match_local
        elif arrow := self.arrow(path):
            filesystem, inner = arrow
            path, question, options = path.partition("?")
            options = question + options
            walk, match = partial(_walk_arrow, filesystem), partial(_match_arrow, filesystem)
        else:
            filesystem, inner = _fsspec(path)
            walk, match = partial(_walk_fsspec, filesystem), partial(_match_fsspec, filesystem)
        try:
            found = walk(inner)
        except FileNotFoundError:
            if not _is_pattern(inner):
                raise
            matches = dict(chain.from_iterable(map(match, _braces(inner))))
            if not matches:
                raise
            found = iter(sorted(matches.items()))
            path, inner = _base(path), _base(inner)
        path, inner = path.rstrip("/"), inner.rstrip("/")
        for name, size in found:
            yield path + name[len(inner) :] + options, size

    def arrow(self, path: str) -> tuple[Any, str] | None:
        """The file system of pyarrow.fs that has the path, and the path in it."""
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

    def input(self, split: Split, pool: ThreadPoolExecutor | None = None) -> tuple[Any, ...]:
        """The split as an input of a scan."""
        path, start, end = split
        local = self.local(path)
        if local is not None and local == path:
            return path, start or 0, end
        source: Any = local
        if local is None:
            source = RemoteFile(partial(self.open, path, is_whole=not (start or end)), pool)
        return source, start or 0, end, self.name(path)


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


def _is_pattern(path: str) -> bool:
    return glob.has_magic(path) or "{" in path


def _braces(pattern: str) -> Iterator[str]:
    """The pattern without alternatives: a{b,c} becomes ab and ac."""
    match = re.search(r"\{([^{}]*,[^{}]*)\}", pattern)
    if not match:
        yield pattern
        return
    for one in match[1].split(","):
        yield from _braces(pattern[: match.start()] + one + pattern[match.end() :])


def _base(pattern: str) -> str:
    """The folder in which all matches of the pattern are."""
    return re.split(r"[*?\[{]", pattern, maxsplit=1)[0].rpartition("/")[0]


def _walk_local(path: str) -> Iterator[Listed]:
    return _below(path) if os.path.isdir(path) else iter([(path, os.path.getsize(path))])


def _below(path: str) -> Iterator[Listed]:
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


def _match_local(pattern: str) -> Iterator[Listed]:
    return chain.from_iterable(map(_walk_local, glob.glob(pattern, recursive=True)))


def local_matches(pattern: str) -> list[str]:
    """The paths that match a pattern, in order."""
    found = (glob.glob(one, recursive=True) for one in _braces(pattern))
    return sorted(set(chain.from_iterable(found)))


def _walk_arrow(filesystem: Any, inner: str) -> Iterator[Listed]:
    from pyarrow import fs

    info = filesystem.get_file_info(inner)
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), inner)
    if info.type != fs.FileType.Directory:
        return iter([(inner, info.size)])
    inside = filesystem.get_file_info(fs.FileSelector(inner, recursive=True))
    files = (info for info in inside if info.type == fs.FileType.File)
    return iter(sorted((info.path, info.size) for info in files))


def _match_arrow(filesystem: Any, pattern: str) -> Iterator[Listed]:
    kinds = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\[[^/\]]+\])", pattern)
    set_ = lambda piece: piece.replace("[!", "[^") if piece[:1] == "[" else re.escape(piece)
    regex = re.compile("".join(kinds.get(piece) or set_(piece) for piece in pieces) + "(?:/.*)?")
    return (found for found in _walk_arrow(filesystem, _base(pattern)) if regex.fullmatch(found[0]))


def _walk_fsspec(filesystem: Any, inner: str) -> Iterator[Listed]:
    if inner.startswith(_WEB) and not inner.endswith("/"):
        # find would read the whole file, and look for links.
        return iter([(inner, filesystem.info(inner).get("size"))])
    inside = filesystem.find(inner, detail=True)
    if not inside:
        # An empty folder has no files. info raises an exception if there is nothing.
        filesystem.info(inner)
    return iter(sorted((name, info.get("size")) for name, info in inside.items()))


def _match_fsspec(filesystem: Any, pattern: str) -> Iterator[Listed]:
    walk = partial(_walk_fsspec, filesystem)
    return chain.from_iterable(map(walk, filesystem.glob(pattern)))


class RemoteFile:
    """A file object that reads blocks. The first read opens the file.

    The first block is small, so that a short read costs little. Consecutive
    blocks grow, so that a long read takes few requests. If there is a pool, one of
    its threads reads the next block in advance. If the file cannot be opened, the
    first read fails.
    """

    def __init__(self, opener: Callable[[], Any], pool: ThreadPoolExecutor | None = None) -> None:
        self._opener = opener
        self._pool = pool
        self._file: Any = None
        # The position of the file object, and the offset of the next read.
        self._position = self._at = 0
        self._start, self._block = 0, b""
        self._size = SMALLEST
        # The end of the file, when it is known.
        self._end: int | None = None
        # The file that is read after this one.
        self.after: RemoteFile | None = None
        # The offset of the block that is read in advance.
        self._ahead: tuple[int, Future[bytes]] | None = None

    def seek(self, offset: int) -> None:
        """Sets the offset of the next read."""
        self._at = offset

    def read(self, size: int) -> bytes:
        """The next bytes, at most size. Empty at the end."""
        if self._at == self._end:
            return b""
        if not self._start <= self._at < self._start + len(self._block):
            self._next_block()
        skip = self._at - self._start
        data = self._block[skip : skip + size]
        self._at += len(data)
        return data

    def _start_others(self) -> None:
        """Reads the first blocks of the next files in advance."""
        file = self.after
        for _ in range(THREADS):
            if file is None:
                return
            if file._pool and not file._ahead and not file._block:
                file._ahead = 0, file._pool.submit(file._read_at, 0, SMALLEST)
            file = file.after

    def _next_block(self) -> None:
        if self._pool and not self._block:
            self._start_others()
        follows = self._at == self._start + len(self._block)
        self._size = min(2 * self._size, LARGEST) if follows else SMALLEST
        block = None
        if self._ahead:
            # Also if it is not wanted, because two threads cannot read the file.
            (offset, future), self._ahead = self._ahead, None
            result = future.result()
            block = result if offset == self._at else None
        if block is None:
            block = self._read_at(self._at, self._size)
        self._start, self._block = self._at, block
        if self._pool and block:
            at, size = self._at + len(block), min(2 * self._size, LARGEST)
            self._ahead = at, self._pool.submit(self._read_at, at, size)

    def _read_at(self, offset: int, size: int) -> bytes:
        if self._file is None:
            self._file, self._position = self._opener(), 0
        if self._position != offset:
            self._file.seek(offset)
        block = self._file.read(size)
        if not isinstance(block, bytes) or len(block) > size:
            raise OSError("read returned a wrong type or too many bytes")
        self._position = offset + len(block)
        if not block:
            # Close it now, because a task may have many files.
            self._file.close()
            self._file, self._end = None, offset
        return block


def number_of_bytes(text: int | str) -> int:
    """A number of bytes, such as 64m."""
    match = re.fullmatch(r"(\d+)([kmg]?)b?", str(text).strip().lower())
    if not match or not int(match[1]):
        raise ValueError(f"not a number of bytes: {text}")
    return int(match[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[match[2]]


def parts(files: Files, paths: Iterable[str], size: int, as_: Any) -> list[Part]:
    """The parts of all files. A divisible file of more than size bytes is
    divided into equal parts."""
    found: list[Listed] = []
    for path in paths:
        try:
            found += list(files.list(path))
        except Exception:
            # The scan opens the path again, and returns an error row.
            found.append((path, None))
    large = [name for name, length in found if length is not None and length > size]
    with ThreadPoolExecutor(THREADS) as pool:
        divisible = dict(zip(large, pool.map(lambda name: files.is_divisible(name, as_), large)))
    out = []
    for name, length in found:
        if length is None or not divisible.get(name):
            out.append(Part(Split(name, None, None), length))
            continue
        step = -(-length // -(-length // size))
        for start in range(0, length, step):
            end = start + step if start + step < length else None
            out.append(Part(Split(name, start, end), min(step, length - start)))
    return out


def packed(
    found: Iterable[Part], size: int, open_cost: int = 0, most: int = sys.maxsize
) -> Iterator[list[Part]]:
    """Groups of adjacent parts, each of up to size bytes and most parts. Opening a file
    counts as open_cost bytes. A part whose length is not known is a group of its own."""
    group: list[Part] = []
    room = 0
    for part in found:
        cost = size if part.length is None else part.length + open_cost
        if group and (cost > room or len(group) >= most):
            yield group
            group = []
        if not group:
            room = size + open_cost
        group.append(part)
        room -= cost
    if group:
        yield group


def splits(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    split: int | str = "64m",
    as_: str | None = None,
    filesystem: str | None = None,
) -> list[list[Split]]:
    """Divides files into jobs for different processes or machines. Each is a list of parts
    that read searches.

    >>> import urlgrep
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with open(f"{folder}/a.txt", "w") as file:
    ...         _ = file.write("see http://a.example/ and\\n\\n" * 1000)
    ...     jobs = urlgrep.splits(folder, split="10k")
    ...     [[(part.start, part.end) for part in job] for job in jobs]
    ...     sum(1 for job in jobs for row in urlgrep.read(job))
    [[(0, 9000)], [(9000, 18000)], [(18000, None)]]
    1000

    A path is a path or URL of a file, a folder, or a pattern, as in scan. A file of
    more than split bytes is divided, if it is divisible. This reads its first 8 KiB.
    Smaller files share a job, up to split bytes. split is a number of bytes, or a
    number with the suffix k, m or g. A path that cannot be read is one part.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else paths
    size = number_of_bytes(split)
    names = [os.fspath(path) for path in given]
    found = parts(Files(filesystem), names, size, as_)
    return [[part.split for part in group] for group in packed(found, size)]
