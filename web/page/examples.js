// The examples of the page. The texts are our own.

const text = (...lines) => `${lines.join("\n")}\n`;

const EXAMPLES = [
  {
    name: "A wrapper broken in a quotation",
    about: "RFC 3986 (Appendix C) asks for the wrapper, so that the URL survives line breaks. A reply has added its quote marks.",
    text: text(
      "Ann wrote:",
      "> The draft is at <URL:http://www.example.org/drafts/",
      "> uri/second/fields.html#section",
      "> -2>; comments to < URL : mailto:",
      "> uri@example.org >.",
      "I read http://www.example.org/old.html, too (but http://h..example/ is none).",
    ),
  },
  {
    name: "Delimiters of RFC 3986, Appendix C",
    about: "Angle brackets, quotation marks and the prefix URL: each end a URL in their own way.",
    text: text(
      'Yes, Ben, I found it under "http://www.example.com/Test/", but you can get it from',
      "<ftp://ftp.example.net/pub/rfc/>.  Note the warning in <http://www.example.net/pub/",
      "ietf/uri/historical.html#WARNING>.",
      "See URL:http://www.example.com/a, and (http://www.example.com/b).",
    ),
  },
  {
    name: "Where a bare URL ends",
    about: "Full stops, brackets and words around a URL do not belong to it, but those inside of it do.",
    text: text(
      "Have you seen http://www.example.com/wiki/URL_(syntax)? It is better than",
      "http://www.example.com/wiki/URL. (And http://www.example.com/c++/faq, of course.)",
      "*http://www.example.com/bold* _http://www.example.com/plain_ 'http://www.example.com/q'",
      "http://www.example.com/a,http://www.example.com/b;http://www.example.com/c",
    ),
  },
  {
    name: "A bare URL over two lines",
    about: "A mail program has broken the line in the middle of a URL. Whether it goes on is a guess, so the page says what speaks for it.",
    text: text(
      "The minutes of the meeting are on the server of the department:",
      "http://www.example.org/departments/engineering/meetings/2004/",
      "minutes-of-the-second-meeting-in-march.html",
      "",
      "Please read them before Friday.",
    ),
  },
  {
    name: "A hyphen at the end of a line",
    about: "Is the hyphen part of the URL, or did a program add it? Both readings are shown.",
    text: text(
      "See <http://www.example.org/reports/auto-",
      "matic-tests.html> for the result.",
    ),
  },
  {
    name: "Quoted three times",
    about: "Each answer has added a quote mark, and one of them its own kind.",
    text: text(
      "> > | The archive: <http://lists.example.org/archives/",
      "> > | 1997/March/",
      "> > | msg00042.html>",
      "> > Thanks.",
      "> You are welcome.",
    ),
  },
  {
    name: "A Safe Link",
    about: "A mail gateway has put its own link around the original one. “Leads to” has the end.",
    text: text(
      "Please confirm here:",
      "https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fwww.example.com%2Fconfirm%3Fid%3D42%26utm_source%3Dmail&data=05%7C01%7C&sdata=abc&reserved=0",
      "",
      "Or by a search engine: https://www.google.com/url?q=https://www.example.org/page&sa=D",
    ),
  },
  {
    name: "A message in quoted-printable",
    about: "The soft line break and the escapes of the encoding are inside of the URL.",
    text: text(
      "From: ann@example.org",
      "To: ben@example.net",
      "Subject: the form",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Dear Ben, the form is at http://www.example.org/forms/registration.php?id=3D=",
      "1234&name=3Dben and must be sent by Monday.",
      "",
      "-- ",
      "Ann    http://ann.example.org/",
    ),
  },
  {
    name: "A message in base64",
    about: "The bytes of the URL are not in the text that you see. The page says in which part they are.",
    text: text(
      "From: ann@example.org",
      "Subject: hidden",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: base64",
      "",
      "VGhlIHBpY3R1cmVzIGFyZSBhdCBodHRwczovL3Bob3Rvcy5leGFtcGxlLm9yZy9hbm4vMjAyNC8K",
    ),
  },
  {
    name: "HTML whose text lies",
    about: "The text of the link shows another site than the one it leads to.",
    text: text(
      "From: bank@example.com",
      "Subject: Your account",
      "MIME-Version: 1.0",
      "Content-Type: text/html; charset=utf-8",
      "",
      "<p>Please log in at",
      '<a href="http://bank.example.net/login?a=1&amp;b=2">https://www.example.com/login</a>.</p>',
      '<img src="http://track.example.net/pixel.gif?u=ben%40example.org">',
    ),
  },
  {
    name: "A mailing list with its footer",
    about: "The footer and the header fields of the list are not what Ann wrote. “All header fields” shows the rest.",
    options: { headers: true },
    text: text(
      "From ann@example.org Mon Mar  3 10:00:00 1997",
      "From: Ann <ann@example.org>",
      "To: talk@lists.example.net",
      "Subject: [talk] servers",
      "Date: Mon, 3 Mar 1997 10:00:00 +0000",
      "List-Archive: <http://lists.example.net/talk/>",
      "",
      "The new server is http://www2.example.org/.",
      "",
      "-- ",
      "Ann Other, http://ann.example.org/",
      "_______________________________________________",
      "talk mailing list",
      "talk@lists.example.net",
      "http://lists.example.net/mailman/listinfo/talk",
    ),
  },
  {
    name: "Hosts without a scheme",
    about: "Mail programs make links of www.example.org, so this can be switched on.",
    options: { www: true },
    text: text(
      "Our shop is www.example.com/shop, and the forum forum.example.org/index.php.",
      "The file readme.txt and version 2.0.1 are no hosts. Neither is e.g. or i.e.",
    ),
  },
  {
    name: "Letters of all languages",
    about: "RFC 3987 allows them. Choose another document above, and they are refused.",
    text: text(
      "Bücher: http://www.bücher.example/straße?größe=1",
      "日本語の文書は http://例え.example/文書/一 にあります。",
      "По-русски: http://пример.example/страница",
      "The same in ASCII: http://www.xn--bcher-kva.example/stra%C3%9Fe",
    ),
  },
  {
    name: "Judged by RFC 1738 (1994)",
    about: "The documents of the first years allow less: no underscore in a host, no tilde in a path.",
    options: { profile: "rfc1738" },
    text: text(
      "Home pages: http://www.example.edu/~ann/ and http://h_st.example.edu/",
      "Files: ftp://ftp.example.edu/pub/doc;type=a",
      "Others: gopher://gopher.example.edu:70/00/about, news:comp.infosystems.www,",
      "wais://wais.example.edu/base?query, telnet://ann@host.example.edu:23/",
    ),
  },
  {
    name: "Links that may be a trap",
    about: "Each of them is a URL, and for each there is a reason to be careful.",
    text: text(
      "http://www.example.com@203.0.113.7/login",
      "http://0xCB007107/",
      "http://ann:secret@www.example.com/",
      "http://www.xn--exmple-4nf.example/",
      "http://www.example.com:25/",
    ),
  },
  {
    name: "A terminal",
    about: "Colours and hyperlinks are escape codes, which do not belong to a URL.",
    text: text(
      "$ git push",
      "remote: Create a pull request:",
      "remote:   \u001b[1;34mhttps://git.example.org/ann/tool/pull/new/branch\u001b[0m",
      "\u001b]8;;https://docs.example.org/guide\u001b\\the guide\u001b]8;;\u001b\\",
    ),
  },
  {
    name: "The log of a server",
    about: "URLs in quotation marks, after an equals sign and before a bracket.",
    text: text(
      '203.0.113.9 - - [03/Mar/2004:10:00:00 +0000] "GET /a HTTP/1.1" 200 12 "http://search.example.com/?q=mail+archive" "Bot/1.0 (+http://bot.example.net/about)"',
      "level=info msg=fetched url=https://api.example.org/v1/items?page=2 status=200",
      "[http://www.example.org/x] took 12 ms",
    ),
  },
  {
    name: "JSON",
    about: "A slash may be written as \\/, and an ampersand as \\u0026.",
    text: text(
      '{"home":"https://www.example.org/","items":["http:\\/\\/www.example.org\\/a\\/b",',
      ' "https://www.example.org/?a=1\\u0026b=2"],"note":"see http://www.example.org/c\\n"}',
    ),
  },
  {
    name: "Markdown and program text",
    about: "Brackets, quotation marks and comments around URLs.",
    text: text(
      "See [the guide](https://docs.example.org/guide_(2nd_edition).html) and <https://example.org>.",
      "[ref]: https://docs.example.org/ref 'title'",
      'const HOME = "https://www.example.org/"; // from https://www.example.net/faq#12',
      "# wget https://downloads.example.org/tool-1.2.tar.gz && tar xf tool-1.2.tar.gz",
    ),
  },
  {
    name: "What is not a URL",
    about: "Most of these are refused with the rule, and the others are not even candidates.",
    text: text(
      "http:// http://:80/ http://[::1 http://a..b.example/ http://www.example.com:99999/",
      "std::vector<int> C:\\TEMP Re: 12:30 note:this mailto: ann@example.org",
      "http://www.example.com/%zz http://host.example/a\\b",
    ),
  },
];
