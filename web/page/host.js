/**
 * What the module of the page asks of the browser: the charsets of `TextDecoder`, and the host names
 * of `URL`. See `../browser`. A `memory` must be given before the first call.
 */
function browserHost() {
  const host = { memory: null, imports: {} };
  const decoders = new Map();
  let opened = 0;
  /** The text whose length was returned last. */
  let text = new Uint8Array();

  const bytes = (at, length) => new Uint8Array(host.memory.buffer, at, length);
  const read = (at, length) => new TextDecoder().decode(bytes(at, length));
  const give = (string) => {
    text = new TextEncoder().encode(string);
    return text.length;
  };

  host.imports.host = {
    charset_name(at, length) {
      try {
        return give(new TextDecoder(read(at, length)).encoding);
      } catch {
        return give("");
      }
    },
    charset_open(at, length) {
      opened = (opened + 1) | 0;
      decoders.set(opened, new TextDecoder(read(at, length), { ignoreBOM: true }));
      return opened;
    },
    charset_decode(id, at, length, last) {
      return give(decoders.get(id).decode(bytes(at, length), { stream: last === 0 }));
    },
    charset_close(id) {
      decoders.delete(id);
    },
    charset_take(at) {
      bytes(at, text.length).set(text);
    },
    domain_to_ascii(at, length) {
      // Escaped, so that no byte divides the URL. With a label after them, a last number makes no
      // address of IPv4.
      const escaped = Array.from(bytes(at, length), (byte) => `%${byte.toString(16).padStart(2, "0")}`);
      try {
        return give(new URL(`http://${escaped.join("")}.z/`).hostname.slice(0, -".z".length));
      } catch {
        return -1;
      }
    },
  };
  return host;
}
