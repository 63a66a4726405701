"""Reads a message of the standard library."""

from email.message import EmailMessage

import urlgrep
from urlgrep import Hit

mail = EmailMessage()
mail["Subject"] = "x"
mail.set_content("> http://a.example/\n\nsee http://b.example/\n")
own: list[Hit] = [hit for hit in urlgrep.message(mail) if hit.role != "quoted"]
assert [str(hit) for hit in own] == ["http://b.example/"]
