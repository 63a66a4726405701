"""The function message, and the hits that it returns."""

import pickle
from email.message import EmailMessage

import pytest
from urlgrep import message


def an_email() -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = "minutes"
    mail["X-Url"] = "<http://www.example.org/me/>"
    mail["List-Archive"] = "<http://lists.example.org/archive/>"
    mail.set_content("> http://a.example/minutes\n\nhttp://b.example/own\n", cte="quoted-printable")
    mail.add_alternative('<a href="http://c.example/?a&amp;b">x</a>', subtype="html", cte="base64")
    return mail


def test_an_email_message() -> None:
    mail = an_email()
    data = mail.as_bytes()
    hits = message(mail)
    assert hits == message(data) == message(bytearray(data))
    assert [(hit.url, hit.role, hit.depth, hit.part, hit.header) for hit in hits] == [
        ("http://www.example.org/me/", "header", None, None, "X-Url"),
        ("http://a.example/minutes", "quoted", 1, "1", None),
        ("http://b.example/own", "body", None, "1", None),
        ("http://c.example/?a&b", "body", None, "2", None),
    ]
    assert [hit.content_type for hit in hits] == [None, "text/plain", "text/plain", "text/html"]
    assert [hit.decoded for hit in hits] == [False, False, False, True]
    for hit in hits[:3]:
        assert b"".join(data[slice(*segment)] for segment in hit.segments) == hit.url.encode()
    assert hits[3].span == (0, len(hits[3].url))
    assert repr(hits[1]).endswith(", form='bare', role='quoted')")
    assert pickle.loads(pickle.dumps(hits)) == hits


def test_an_attachment() -> None:
    mail = EmailMessage()
    mail.set_content("http://a.example/\n")
    mail.add_attachment("http://b.example/\n", filename="my letter.txt")
    assert [(hit.url, hit.file_name) for hit in message(mail)] == [
        ("http://a.example/", None),
        ("http://b.example/", "my letter.txt"),
    ]


def test_a_message_is_not_a_str() -> None:
    with pytest.raises(TypeError):
        message("Subject: x\n\nhttp://a.example/\n")  # type: ignore[arg-type]
    assert message(b"") == []


def test_an_error_of_the_message_is_passed_on() -> None:
    class Bad:
        def as_bytes(self) -> bytes:
            raise RuntimeError("gone")

    with pytest.raises(RuntimeError, match="gone"):
        message(Bad())
