"""Takes a URL apart."""

import urlgrep
from urlgrep import Url

url: Url = urlgrep.validate("http://u@a.example:8080/b?c#d")
host: str | None = url.host
port: int | None = url.port
assert (url.scheme, host, port, url.query) == ("http", "a.example", 8080, "c")
