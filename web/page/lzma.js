// Decodes LZMA, in which the module is a quarter smaller than with gzip. Browsers have gzip alone.
//
// The format is that of the LZMA specification by Igor Pavlov (lzma-specification.txt of the LZMA
// SDK, 2015-06-14), whose names the functions have. `build.py` writes a stream without a header, with
// lc = 3, lp = 0 and pb = 0, so the state of a match does not depend on its place.

const STATES = 12;
const LITERAL_CONTEXT_BITS = 3;
/** Matches have at least this many bytes. */
const MIN_MATCH = 2;
const HALF = 1024;

/** The bytes of a stream that has `size` bytes. */
function unlzma(bytes, size) {
  const out = new Uint8Array(size);
  const probabilities = (count) => new Uint16Array(count).fill(HALF);
  const lists = (count, length) => Array.from({ length: count }, () => probabilities(length));
  const isMatch = probabilities(STATES);
  const isRep = probabilities(STATES);
  const isRepG0 = probabilities(STATES);
  const isRepG1 = probabilities(STATES);
  const isRepG2 = probabilities(STATES);
  const isRep0Long = probabilities(STATES);
  const literals = lists(1 << LITERAL_CONTEXT_BITS, 0x300);
  const slots = lists(4, 64);
  const specials = probabilities(128);
  const alignBits = probabilities(16);
  const lengths = () => ({ choice: probabilities(2), low: probabilities(8), mid: probabilities(8), high: probabilities(256) });
  const matchLengths = lengths();
  const repLengths = lengths();

  // The range decoder. The first byte is 0.
  let range = 0xffffffff;
  let code = 0;
  let next = 1;
  while (next < 5) {
    code = ((code << 8) | bytes[next++]) >>> 0;
  }

  function normalize() {
    if (range < 1 << 24) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | bytes[next++]) >>> 0;
    }
  }

  function bit(list, index) {
    const bound = (range >>> 11) * list[index];
    const value = code < bound ? 0 : 1;
    if (value === 0) {
      range = bound;
      list[index] += (2048 - list[index]) >> 5;
    } else {
      range -= bound;
      code -= bound;
      list[index] -= list[index] >> 5;
    }
    normalize();
    return value;
  }

  function directBits(count) {
    let value = 0;
    for (let i = 0; i < count; i++) {
      range >>>= 1;
      const is = code >= range ? 1 : 0;
      code -= is * range;
      value = value * 2 + is;
      normalize();
    }
    return value;
  }

  function tree(list, bits) {
    let node = 1;
    for (let i = 0; i < bits; i++) {
      node = node * 2 + bit(list, node);
    }
    return node - (1 << bits);
  }

  /** A tree whose lowest bit is first. Its nodes begin at `base`. */
  function reverseTree(list, base, bits) {
    let [node, value] = [1, 0];
    for (let i = 0; i < bits; i++) {
      const is = bit(list, base + node);
      node = node * 2 + is;
      value += is << i;
    }
    return value;
  }

  function length(of) {
    if (bit(of.choice, 0) === 0) {
      return tree(of.low, 3);
    }
    return bit(of.choice, 1) === 0 ? 8 + tree(of.mid, 3) : 16 + tree(of.high, 8);
  }

  function distance(length) {
    const slot = tree(slots[Math.min(length, 3)], 6);
    if (slot < 4) {
      return slot;
    }
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) {
      return base + reverseTree(specials, base - slot, bits);
    }
    return base + directBits(bits - 4) * 16 + reverseTree(alignBits, 0, 4);
  }

  let state = 0;
  /** The last four distances, less 1. */
  const reps = [0, 0, 0, 0];
  let at = 0;

  function literal() {
    const before = at > 0 ? out[at - 1] : 0;
    const list = literals[before >> (8 - LITERAL_CONTEXT_BITS)];
    let symbol = 1;
    if (state >= 7) {
      // After a match, the byte at its distance says much of this one.
      let matched = out[at - reps[0] - 1];
      let same = true;
      while (same && symbol < 0x100) {
        const expected = (matched >> 7) & 1;
        matched <<= 1;
        const is = bit(list, ((1 + expected) << 8) + symbol);
        symbol = symbol * 2 + is;
        same = is === expected;
      }
    }
    while (symbol < 0x100) {
      symbol = symbol * 2 + bit(list, symbol);
    }
    out[at++] = symbol & 0xff;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  }

  /** The number of the distance that is used again. */
  function again() {
    if (bit(isRepG0, state) === 0) {
      return 0;
    }
    if (bit(isRepG1, state) === 0) {
      return 1;
    }
    return 2 + bit(isRepG2, state);
  }

  while (at < size) {
    if (bit(isMatch, state) === 0) {
      literal();
      continue;
    }
    let count = MIN_MATCH;
    if (bit(isRep, state) === 0) {
      const more = length(matchLengths);
      count += more;
      reps.unshift(distance(more));
      reps.pop();
      state = state < 7 ? 7 : 10;
    } else {
      const which = again();
      if (which === 0 && bit(isRep0Long, state) === 0) {
        count = 1;
        state = state < 7 ? 9 : 11;
      } else {
        reps.unshift(...reps.splice(which, 1));
        count += length(repLengths);
        state = state < 7 ? 8 : 11;
      }
    }
    const from = at - reps[0] - 1;
    const end = Math.min(at + count, size);
    if (from < 0) {
      throw new Error("the module is damaged");
    }
    for (let i = from; at < end; i++) {
      out[at++] = out[i];
    }
  }
  return out;
}
