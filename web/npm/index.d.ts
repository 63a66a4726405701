/** The document that decides what a URL is. */
export type Profile =
  | "url-00" | "url-03" | "www-uri-00" | "url-06" | "rfc1738" | "current" | "iri" | "whatwg";

export interface Options {
  /** The document that judges. Default: `iri`. */
  profile?: Profile;
  /** Whether hosts without a scheme (`www.example.org`) are found. Default: false. */
  www?: boolean;
  /** Whether texts that the grammar refused are given too, with `type` `reject`. Default: false. */
  rejects?: boolean;
  /** Whether bare URLs are joined over line breaks. Default: true. */
  join?: boolean;
  /** Whether links of mail gateways and redirectors are removed around a URL. Default: false. */
  unwrap?: boolean;
  /** The header fields of messages that are searched. Default: `written`. */
  headers?: "none" | "written" | "list" | "all";
  /** How bytes are read. Default: `text` in `find`, and `auto` in `message`. */
  as?: "auto" | "text" | "mbox" | "message" | "rnews" | "html";
  /** Whether faults that were tolerated in messages are given too, with `type` `note`. */
  notes?: boolean;
  /** The keys of a hit. Fewer keys take less time. Default: all. */
  fields?: string[];
}

export interface Span { start: number; end: number }
export interface Seam extends Span { kind: string; at: number; len: number }

/**
 * A row of `urlgrep --json`. The page docs/json.md of urlgrep explains each key, and has some
 * that are not listed here. With `fields` only the chosen keys are there.
 */
export interface Hit {
  type: "hit" | "reject" | "note";
  /** The URL after its parts were joined, or the refused text. */
  url: string;
  /** The first unit of a string, as for `String.slice`. Not set for bytes. */
  index?: number | null;
  /** The unit after the last one. Not set for bytes. */
  lastIndex?: number | null;
  /** The first byte in the text as UTF-8. Null if the text does not contain the URL as it is. */
  offset: number | null;
  end: number | null;
  line: number | null;
  column: number | null;
  form: "wrapped" | "bracketed" | "quoted" | "prefixed" | "bare" | "link" | "suffix" | "namespace";
  canonical: string | null;
  unwrapped: string | null;
  clean: string | null;
  scheme: string | null;
  host: string | null;
  domain: string | null;
  port: number | null;
  segments: Span[] | null;
  seams: Seam[] | null;
  alternates: { kind: string; url: string }[];
  doubt: string[];
  cautions: string[];
  components: { name: string; value: string }[];
  role: string | null;
  depth: number | null;
  part: string | null;
  header: string | null;
  rule: string | null;
  rule_at: number | null;
  reason: string | null;
  message_id: string | null;
  date: string | null;
  from: string | null;
  subject: string | null;
  [key: string]: unknown;
}

/** The URLs of a text. A wrong option throws a TypeError. */
export function find(text: string | Uint8Array, options?: Options): Hit[];

/** The URLs of a message, a mailbox or a page of HTML. Bytes are best, because mail has many charsets. */
export function message(bytes: Uint8Array | string, options?: Options): Hit[];

/** As `message`, as text of JSON Lines. */
export function rows(bytes: Uint8Array | string, options?: Options): string;
