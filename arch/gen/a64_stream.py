#!/usr/bin/env python3
"""Writes AArch64 stream cipher cores: `a64_stream.py NAME` prints arch/arm64/NAME.S, `a64_stream.py --list` the names.

ChaCha and Salsa20 permute 16 words. A core does so for 4 blocks (or nonces) side by side: a vector register holds the
same word of all of them, so that columns, rows and diagonals differ only in which registers they name.

Here stands what a core computes, and where each word lives. schedule.py decides in which order.
"""

import textwrap

import generator
import schedule

# Timings that BLAKE2 has no use for, from LLVM's model of Cortex-A55 too.
schedule.VECTOR_TIMING.update({mnemonic: schedule.Timing('vector', 4) for mnemonic in ('trn1', 'trn2', 'zip1', 'zip2')})

WORDS = range(16)  # v0-v15: the words, in the order of the cipher's specification
ROWS = range(16, 20)  # v16-v19: the first block's words, four to a register
ROTATE_8 = 20  # v20: the bytes for `tbl` that rotates words to the left by 8
NEXT_BLOCK = 21  # v21: 1 in the low half, which the counter's 64 bits are
TEMPORARIES = range(22, 32)

LANES = 4
ROUNDS_OF_LOOP = 4  # divides 8, 12 and 20


class Code(generator.Code):
    """A stretch of straight-line code."""

    on_bytes = frozenset({'eor', 'tbl'})

    def __init__(self):
        super().__init__(TEMPORARIES)

    def transpose(self, meaning, targets, sources):
        """Makes the rows of a 4 x 4 matrix of words its columns; targets and sources may be the same registers."""
        pairs = [self.take() for _ in range(4)]
        for half in range(2):
            for odd in range(2):
                self.vector(meaning, f'trn{odd + 1}', pairs[2 * half + odd], sources[2 * half], sources[2 * half + 1])
        for lane, target in enumerate(targets):
            low, high = pairs[lane % 2], pairs[2 + lane % 2]
            self.vector(meaning, f'trn{lane // 2 + 1}', target, low, high, arrangement='2d')
        self.give(*pairs)

    def text(self):
        # Four quarters side by side are about 60 lines: further ahead there is nothing independent of them.
        return '\n'.join(f'\t{line}' for line in schedule.schedule(self.lines, window=60))


def chacha_quarter(code, label, a, b, c, d):
    """RFC 8439, section 2.1, in four steps."""
    for amount, target, addend, mixed in ((16, a, b, d), (12, c, d, b), (8, a, b, d), (7, c, d, b)):
        code.vector(f'{label} v{target} += v{addend}', 'add', target, target, addend)
        meaning = f'{label} v{mixed} = (v{mixed} ^ v{target}) <<< {amount}'
        if amount in (8, 16):
            code.vector(meaning, 'eor', mixed, mixed, target)
            if amount == 8:
                code.emit('tbl', f'v{mixed}.16b, {{v{mixed}.16b}}, v{ROTATE_8}.16b', meaning)
            else:
                code.vector(meaning, 'rev32', mixed, mixed, arrangement='8h')
        else:
            whole = code.take()
            code.vector(meaning, 'eor', whole, mixed, target)
            code.vector(meaning, 'shl', mixed, whole, immediate=amount)
            code.vector(meaning, 'usra', mixed, whole, immediate=32 - amount)
            code.give(whole)
        yield


def salsa_quarter(code, label, a, b, c, d):
    """D. J. Bernstein, "Salsa20 specification", section 3, in four steps."""
    for amount, target, first, second in ((7, b, a, d), (9, c, b, a), (13, d, c, b), (18, a, d, c)):
        meaning = f'{label} v{target} ^= (v{first} + v{second}) <<< {amount}'
        total, rotated = code.take(), code.take()
        code.vector(meaning, 'add', total, first, second)
        code.vector(meaning, 'shl', rotated, total, immediate=amount)
        code.vector(meaning, 'usra', rotated, total, immediate=32 - amount)
        code.vector(meaning, 'eor', target, target, rotated)
        code.give(total, rotated)
        yield


CHACHA_ROUNDS = (('column', ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))),
                 ('diagonal', ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))))
SALSA_ROUNDS = (('column', ((0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11))),
                ('row', ((0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14))))


def rounds(quarter, two_rounds):
    """The loop's body: ROUNDS_OF_LOOP rounds."""
    code = Code()
    for number in range(ROUNDS_OF_LOOP):
        kind, quarters = two_rounds[number % 2]
        steps = [quarter(code, kind, *words) for words in quarters]
        # Step by step through the four quarters: within one, each instruction waits for the one before.
        for _ in zip(*steps):
            pass
    return code.text()


def counted_rows(code, row):
    """Registers with the row that the counter is in, of each block; the first is the row itself."""
    rows = [row]
    while len(rows) < LANES:
        rows.append(code.take())
        code.vector(f'counter of block {len(rows) - 1}', 'add', rows[-1], rows[-2], NEXT_BLOCK, arrangement='2d')
    return rows


def broadcast(code, words, row):
    for i, word in enumerate(words):
        code.emit('dup', f'v{word}.4s, v{row}.s[{i}]', f'word {word}')


class Stream:
    """A StreamXor core."""

    def __init__(self, quarter, two_rounds, counter, remarks):
        self.quarter = quarter
        self.two_rounds = two_rounds
        self.counter_row = counter // 4
        self.remarks = remarks

    def start(self):
        """Sets the words of 4 blocks."""
        code = Code()
        for row in range(4):
            if row != self.counter_row:
                broadcast(code, WORDS[4 * row:][:4], ROWS[row])
        words = WORDS[4 * self.counter_row:][:4]
        row = ROWS[self.counter_row]
        rows = counted_rows(code, row)
        pairs = code.take(), code.take()
        for pair, first, second in zip(pairs, rows[::2], rows[1::2]):
            code.vector('counters', 'zip1', pair, first, second)
        for half in range(2):
            code.vector(f'word {words[half]}', f'zip{half + 1}', words[half], *pairs, arrangement='2d')
            code.emit('dup', f'v{words[2 + half]}.4s, v{row}.s[{2 + half}]', f'word {words[2 + half]}')
        return code.text()

    def finish(self, target):
        """From the permuted words to what target(code, block, row, register) does with the keystream."""
        code = Code()
        for row in range(4):
            blocks = WORDS[4 * row:][:4]
            code.transpose(f'row {row}', blocks, blocks)
            rows = [ROWS[row]] * LANES
            if row == self.counter_row:
                rows = counted_rows(code, ROWS[row])
            for block, (register, addend) in enumerate(zip(blocks, rows)):
                code.vector(f'block {block}', 'add', register, register, addend)
                target(code, block, row, register)
            if row == self.counter_row:
                code.vector('the next 4 blocks', 'add', ROWS[row], rows[-1], NEXT_BLOCK, arrangement='2d')
                code.give(*rows[1:])
        return code.text()

    @staticmethod
    def exclusive_or(code, block, row, register):
        place = f'#{64 * block + 16 * row}'
        text = code.take()
        code.emit('ldr', f'q{text}, [x3, {place}]', f'block {block}')
        code.vector(f'block {block}', 'eor', text, text, register)
        code.emit('str', f'q{text}, [x2, {place}]', f'block {block}')
        code.give(text)

    @staticmethod
    def store(code, block, row, register):
        code.emit('str', f'q{register}, [sp, #{64 * block + 16 * row}]', f'block {block}')

    def source(self, name):
        return STREAM.format(
            name=name,
            remarks=comment(self.remarks),
            padding=' ' * len(f'void {name}('),
            save=SAVE,
            restore=RESTORE,
            constants=f'\n{LOAD_ROTATE_8}' if self.quarter is chacha_quarter else '',
            start=self.start(),
            rounds=rounds(self.quarter, self.two_rounds),
            whole=self.finish(self.exclusive_or),
            part=self.finish(self.store),
            rodata=f'\n{RODATA.format(ROTATE_8_BYTES)}' if self.quarter is chacha_quarter else '',
        )


class HChaCha:
    """The HChaChaMany core."""

    def __init__(self, remarks):
        self.remarks = remarks

    def source(self, name):
        start = Code()
        for row in range(3):
            broadcast(start, WORDS[4 * row:][:4], ROWS[row])
        start.transpose('nonces', WORDS[12:], TEMPORARIES[-4:])
        finish = Code()
        for words in (WORDS[:4], WORDS[12:]):
            finish.transpose('subkeys', words, words)
        return HCHACHA.format(
            name=name,
            remarks=comment(self.remarks),
            padding=' ' * len(f'void {name}('),
            save=SAVE,
            restore=RESTORE,
            constants=LOAD_ROTATE_8,
            start=start.text(),
            rounds=rounds(chacha_quarter, CHACHA_ROUNDS),
            finish=finish.text(),
            rodata=RODATA.format(f'{ROTATE_8_BYTES}\n\t.ascii\t"expand 32-byte k"'),
        )


CORES = {
    'chacha_neon': Stream(
        chacha_quarter, CHACHA_ROUNDS, 12,
        "ChaCha of 4 blocks, side by side in the lanes of the vector registers: 4.8 cycles/byte with 20 rounds and 3.1 "
        "with 12 on llvm-mca's Cortex-A55 at 4096 bytes, 7.2 and 4.6 on its Cortex-A53. The vector units bound it, at "
        "4.4 and 2.8, and the latency of four quarter rounds, at 4.7 and 2.9; on Cortex-A53 only the latency. A fifth "
        "block in the general registers, tried on the rounds alone and ordered for Cortex-A55, takes 8 % off a block "
        "there, but adds 29 % on Cortex-A53 and 42 % on Cortex-A510."),
    'salsa_neon': Stream(
        salsa_quarter, SALSA_ROUNDS, 8,
        "Salsa20 of 4 blocks, side by side in the lanes of the vector registers: 5.2 cycles/byte with 20 rounds and 3.3 "
        "with 12 on llvm-mca's Cortex-A55 at 4096 bytes. The vector units bound it, at 4.7 and 2.9."),
    'hchacha_neon': HChaCha(
        "HChaCha of 4 nonces, side by side in the lanes of the vector registers: 195 cycles a nonce with 12 rounds on "
        "llvm-mca's Cortex-A55."),
}


def comment(text):
    return textwrap.fill(text, 117, initial_indent='// ', subsequent_indent='// ')


SAVED = [(8 + i, 9 + i, 8 * i) for i in range(0, 8, 2)]
SAVE = '\n'.join(['\tsub\tsp, sp, #64', '\t.cfi_adjust_cfa_offset 64'] +
                 [f'\tstp\td{first}, d{second}, [sp, #{offset}]\n\t.cfi_rel_offset d{first}, {offset}\n'
                  f'\t.cfi_rel_offset d{second}, {offset + 8}' for first, second, offset in SAVED])
RESTORE = '\n'.join([f'\tldp\td{first}, d{second}, [sp, #{offset}]' for first, second, offset in SAVED] +
                    ['\tadd\tsp, sp, #64', '\t.cfi_adjust_cfa_offset -64'])
LOAD_ROTATE_8 = f"""\
\tadrp\tx9, .Lconstants
\tadd\tx9, x9, :lo12:.Lconstants
\tldr\tq{ROTATE_8}, [x9]"""
RODATA = """
\t.section .rodata
\t.balign\t16
.Lconstants:
{}"""
ROTATE_8_BYTES = '\t.byte\t3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14'

HEAD = """\
// Generated by arch/gen/a64_stream.py {name}; do not edit.
//
{remarks}

\t.arch\tarmv8-a
\t.text
\t.balign\t16
"""

STREAM = HEAD + """
// void {name}(const uint32_t* state, size_t rounds, uint8_t* out, const uint8_t* in,
// {padding}size_t length);
//
// v0-v15 hold the words of four blocks, v16-v19 the rows of the first one.
\t.global\t{name}
\t.hidden\t{name}
\t.type\t{name}, %function
{name}:
\t.cfi_startproc
\thint\t#34  // bti c
{save}
\tldp\tq16, q17, [x0]
\tldp\tq18, q19, [x0, #32]
\tmov\tx9, #1
\tfmov\td21, x9{constants}
.Lpass:
\tmov\tx9, x1  // rounds left
{start}
.Lrounds:
{rounds}
\tsubs\tx9, x9, #4
\tb.ne\t.Lrounds
\tcmp\tx4, #256
\tb.lo\t.Lpart
{whole}
\tadd\tx3, x3, #256
\tadd\tx2, x2, #256
\tsubs\tx4, x4, #256
\tb.ne\t.Lpass
.Ldone:
{restore}
\tret

// The last 1 to 255 bytes: the keystream goes to the stack first.
.Lpart:
\tsub\tsp, sp, #256
\t.cfi_adjust_cfa_offset 320
{part}
\tmov\tx9, sp
\tsubs\tx10, x4, #16  // where the last 16 bytes begin
\tb.lo\t.Lbytes
// They may overlap what comes before them, which may be stored over them: so they are loaded now.
\tldr\tq0, [x3, x10]
\tldr\tq1, [x9, x10]
\tadd\tx11, x2, x10
\teor\tv0.16b, v0.16b, v1.16b
\tsubs\tx10, x10, #64
\tb.lo\t.Lvectors
.Lblocks:
\tldr\tq2, [x3]
\tldr\tq3, [x3, #16]
\tldr\tq4, [x3, #32]
\tldr\tq5, [x3, #48]
\tldr\tq6, [x9]
\tldr\tq7, [x9, #16]
\tldr\tq16, [x9, #32]
\tldr\tq17, [x9, #48]
\tadd\tx3, x3, #64
\tadd\tx9, x9, #64
\teor\tv2.16b, v2.16b, v6.16b
\teor\tv3.16b, v3.16b, v7.16b
\teor\tv4.16b, v4.16b, v16.16b
\teor\tv5.16b, v5.16b, v17.16b
\tstp\tq2, q3, [x2]
\tstp\tq4, q5, [x2, #32]
\tadd\tx2, x2, #64
\tsubs\tx10, x10, #64
\tb.hs\t.Lblocks
.Lvectors:
\tadds\tx10, x10, #64
\tb.eq\t.Llast
.Lvector:
\tldr\tq2, [x3], #16
\tldr\tq3, [x9], #16
\teor\tv2.16b, v2.16b, v3.16b
\tstr\tq2, [x2], #16
\tsubs\tx10, x10, #16
\tb.hi\t.Lvector
.Llast:
\tstr\tq0, [x11]
\tb\t.Lpart_done
.Lbytes:
\tldrb\tw10, [x3], #1
\tldrb\tw11, [x9], #1
\teor\tw10, w10, w11
\tstrb\tw10, [x2], #1
\tsubs\tx4, x4, #1
\tb.ne\t.Lbytes
.Lpart_done:
\tadd\tsp, sp, #256
\t.cfi_adjust_cfa_offset -256
\tb\t.Ldone
\t.cfi_endproc
\t.size\t{name}, . - {name}
{rodata}
\t.section .note.GNU-stack, "", %progbits
"""

HCHACHA = HEAD + """
// void {name}(const uint32_t* key, size_t rounds, uint32_t* subkeys, const uint8_t* nonces,
// {padding}size_t count);
//
// v0-v15 hold the words of four nonces, v16-v18 what they have in common.
\t.global\t{name}
\t.hidden\t{name}
\t.type\t{name}, %function
{name}:
\t.cfi_startproc
\thint\t#34  // bti c
{save}
{constants}
\tldr\tq16, [x9, #16]
\tldp\tq17, q18, [x0]
.Lpass:
\tmov\tx9, x1  // rounds left
// The last nonce takes the place of those that are missing.
\tmov\tx10, x3
\tcmp\tx4, #2
\tcinc\tx11, xzr, hs
\tcmp\tx4, #3
\tcinc\tx12, x11, hs
\tcmp\tx4, #4
\tcinc\tx13, x12, hs
\tldr\tq28, [x3]
\tlsl\tx11, x11, #4
\tlsl\tx12, x12, #4
\tlsl\tx13, x13, #4
\tldr\tq29, [x3, x11]
\tldr\tq30, [x3, x12]
\tldr\tq31, [x3, x13]
{start}
.Lrounds:
{rounds}
\tsubs\tx9, x9, #4
\tb.ne\t.Lrounds
{finish}
\tstp\tq0, q12, [x2]
\tcmp\tx4, #2
\tb.lo\t.Ldone
\tstp\tq1, q13, [x2, #32]
\tb.eq\t.Ldone
\tstp\tq2, q14, [x2, #64]
\tcmp\tx4, #4
\tb.lo\t.Ldone
\tstp\tq3, q15, [x2, #96]
\tadd\tx3, x3, #64
\tadd\tx2, x2, #128
\tsubs\tx4, x4, #4
\tb.ne\t.Lpass
.Ldone:
{restore}
\tret
\t.cfi_endproc
\t.size\t{name}, . - {name}
{rodata}

\t.section .note.GNU-stack, "", %progbits
"""


if __name__ == '__main__':
    generator.main(__doc__, CORES, lambda name: CORES[name].source(name))
