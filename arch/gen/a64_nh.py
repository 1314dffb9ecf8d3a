#!/usr/bin/env python3
"""Writes the AArch64 NH core: `a64_nh.py NAME` prints arch/arm64/NAME.S, `a64_nh.py --list` the names.

Here stands what the core computes, and where each value lives. schedule.py decides in which order.
"""

import itertools

import generator
import schedule

# Timings that BLAKE2 has no use for, from LLVM's model of Cortex-A55 too.
schedule.VECTOR_TIMING.update({mnemonic: schedule.Timing('vector', 4) for mnemonic in ('umlal', 'umlal2')})
schedule.READS_ITS_RESULT |= {'umlal', 'umlal2'}

PASSES = 4
UNIT = 16  # bytes
PAIRS_OF_LOOP = PASSES  # after which the key's registers are again in the order that they started from

KEY = ((0, 1), (2, 3), (4, 5), (6, 7))  # vector registers of the lower and upper halves of four pairs of key units
FIRST_SUMS = range(16, 20)  # by pass
SECOND_SUMS = range(20, 24)
TEMPORARIES = range(24, 32)

# General registers, first the pointers to two units that are taken side by side.
CHUNK = ('x7', 'x8')
KEY_AT = ('x9', 'x10')
LOOPS = 'x11'
ADDRESSES = ('x12', 'x13', 'x14', 'x15')

NAME = 'nh_neon'


class Code(generator.Code):
    """A stretch of straight-line code."""

    def __init__(self):
        super().__init__(())
        self.temporaries = itertools.cycle(TEMPORARIES)
        self.addresses = itertools.cycle(ADDRESSES)

    def load(self, meaning, registers, pointers, offset, single=False):
        """Loads the lower and upper halves of two units, or of the first one by itself."""
        for half, register in enumerate(registers):
            place = offset + UNIT // 2 * half
            first, second = pointers
            self.emit('ldr', f'd{register}, [{first}, #{place}]', meaning)
            if single:
                continue
            if place:
                address = next(self.addresses)
                self.emit('add', f'{address}, {second}, #{place}', meaning)
                second = address
            self.emit('ld1', f'{{v{register}.d}}[1], [{second}]', meaning)

    def pair(self, number, single=False):
        """Adds a pair of units, or the first of a pair by itself, to the sums.

        `number` counts the pairs since the key's registers were in order.
        """
        lanes = '2s' if single else '4s'
        keys = [KEY[(number + number_of_pass) % len(KEY)] for number_of_pass in range(PASSES)]
        self.load(f'pair {number}: key', keys[-1], KEY_AT, UNIT * (number + PASSES - 1), single)
        message = next(self.temporaries), next(self.temporaries)
        self.load(f'pair {number}: message', message, CHUNK, UNIT * number, single)
        for number_of_pass, key in enumerate(keys):
            meaning = f'pair {number}, pass {number_of_pass}'
            lower, upper = totals = next(self.temporaries), next(self.temporaries)
            for total, half, key_half in zip(totals, message, key):
                self.emit('add', f'v{total}.{lanes}, v{half}.{lanes}, v{key_half}.{lanes}', meaning)
            self.emit('umlal', f'v{FIRST_SUMS[number_of_pass]}.2d, v{lower}.2s, v{upper}.2s', meaning)
            if not single:
                self.emit('umlal2', f'v{SECOND_SUMS[number_of_pass]}.2d, v{lower}.4s, v{upper}.4s', meaning)

    def text(self):
        return '\n'.join(f'\t{line}' for line in schedule.schedule(self.lines))


def start():
    code = Code()
    for number in range(PASSES - 1):
        code.load('key', KEY[number], KEY_AT, UNIT * number)
    zeros = '\n'.join(f'\tmovi\tv{register}.2d, #0' for register in (*FIRST_SUMS, *SECOND_SUMS))
    return f'{zeros}\n{code.text()}'


def loop():
    code = Code()
    for number in range(PAIRS_OF_LOOP):
        code.pair(number)
    for pointer in (*CHUNK, *KEY_AT):
        code.emit('add', f'{pointer}, {pointer}, #{UNIT * PAIRS_OF_LOOP}', 'next pairs')
    code.emit('sub', f'{LOOPS}, {LOOPS}, #1', 'loops left')
    return code.text()


def seven_units():
    """What the loop leaves over of Adiantum's 4080 and 496 bytes: three pairs and one unit."""
    code = Code()
    for number in range(3):
        code.pair(number)
    code.pair(3, single=True)
    return code.text()


def rest():
    """Up to PAIRS_OF_LOOP - 1 pairs."""
    lines = []
    for number in range(PAIRS_OF_LOOP - 1):
        code = Code()
        code.pair(number)
        lines += [f'\tcmp\tx17, #{number}', '\tb.eq\t.Lpairs_done', code.text()]
    return '\n'.join(lines)


def single():
    """The unit of an odd number, loading its key anew: which registers it is in depends on the pairs before."""
    totals = TEMPORARIES[4:]
    lines = [f'ldr\tq{TEMPORARIES[0]}, [{CHUNK[0]}]']
    lines += [f'ldr\tq{total}, [{KEY_AT[0]}, #{UNIT * index}]' for index, total in enumerate(totals)]
    lines += [f'add\tv{total}.4s, v{total}.4s, v{TEMPORARIES[0]}.4s' for total in totals]
    lines += [f'mov\td{index}, v{total}.d[1]' for index, total in enumerate(totals)]
    lines += [f'umlal\tv{sums}.2d, v{index}.2s, v{total}.2s'
              for index, (sums, total) in enumerate(zip(FIRST_SUMS, totals))]
    return '\n'.join(f'\t{line}' for line in lines)


def finish():
    lines = [f'add\tv{first}.2d, v{first}.2d, v{second}.2d' for first, second in zip(FIRST_SUMS, SECOND_SUMS)]
    lines += [f'addp\tv{even}.2d, v{even}.2d, v{even + 1}.2d' for even in FIRST_SUMS[::2]]
    lines += [f'stp\tq{FIRST_SUMS[0]}, q{FIRST_SUMS[2]}, [x1], #32']
    return '\n'.join(f'\t{line}' for line in lines)


SOURCE = """\
// Generated by arch/gen/a64_nh.py {name}; do not edit.
//
// NH (P. Crowley, E. Biggers, "Adiantum", section 5.2): 0.73 cycles/byte on llvm-mca's Cortex-A55 for whole chunks, 1.1
// on its Cortex-A53. The vector units bound it, at 0.5.
//
// A unit is multiplied half by half. Two units are taken side by side, one from each half of the chunk, and loaded
// halves apart: so both factors of all products are where the instructions want them, and nothing is rearranged. The
// four passes take a unit's own 16 bytes of the key and the next three: each pair of units brings one pair of those.

	.arch	armv8-a
	.text
	.balign	16

// void {name}(const uint32_t* key, uint8_t* digests, const uint8_t* message, size_t stride, size_t length,
//              size_t count);
//
// v0-v7 hold the key, v16-v23 sums. x6 is what is left of a message, x7 and x8 are at the units of a pair, x9 and x10
// at their key; x11 counts the loop, x17 the pairs that it leaves over.
	.global	{name}
	.hidden	{name}
	.type	{name}, %function
{name}:
	.cfi_startproc
	hint	#34  // bti c
.Lmessage:
	mov	x8, x2
	mov	x6, x4
.Lchunk:
	mov	x16, #1024
	cmp	x6, x16
	csel	x16, x6, x16, lo
	sub	x6, x6, x16
	lsr	x16, x16, #4  // units of the chunk
	add	x12, x16, #1
	lsr	x12, x12, #1  // the odd one, if any, is the last of the first half
	lsr	x17, x16, #1
	mov	x7, x8
	add	x8, x7, x12, lsl #4
	mov	x9, x0
	add	x10, x0, x12, lsl #4
	lsr	x11, x17, #2
	and	x17, x17, #3
{start}
	cbz	x11, .Lrest
.Lloop:
{loop}
	cbnz	x11, .Lloop
.Lrest:
	and	x12, x16, #7
	cmp	x12, #7
	b.ne	.Lpairs
{seven_units}
	add	x8, x8, #48  // the next chunk
	b	.Lsums
.Lpairs:
{rest}
.Lpairs_done:
	lsl	x17, x17, #4
	add	x8, x8, x17  // the next chunk
	tbz	x16, #0, .Lsums
	add	x7, x7, x17
	add	x9, x9, x17
{single}
.Lsums:
{finish}
	cbnz	x6, .Lchunk
	add	x2, x2, x3
	subs	x5, x5, #1
	b.ne	.Lmessage
	ret
	.cfi_endproc
	.size	{name}, . - {name}

	.section .note.GNU-stack, "", %progbits
"""


def source(name):
    return SOURCE.format(name=name, start=start(), loop=loop(), seven_units=seven_units(), rest=rest(),
                         single=single(), finish=finish())


if __name__ == '__main__':
    generator.main(__doc__, [NAME], source)
