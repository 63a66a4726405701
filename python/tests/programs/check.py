"""Validates a URL by the rules of 1994."""

import urlgrep
from urlgrep import InvalidUrl, Profile

profile: Profile = "rfc1738"
try:
    urlgrep.validate("http://h_st/", profile)
except InvalidUrl as error:
    where: tuple[str, int] = error.rule, error.offset
    assert where == ("hostname", 8)
