// The page. Every text of the user and of a row becomes a text node (`textContent`), so no text
// can become markup. The policy in the head forbids everything else: there is no network, no
// image, no frame, and no script but this one. `build.py` puts npm/load.js, words.js and examples.js
// before this file, and `encoder` and `load` are those of load.js.

/** Above this size a text is not shown whole, only around the chosen URL. */
const SHOWN_MAX = 300_000;
/** The bytes that are then shown before and after it. */
const AROUND = 1500;
/** The rows that the list shows at first, and adds at each press of "Show more". */
const LISTED = 200;
/** The longest text that a link may carry. */
const LINK_MAX = 200_000;

const byId = (id) => document.getElementById(id);

const state = {
  /** The text as bytes. It may come from a file, and need not be UTF-8. */
  bytes: new Uint8Array(),
  hits: [],
  /** The segments and seams of all hits, in the order of their first bytes. */
  marks: [],
  chosen: -1,
  listed: LISTED,
};
let engine = null;

/** An element with a class and children. A string becomes a text node. */
function element(name, classes, ...children) {
  const made = document.createElement(name);
  if (classes) {
    made.className = classes;
  }
  made.append(...children);
  return made;
}

/** A text whose control and format characters are visible, so that it cannot hide what it is. */
function visible(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => {
    const named = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[c];
    return named ?? `\\u{${c.codePointAt(0).toString(16)}}`;
  });
}

function classOf(hit) {
  return hit.type === "reject" ? "refused" : hit.form;
}

// The search.

function options() {
  const isOn = (name) => byId(name).checked;
  return {
    profile: byId("profile").value,
    as: byId("as").value,
    rejects: isOn("rejects"),
    www: isOn("www"),
    unwrap: isOn("unwrap"),
    headers: isOn("headers") ? "all" : "written",
  };
}

function search() {
  const began = performance.now();
  try {
    state.hits = engine.message(state.bytes, options());
  } catch (error) {
    state.hits = [];
    byId("count").textContent = `The search failed: ${error.message}`;
    return;
  }
  const time = performance.now() - began;
  state.marks = marks();
  state.chosen = -1;
  state.listed = LISTED;
  const refused = state.hits.filter((hit) => hit.type === "reject").length;
  const found = state.hits.length - refused;
  const parts = [`${found} ${found === 1 ? "URL" : "URLs"}`];
  if (refused > 0) {
    parts.push(`${refused} refused`);
  }
  if (state.bytes.length > SHOWN_MAX) {
    parts.push(`${(state.bytes.length / 1e6).toFixed(1)} MB in ${Math.max(1, time).toFixed(0)} ms`);
  }
  byId("count").textContent = state.bytes.length === 0 ? "" : parts.join(", ");
  legend();
  choose(state.hits.findIndex((hit) => hit.type === "hit"));
}

/** Sets the text, unless the user typed it into the editor. */
function setText(bytes) {
  state.bytes = bytes;
  const isLong = bytes.length > SHOWN_MAX;
  byId("paper").classList.toggle("long", isLong);
  byId("text").hidden = isLong;
  byId("text").value = isLong ? "" : shown(bytes, 0, bytes.length).text;
  search();
}

// The text with its marks.

/**
 * The text of some bytes as an editor shows it, and the index of each byte in it. A byte that is
 * not UTF-8 becomes U+FFFD. CRLF and CR become LF, as in every editor of a browser.
 */
function shown(bytes, from, to) {
  const index = new Uint32Array(to - from + 1);
  const pieces = [];
  let length = 0;
  let at = from;
  while (at < to) {
    const [char, size] = character(bytes, at, to);
    for (let k = 0; k < size; k++) {
      index[at - from + k] = length;
    }
    pieces.push(char);
    length += char.length;
    at += size;
  }
  index[to - from] = length;
  return { text: pieces.join(""), index };
}

/** The character at a byte, and its size. */
function character(bytes, at, to) {
  const first = bytes[at];
  if (first === 13) {
    return bytes[at + 1] === 10 && at + 1 < to ? ["\n", 2] : ["\n", 1];
  }
  if (first < 0x80) {
    return [String.fromCharCode(first), 1];
  }
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (at + size <= to) {
    try {
      return [strict.decode(bytes.subarray(at, at + size)), size];
    } catch {
      // It is no UTF-8.
    }
  }
  return ["\ufffd", 1];
}
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function marks() {
  const all = [];
  state.hits.forEach((hit, n) => {
    for (const { start, end } of hit.segments ?? []) {
      all.push({ start, end, n, what: "piece" });
    }
    for (const { start, end } of hit.seams ?? []) {
      all.push({ start, end, n, what: "seam" });
    }
  });
  return all.sort((a, b) => a.start - b.start || b.end - a.end);
}

function paint() {
  const pre = byId("marks");
  let [from, to] = [0, state.bytes.length];
  const hit = state.hits[state.chosen];
  if (state.bytes.length > SHOWN_MAX) {
    const near = hit?.offset ?? hit?.message_start ?? 0;
    from = Math.max(0, near - AROUND);
    to = Math.min(state.bytes.length, (hit?.end ?? near) + AROUND);
  }
  const { text, index } = shown(state.bytes, from, to);
  const children = [];
  let done = 0;
  for (const mark of state.marks) {
    const start = Math.max(done, index[Math.max(mark.start, from) - from] ?? text.length);
    const end = mark.end > to ? text.length : (index[mark.end - from] ?? 0);
    if (mark.start >= to || mark.end <= from || start >= end) {
      continue;
    }
    const classes = [mark.what, classOf(state.hits[mark.n])];
    if (mark.n === state.chosen) {
      classes.push("on");
    }
    children.push(text.slice(done, start), element("span", classes.join(" "), text.slice(start, end)));
    done = end;
  }
  // The last line of an editor is one line even if it is empty.
  pre.replaceChildren(...children, `${text.slice(done)}\n`);
}

function legend() {
  const counts = new Map();
  for (const hit of state.hits) {
    counts.set(classOf(hit), (counts.get(classOf(hit)) ?? 0) + 1);
  }
  const entries = [...counts].map(([name, count]) => {
    const text = name === "refused" ? "refused" : FORMS[name] ?? name;
    return element("span", "", element("span", `chip ${name}`, `${name} ${count}`), name === "refused" ? "" : ` ${text}`);
  });
  byId("legend").replaceChildren(...entries);
}

// The list.

function list() {
  const rows = state.hits.slice(0, state.listed).map((hit, n) => {
    const button = element("button", "", element("span", "place", place(hit)));
    button.type = "button";
    button.dataset.hit = n;
    button.append(element("span", "url", visible(hit.url)), element("span", `chip ${classOf(hit)}`, classOf(hit)));
    if (hit.type === "reject") {
      button.append(element("span", "why", visible(hit.reason)));
    }
    if (n === state.chosen) {
      button.setAttribute("aria-current", "true");
    }
    return element("li", "", button);
  });
  byId("list").replaceChildren(...rows);
  byId("more").hidden = state.listed >= state.hits.length;
}

function place(hit) {
  if (hit.line === null) {
    return "";
  }
  return hit.column === null ? `line ${hit.line}` : `${hit.line}:${hit.column}`;
}

function choose(n) {
  state.chosen = n;
  paint();
  list();
  details();
}

/** Chooses without making the list again, which would take the focus from its button. */
function rechoose(n) {
  if (n === state.chosen) {
    return;
  }
  state.chosen = n;
  paint();
  details();
  for (const button of byId("list").querySelectorAll("button")) {
    if (Number(button.dataset.hit) === n) {
      button.setAttribute("aria-current", "true");
    } else {
      button.removeAttribute("aria-current");
    }
  }
}

// The details of a URL.

function details() {
  const hit = state.hits[state.chosen];
  if (hit === undefined) {
    const none = state.bytes.length === 0 ? "Paste a text, or choose an example." : "No URL is chosen.";
    byId("details").replaceChildren(element("p", "", none));
    return;
  }
  const rows = element("dl", "");
  const add = (name, ...values) => {
    const texts = values.filter((value) => value !== null && value !== undefined && value !== "");
    if (texts.length > 0) {
      rows.append(element("dt", "", name), element("dd", "", ...texts));
    }
  };
  const code = (text) => (text === null ? null : element("code", "", visible(text)));
  const lines = (texts) => texts.map((text) => element("p", "", text));
  const differs = (text) => (text === hit.url ? null : code(text));

  if (hit.type === "reject") {
    add("Refused by", PROFILES[hit.profile] ?? hit.profile);
    add("Rule", code(hit.rule));
    add("At byte", `${hit.rule_at}: ${hit.rule_found === null ? "its end" : byteName(hit.rule_found)}`);
  }
  add("Form", element("span", `chip ${hit.form}`, hit.form), ` ${FORMS[hit.form] ?? ""}`);
  add("Place", where(hit));
  add("Repairs", ...lines((hit.seams ?? hit.decoded?.seams ?? []).map((seam) => repair(hit, seam))));
  add("Doubts", ...lines(hit.doubt.map((name) => DOUBTS[name] ?? name)));
  add("Also read as", ...hit.alternates.map(({ kind, url }) => element("p", "", code(url), ` ${READINGS[kind] ?? kind}`)));
  add("Leads to", code(hit.unwrapped));
  add("Be careful", ...lines(hit.cautions.map((name) => CAUTIONS[name] ?? name)));
  add("Link", code(hit.target));
  add("Its text", code(hit.text));
  add("Host means", code(hit.host_meaning));
  for (const { name, value } of hit.components) {
    add(name, code(value));
  }
  add("Domain", code(hit.domain));
  add("Canonical", differs(hit.canonical ?? hit.url));
  add("As a URI", code(hit.uri));
  add("Untracked", differs(hit.clean ?? hit.url));
  add("Role", hit.role && [ROLES[hit.role] ?? hit.role, hit.depth ? `, level ${hit.depth}` : ""].join(""));
  add("Message", hit.subject && visible(hit.subject), hit.from && ` from ${visible(hit.from)}`, hit.date && `, ${hit.date}`);

  const all = element("details", "", element("summary", "", "All that is known, as JSON"));
  const known = Object.entries(hit).filter(([name, value]) => value !== null && !name.endsWith("ndex"));
  all.append(element("pre", "", visible(JSON.stringify(Object.fromEntries(known), null, 1)).replaceAll("\\n", "\n")));
  const whole = element("code", `whole ${classOf(hit)}`, ...marked(hit));
  byId("details").replaceChildren(whole, copier("Copy the URL", () => hit.url), rows, all);
}

/** The URL. In a reject, the byte at which the rule failed is marked. */
function marked(hit) {
  const bytes = encoder.encode(hit.url);
  if (hit.type !== "reject" || hit.rule_found === null || hit.url_bytes !== null || hit.rule_at >= bytes.length) {
    return [visible(hit.url)];
  }
  const { text, index } = shown(bytes, 0, bytes.length);
  const at = index[hit.rule_at];
  const end = at + [...text.slice(at)][0].length;
  return [visible(text.slice(0, at)), element("mark", "at", visible(text.slice(at, end))), visible(text.slice(end))];
}

function byteName(byte) {
  const isPrintable = byte > 0x20 && byte < 0x7f;
  return isPrintable ? String.fromCharCode(byte) : `0x${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

function where(hit) {
  const parts = [];
  if (hit.line !== null) {
    parts.push(`line ${hit.line}`);
  }
  if (hit.column !== null) {
    parts.push(`column ${hit.column}`);
  }
  if (hit.offset !== null) {
    parts.push(`bytes ${hit.offset} to ${hit.end}`);
  } else {
    parts.push("in decoded text");
  }
  if (hit.part !== null) {
    parts.push(`part ${hit.part}`);
  }
  if (hit.member !== null) {
    parts.push(`in ${visible(hit.member)}`);
  }
  if (hit.header !== null) {
    parts.push(`field ${visible(hit.header)}`);
  }
  return parts.join(", ");
}

/** A sentence for a seam, with the bytes that were replaced. */
function repair(hit, seam) {
  const what = SEAMS[seam.kind] ?? `${seam.kind} was removed`;
  if (hit.seams === null || seam.start === seam.end) {
    return `${what} after "${visible(hit.url.slice(Math.max(0, seam.at - 12), seam.at))}"`;
  }
  const { text } = shown(state.bytes, seam.start, Math.min(seam.end, seam.start + 60));
  return `${what}: ${visible(text)} (bytes ${seam.start} to ${seam.end})`;
}

/** A button that copies a text. */
function copier(label, text) {
  const button = element("button", "", label);
  button.type = "button";
  button.addEventListener("click", async () => {
    button.textContent = (await copy(text())) ? "Copied" : "The browser does not allow it";
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  return button;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

// A link that carries the text.

async function squeeze(bytes, stream) {
  const squeezed = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(squeezed).arrayBuffer());
}

/** Decompresses, but no more than `most` bytes: a short link can hold a text without end. */
async function unsqueeze(bytes, format, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)).getReader();
  const chunks = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return new Uint8Array(await new Blob(chunks).arrayBuffer());
    }
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new RangeError("the text is too long");
    }
    chunks.push(value);
  }
}

function base64url(bytes) {
  let text = "";
  for (const byte of bytes) {
    text += String.fromCharCode(byte);
  }
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

async function makeLink() {
  if (state.bytes.length > LINK_MAX) {
    byId("about").textContent = "The text is too long for a link.";
    return;
  }
  const { profile, as, rejects, www, unwrap, headers } = options();
  const link = new URLSearchParams({ profile, as, rejects, www, unwrap, headers });
  link.set("text", base64url(await squeeze(state.bytes, new CompressionStream("deflate-raw"))));
  history.replaceState(null, "", `#${link}`);
  const copied = await copy(location.href);
  byId("about").textContent = `The link ${copied ? "is copied, and " : ""}is in the address bar. It has the text in itself.`;
}

/** Shows the text of the link. Returns false if it has none. */
async function readLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  if (!link.has("text")) {
    return false;
  }
  for (const name of ["profile", "as"]) {
    if ([...byId(name).options].some((option) => option.value === link.get(name))) {
      byId(name).value = link.get(name);
    }
  }
  for (const name of ["rejects", "www", "unwrap"]) {
    if (link.has(name)) {
      byId(name).checked = link.get(name) === "true";
    }
  }
  byId("headers").checked = link.get("headers") === "all";
  try {
    setText(await unsqueeze(fromBase64(link.get("text")), "deflate-raw", 2 * LINK_MAX));
    byId("example").value = "";
    byId("about").textContent = "The text came with the link.";
  } catch {
    byId("about").textContent = "The text of the link is damaged.";
  }
  return true;
}

// What the user does.

async function readFile(file) {
  let bytes = new Uint8Array(await file.arrayBuffer());
  let note = `${file.name}, ${bytes.length.toLocaleString("en")} bytes`;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    try {
      bytes = await unsqueeze(bytes, "gzip", 1 << 30);
      note += `, decompressed to ${bytes.length.toLocaleString("en")}`;
    } catch {
      note += ", which cannot be decompressed";
    }
  }
  // The module reads no UTF-16, which some programs for Windows write.
  const first = bytes.slice(0, 4).join();
  const charset = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2).join()];
  if (charset !== undefined) {
    bytes = encoder.encode(new TextDecoder(charset).decode(bytes));
    note += ", of UTF-16, which is shown as UTF-8";
  }
  // Those of zip, bzip2, xz and zstd.
  if (["80,75,3,4", "66,90,104,", "253,55,122,88", "40,181,47,253"].some((magic) => first.startsWith(magic))) {
    note += ". The page unpacks no archives and of the compressed files only .gz; the command does";
  }
  byId("example").value = "";
  byId("about").textContent = note;
  setText(bytes);
}

function showExample(n) {
  const example = EXAMPLES[n];
  const settings = { profile: "iri", as: "auto", www: false, unwrap: false, headers: false, ...example.options };
  for (const name of ["profile", "as"]) {
    byId(name).value = settings[name];
  }
  for (const name of ["www", "unwrap", "headers"]) {
    byId(name).checked = settings[name];
  }
  byId("about").textContent = example.about;
  setText(encoder.encode(example.text));
  byId("paper").scrollTop = 0;
}

/** The hit at the cursor of the editor, or -1. */
function atCursor() {
  const cursor = byId("text").selectionStart;
  const { index } = shown(state.bytes, 0, state.bytes.length);
  return state.hits.findIndex((hit) => {
    const all = [...(hit.segments ?? []), ...(hit.seams ?? [])];
    return all.some(({ start, end }) => index[start] <= cursor && cursor < index[end]);
  });
}

function listen() {
  const text = byId("text");
  text.addEventListener("input", () => {
    byId("example").value = "";
    byId("about").textContent = "";
    state.bytes = encoder.encode(text.value);
    if (state.bytes.length > SHOWN_MAX) {
      setText(state.bytes);
    } else {
      search();
    }
  });
  for (const event of ["click", "keyup"]) {
    text.addEventListener(event, () => {
      const n = atCursor();
      if (n >= 0) {
        rechoose(n);
      }
    });
  }
  byId("list").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) {
      rechoose(Number(button.dataset.hit));
      // In a narrow window the details are above the list.
      document.querySelector("#marks .on")?.scrollIntoView({ block: "nearest" });
      byId("details").scrollIntoView({ block: "nearest" });
    }
  });
  byId("list").addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...byId("list").querySelectorAll("button")];
    const next = buttons[buttons.indexOf(document.activeElement) + (step ?? 0)];
    if (step !== undefined && next) {
      event.preventDefault();
      next.focus();
      rechoose(Number(next.dataset.hit));
    }
  });
  byId("more").addEventListener("click", () => {
    const first = state.listed;
    state.listed += LISTED;
    list();
    byId("list").querySelectorAll("button")[first]?.focus();
  });
  for (const name of ["profile", "as", "rejects", "www", "unwrap", "headers"]) {
    byId(name).addEventListener("change", search);
  }
  byId("example").addEventListener("change", (event) => {
    if (event.target.value !== "") {
      showExample(Number(event.target.value));
    }
  });
  byId("bar").addEventListener("submit", (event) => event.preventDefault());
  byId("open").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) {
      readFile(file);
    }
    event.target.value = "";
  });
  byId("link").addEventListener("click", makeLink);
  byId("clear").addEventListener("click", () => {
    byId("example").value = "";
    byId("about").textContent = "";
    history.replaceState(null, "", "#");
    setText(new Uint8Array());
    text.focus();
  });
  addEventListener("hashchange", readLink);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    byId("paper").classList.add("over");
  });
  addEventListener("dragleave", () => byId("paper").classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    byId("paper").classList.remove("over");
    const [file] = event.dataTransfer.files;
    if (file) {
      readFile(file);
    } else {
      setText(encoder.encode(event.dataTransfer.getData("text/plain")));
    }
  });
}

async function begin() {
  byId("settings").open = innerWidth >= 640;
  byId("example").append(new Option("your own text", ""), ...EXAMPLES.map(({ name }, n) => new Option(name, n)));
  byId("profile").append(...Object.entries(PROFILES).map(([name, text]) => new Option(`${name}: ${text}`, name)));
  const decoder = await unsqueeze(fromBase64(DECODER), "gzip", Infinity);
  engine = await load(await unpack(fromBase64(WASM), decoder, TABLES), browserHost());
  listen();
  if (!(await readLink())) {
    byId("example").value = "0";
    showExample(0);
  }
  document.body.dataset.ready = "true";
}

begin().catch((error) => {
  byId("count").textContent = `This browser cannot run the page: ${error.message}`;
});
