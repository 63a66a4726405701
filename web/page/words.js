// What the page says about the names of rows. A name without words here is shown as it is, so a new
// name needs a line only for a better explanation. docs/json.md of the repository has all names.

const PROFILES = {
  iri: "RFC 3987, with letters of all languages",
  current: "RFC 3986 and the RFCs of today",
  whatwg: "the URL Standard of browsers",
  rfc1738: "RFC 1738 (1994)",
  "url-06": "draft-ietf-uri-url-06 (1994)",
  "www-uri-00": "draft-www-uri-00 (1994), later RFC 1630",
  "url-03": "draft-ietf-uri-url-03 (1993)",
  "url-00": "draft-ietf-uri-url-00 (1993)",
};

const FORMS = {
  wrapped: "in a wrapper <URL:…>",
  bracketed: "in angle brackets",
  quoted: "in quotation marks",
  prefixed: "after URL:",
  bare: "without a delimiter",
  suffix: "a host without a scheme",
  link: "a link of HTML",
  namespace: "the name of a vocabulary",
};

const ROLES = {
  body: "what its author wrote",
  quoted: "quoted from another message",
  signature: "in the signature",
  footer: "in a footer that a program added",
  header: "in a header field",
  attachment: "in an attachment",
};

const SEAMS = {
  "line-break": "a line break was removed",
  space: "white space was removed",
  leader: "a mark of quotation was removed",
  hyphen: "a hyphen at the end of a line was removed",
  page: "the head of a printed page was removed",
  "qp-guess": "an escape of quoted-printable was decoded, as its text suggests",
  "soft-break": "a soft line break of quoted-printable was removed",
  "qp-byte": "an escape of quoted-printable was decoded",
  "flowed-break": "a line break of flowed text was removed",
  "space-stuff": "a stuffed space was removed",
  entity: "an entity of HTML was decoded",
  escape: "a backslash was removed",
  "css-escape": "an escape of a style sheet was decoded",
  blank: "a blank became %20",
  markup: "markup was removed",
  chunk: "the size of a chunk of HTTP was removed",
  refanged: "what defanged it was removed",
  "dot-stuff": "a stuffed dot was removed",
  "from-quote": "a mark before From was removed",
  fold: "a fold of a header field was removed",
  scheme: "a scheme was added",
  mask: "a masked sign was read as @",
  typeset: "a character of a typesetter was read as those that people type",
  invisible: "an invisible character was removed",
};

const DOUBTS = {
  "inner-space": "White space inside of a line was removed, and its author may have written it.",
  script: "Letters of a writing system without spaces follow a mark.",
  joined: "It was joined over lines without a delimiter.",
  "blank-line": "A blank line inside of the delimiters was removed.",
  unclosed: "Its wrapper does not close, and a blank line follows.",
  browser: "The documents refuse the link, but a browser opens it.",
  unmasked: "An archive had masked the @ of an address.",
  typeset: "A typesetter had printed its hyphen as another character.",
  doubled: "Another scheme was before it.",
  abbreviated: "Dots or the edge of a screen follow, so the rest may be missing.",
  placeholder: "A program may replace a name in it.",
  refanged: "Its author had defanged it.",
};

const READINGS = {
  plain: "its first line, or the rules taken literally",
  hyphen: "without the hyphen at the end of a line",
  space: "with the other reading of the white space",
  joined: "joined with the next line",
  qp: "with a line break of quoted-printable removed",
  raw: "not decoded",
  script: "with the other reading of the letters that follow",
  scheme: "with a scheme that begins earlier",
  tail: "with the marks after it",
  outer: "the link around it",
  inner: "a URL inside of it, which is a guess",
  written: "as its author wrote it",
  browser: "what a browser would open",
};

const CAUTIONS = {
  password: "It has a password.",
  user: "It has a user name.",
  "low-port": "Its port is one below 1024 that is not usual for its scheme.",
  "encoded-cr": "It has a carriage return as %0D.",
  "encoded-lf": "It has a line feed as %0A.",
  "encoded-nul": "It has a NUL as %00.",
  "port-range": "No host has a port above 65,535.",
  "text-differs": "Its text is a URL of another site.",
  "ip-number": "Its host is an address in an unusual form.",
  "userinfo-looks-like-host": "What looks like its host is a user name.",
  punycode: "Its host has letters beyond ASCII, which may look like another name.",
  "mixed-script": "Its host mixes letters of two writing systems.",
};
