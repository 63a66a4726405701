// Runs urlgrep.wasm in a browser, in Node, or in any other host of WebAssembly. `index.js` is the
// door for Node. The page of this repository has this file inside it.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Loads the module.
 * @param {BufferSource | WebAssembly.Module} source the bytes of urlgrep.wasm
 * @param host only for the module of the page: what it asks for, and the place of its memory
 */
export async function load(source, host) {
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  return finder(module, host);
}

/** The functions of a compiled module. */
export function finder(module, host = { imports: {} }) {
  let wasm = null;

  function start() {
    const { exports } = new WebAssembly.Instance(module, host.imports);
    host.memory = exports.memory;
    return exports;
  }

  /** The rows of `urlgrep --json`, one a line. */
  function rows(text, options = {}) {
    // A module that has trapped, for example because memory ended, cannot be used again.
    wasm ??= start();
    const instance = wasm;
    wasm = null;
    const head = encoder.encode(lines(options));
    const isString = typeof text === "string";
    // UTF-8 needs at most three bytes for a unit of UTF-16.
    const room = head.length + text.length * (isString ? 3 : 1);
    const at = instance.urlgrep_input(room);
    const memory = new Uint8Array(instance.memory.buffer, at, room);
    memory.set(head);
    let length = room;
    if (isString) {
      length = head.length + encoder.encodeInto(text, memory.subarray(head.length)).written;
    } else {
      memory.set(text, head.length);
    }
    const failed = instance.urlgrep_search(head.length, length);
    const out = new Uint8Array(instance.memory.buffer, instance.urlgrep_output(), instance.urlgrep_output_len());
    const answer = decoder.decode(out);
    if (length > 1 << 20 || answer.length > 1 << 20) {
      instance.urlgrep_free();
    }
    wasm = instance;
    if (failed) {
      throw new TypeError(answer);
    }
    return answer;
  }

  function search(text, options) {
    const hits = parse(rows(text, options));
    if (typeof text === "string") {
      const index = indexer(text);
      for (const hit of hits) {
        hit.index = hit.offset === null ? null : index(hit.offset);
        hit.lastIndex = hit.end === null ? null : index(hit.end);
      }
    }
    return hits;
  }

  return {
    rows,
    find: (text, options = {}) => search(text, { as: "text", ...wanted(options) }),
    message: (bytes, options = {}) => search(bytes, { as: "auto", ...wanted(options) }),
  };
}

/** The index of a hit needs its offsets. */
function wanted(options) {
  if (options.fields === undefined) {
    return options;
  }
  return { ...options, fields: [...new Set([...options.fields, "offset", "end"])] };
}

/** Options as lines of `name=value`. */
function lines(options) {
  const all = Object.entries(options).filter(([, value]) => value !== undefined);
  return all.map(([name, value]) => `${name}=${value}`.replaceAll("\n", " ") + "\n").join("");
}

/** The objects of JSON Lines. One call is faster than one a line. */
function parse(rows) {
  return JSON.parse(`[${rows.trimEnd().replaceAll("\n", ",")}]`);
}

/** A function from offsets in UTF-8 to indexes of a string. */
function indexer(text) {
  // Known pairs of offset and index, one for each block of the string.
  const BLOCK = 1024;
  const offsets = [0];
  let offset = 0;
  for (let index = 0; index < text.length; index++) {
    if (index % BLOCK === 0 && index > 0) {
      offsets.push(offset);
    }
    offset += width(text, index);
  }
  return (wanted) => {
    let [low, high] = [0, offsets.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (offsets[middle] <= wanted) {
        low = middle;
      } else {
        high = middle;
      }
    }
    let index = low * BLOCK;
    for (let at = offsets[low]; at < wanted && index < text.length; index++) {
      at += width(text, index);
    }
    return index;
  };
}

/**
 * The bytes that the unit at `index` adds in UTF-8. Of a surrogate pair the first adds four, and
 * the second none. A surrogate without its half becomes U+FFFD, which has three.
 */
function width(text, index) {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) {
    return 1;
  }
  if (unit < 0x800) {
    return 2;
  }
  if (unit < 0xd800 || unit > 0xdfff) {
    return 3;
  }
  const isFirst = unit < 0xdc00;
  if (isFirst) {
    const next = text.charCodeAt(index + 1);
    return next >= 0xdc00 && next <= 0xdfff ? 4 : 3;
  }
  const before = text.charCodeAt(index - 1);
  return before >= 0xd800 && before < 0xdc00 ? 0 : 3;
}
