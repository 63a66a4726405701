"""Reads the stream of `urlgrep_scan` with pyarrow, and compares it with `urlgrep.scan`.

    python arrow.py LIBRARY PATH...

pyarrow stands for all Arrow libraries: those of R, Julia and Go import the same struct.
"""

import ctypes
import sys

import pyarrow
import urlgrep

library = ctypes.CDLL(sys.argv[1])
library.urlgrep_new.restype = ctypes.c_void_p
library.urlgrep_error.restype = ctypes.c_char_p
library.urlgrep_error.argtypes = library.urlgrep_free.argtypes = [ctypes.c_void_p]
library.urlgrep_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
library.urlgrep_scan.argtypes = [
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_char_p),
    ctypes.c_size_t,
    ctypes.c_void_p,
]


def scan(paths: list[str], options: dict[str, str]) -> pyarrow.Table:
    searcher = library.urlgrep_new()
    try:
        for option, value in options.items():
            if library.urlgrep_set(searcher, option.encode(), value.encode()) != 0:
                raise ValueError(library.urlgrep_error(searcher).decode())
        stream = ctypes.create_string_buffer(5 * ctypes.sizeof(ctypes.c_void_p))
        names = (ctypes.c_char_p * len(paths))(*(path.encode() for path in paths))
        if library.urlgrep_scan(searcher, names, len(paths), stream) != 0:
            raise ValueError(library.urlgrep_error(searcher).decode())
        reader = pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))
        return reader.read_all()
    finally:
        library.urlgrep_free(searcher)


paths = sys.argv[2:]
rows = scan(paths, {})
expected = pyarrow.table(urlgrep.scan(paths))
assert rows.schema == expected.schema
assert rows.combine_chunks().equals(expected.combine_chunks())
assert rows.num_rows > 30 and rows["type"].to_pylist()[-1] == "error"

options = {"fields": "url,host,date", "rejects": "true", "profile": "rfc1738", "threads": "1"}
some = scan(paths, options | {"batch-rows": "7"})
expected = urlgrep.scan(
    paths, columns=["url", "host", "date"], rejects=True, profile="rfc1738", batch_size=7
)
assert some.equals(pyarrow.table(expected))
assert [batch.num_rows for batch in some.to_batches()][:2] == [7, 7]
print(f"{rows.num_rows} rows are equal")
