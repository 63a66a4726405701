"""Resolves references, and compares URLs."""

import urlgrep

base = "http://a.example/b/c"
url: str = str(urlgrep.resolve(base, "../d"))
assert urlgrep.canonical(url) == urlgrep.canonical("HTTP://A.example:80/d")
