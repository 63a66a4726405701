/** Decodes the module of the page, by the small one of `web/lzma`. */
async function unpack(packed, decoderModule, tables) {
  const { instance } = await WebAssembly.instantiate(decoderModule);
  const decoder = instance.exports;
  // The buffer is read after each call, because memory that grows is another buffer.
  const input = decoder.lzma_input(packed.length);
  new Uint8Array(decoder.memory.buffer, input).set(packed);
  const length = decoder.lzma_decode();
  return joinParts(new Uint8Array(decoder.memory.buffer, decoder.lzma_output(), length), tables);
}

/**
 * Puts a module together. `web/parts.py` has divided its code into parts, each with the operands of one
 * kind, and has the tables of instructions.
 */
function joinParts(bytes, { operands, bulk }) {
  // As in `web/parts.py`.
  const [HEAD, FRAME, LOCALS, CODE, , , , BRANCH, , , , , FLOAT, TAIL] = Array(14).keys();
  const BR_TABLE = 0x0e, F32 = 0x43, F64 = 0x44, PREFIX = 0xfc;
  const lengths = new DataView(bytes.buffer, bytes.byteOffset);
  const next = [];
  let end = 4 * (TAIL + 1);
  const module = new Uint8Array(bytes.length - end);
  for (let part = HEAD; part <= TAIL; part++) {
    next.push(end);
    end += lengths.getUint32(4 * part, true);
  }
  let at = 0;

  const take = (part, length) => {
    module.set(bytes.subarray(next[part], next[part] + length), at);
    next[part] += length;
    at += length;
  };
  const number = (part) => {
    for (let value = 0, weight = 1; ; weight *= 128) {
      const byte = bytes[next[part]++];
      module[at++] = byte;
      value += (byte & 127) * weight;
      if (byte < 128) {
        return value;
      }
    }
  };
  const instruction = () => {
    const code = bytes[next[CODE]++];
    module[at++] = code;
    if (code === F32 || code === F64) {
      take(FLOAT, code === F32 ? 4 : 8);
    } else if (code === BR_TABLE) {
      for (let count = number(BRANCH); count >= 0; count--) {
        number(BRANCH);
      }
    } else {
      const parts = code === PREFIX ? bulk[number(CODE)] : operands[code];
      parts?.forEach(number);
    }
  };

  take(HEAD, next[FRAME] - next[HEAD]);
  for (let functions = number(FRAME); functions > 0; functions--) {
    const size = number(FRAME);
    const last = at + size;
    for (let locals = number(LOCALS); locals > 0; locals--) {
      number(LOCALS);
      number(LOCALS);
    }
    while (at < last) {
      instruction();
    }
  }
  take(TAIL, end - next[TAIL]);
  return module;
}
