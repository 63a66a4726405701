// What the page says about the names of rows. docs/json.md of the repository has all of them.

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
  "dot-stuff": "a stuffed dot was removed",
  "from-quote": "a mark before From was removed",
  fold: "a fold of a header field was removed",
  mask: "a masked sign was read as @",
};

const DOUBTS = {
  "inner-space": "White space inside of a line was removed.",
  script: "Letters of a writing system without spaces follow.",
  joined: "It was joined over lines without a delimiter.",
  "blank-line": "A blank line inside of the wrapper was removed.",
  abbreviated: "Dots follow, so its author may have left out the rest.",
  browser: "Only a browser would open it as it is.",
};

const READINGS = {
  plain: "as it is written",
  hyphen: "with the other reading of the hyphen",
  space: "with the other reading of the space",
  joined: "joined with the next line",
  qp: "decoded as quoted-printable",
  raw: "not decoded",
  script: "up to the next writing system",
  scheme: "from another scheme on",
  tail: "with the other end",
  outer: "the link around it",
  inner: "a URL inside of it",
  written: "as its author wrote it",
  browser: "what a browser would open",
};

const CAUTIONS = {
  password: "It has a password.",
  user: "It has a user name.",
  "low-port": "Its port is that of another service.",
  "port-range": "Its port is too large.",
  "text-differs": "Its text is a URL of another site.",
  "ip-number": "Its host is a number that is an address.",
  "userinfo-looks-like-host": "The text before @ looks like a host, but it is none.",
  punycode: "Its host has letters beyond ASCII.",
  "mixed-script": "Its host mixes alphabets.",
};
