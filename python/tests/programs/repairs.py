"""Shows how a URL was rejoined."""

import urlgrep
from urlgrep import Alternate, Seam

[hit] = urlgrep.find("> <URL:http://a.example/\n> b>")
seams: list[Seam] = list(hit.seams)
others: list[Alternate] = list(hit.alternates)
assert [seam.kind for seam in seams] == ["line-break", "leader"] and others == []
