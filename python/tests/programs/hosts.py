"""Counts hosts in a text."""

from collections import Counter

import urlgrep

text = "see http://a.example/ and http://a.example/b, or http://b.example/"
hosts: Counter[str] = Counter(hit.host for hit in urlgrep.find(text) if hit.host is not None)
assert hosts.most_common(1) == [("a.example", 2)]
