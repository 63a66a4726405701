"""Divides a module of WebAssembly into parts that compress well.

In the code of a module, instructions and their operands stand one after the other. Divided into
parts, of which each has the operands of one kind, the code is a tenth smaller with LZMA.
`page/unpack.js` puts the module together again: it reads the code in the same order, and takes each
number from its part. No byte is changed, so all parts together have the length of the module.
"""

# The parts. The first and the last are the bytes before and after the code.
HEAD, FRAME, LOCALS, CODE, LOCAL, OFFSET, CALL, BRANCH, TYPE, GLOBAL, I32, I64, FLOAT, TAIL = range(14)

# The part of each operand of an instruction. The specification of WebAssembly, section 5.4.
OPERANDS = {
    **dict.fromkeys([0x00, 0x01, 0x05, 0x0B, 0x0F, 0x1A, 0x1B, *range(0x45, 0xC5), 0xD1], []),
    **dict.fromkeys([0x02, 0x03, 0x04], [TYPE]),
    **dict.fromkeys([0x0C, 0x0D], [BRANCH]),
    **dict.fromkeys([0x10, 0xD2], [CALL]),
    0x11: [CALL, CALL],
    **dict.fromkeys([0x20, 0x21, 0x22], [LOCAL]),
    **dict.fromkeys([0x23, 0x24, 0x25, 0x26], [GLOBAL]),
    # An alignment follows from its instruction, so it stays there.
    **dict.fromkeys(range(0x28, 0x3F), [CODE, OFFSET]),
    **dict.fromkeys([0x3F, 0x40], [CODE]),
    0x41: [I32],
    0x42: [I64],
}
# Those after the prefix 0xFC.
BULK = {**dict.fromkeys(range(8), []), 8: [CODE, CODE], 9: [CODE], 10: [CODE, CODE], 11: [CODE]}

BR_TABLE, F32, F64, PREFIX = 0x0E, 0x43, 0x44, 0xFC
SECTION_CODE = 10


class Reader:
    """Reads a module, and puts what it has read into parts."""

    def __init__(self, module):
        self.module, self.at = module, 0
        self.parts = [bytearray() for _ in range(TAIL + 1)]

    def take(self, part, length):
        self.parts[part] += self.module[self.at : self.at + length]
        self.at += length
        return self.module[self.at - 1]

    def number(self, part):
        value = shift = 0
        while True:
            byte = self.take(part, 1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def instruction(self):
        code = self.take(CODE, 1)
        if code == PREFIX:
            operands = BULK[self.number(CODE)]
        elif code == BR_TABLE:
            operands = [BRANCH] * (self.number(BRANCH) + 1)
        elif code in (F32, F64):
            self.take(FLOAT, 4 if code == F32 else 8)
            operands = []
        else:
            # A KeyError is an instruction that the tables above do not have yet.
            operands = OPERANDS[code]
        for part in operands:
            self.number(part)

    def function(self):
        size = self.number(FRAME)
        end = self.at + size
        for _ in range(self.number(LOCALS)):
            self.number(LOCALS)
            self.number(LOCALS)
        while self.at < end:
            self.instruction()

    def read(self):
        self.take(HEAD, 8)
        section = None
        while section != SECTION_CODE:
            section = self.take(HEAD, 1)
            length = self.number(HEAD)
            if section != SECTION_CODE:
                self.take(HEAD, length)
        for _ in range(self.number(FRAME)):
            self.function()
        self.take(TAIL, len(self.module) - self.at)


def divide(module):
    """The lengths of the parts, each in four bytes, and the parts."""
    reader = Reader(module)
    reader.read()
    lengths = b"".join(len(part).to_bytes(4, "little") for part in reader.parts)
    return lengths + b"".join(reader.parts)


def tables():
    """What `page/unpack.js` has to know."""
    def some(operands):
        return {code: parts for code, parts in operands.items() if parts}
    return {"operands": some(OPERANDS), "bulk": some(BULK)}
