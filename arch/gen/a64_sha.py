#!/usr/bin/env python3
"""Writes AArch64 SHA cores: `a64_sha.py NAME` prints arch/arm64/NAME.S, `a64_sha.py --list` the names.

Here stands what a core computes, and where each word lives. schedule.py decides in which order. In all cores, all
sixteen words of the message schedule are in registers, and the chaining value is in memory during a block.
"""

import itertools
import textwrap

import generator
import schedule

# Timings that BLAKE2 has no use for, from LLVM's model of Cortex-A55 too.
READ_THEIR_RESULT = ('bit', 'bsl', 'sha512h', 'sha512h2', 'sha512su0', 'sha512su1')
schedule.VECTOR_TIMING.update({mnemonic: schedule.Timing('vector', 4) for mnemonic in READ_THEIR_RESULT + ('ext',)})
schedule.VECTOR_TIMING['ushr'] = schedule.Timing('shift', 2)
schedule.READS_ITS_RESULT |= set(READ_THEIR_RESULT)


class Core(generator.Code):
    """A core, and the code of one block of each message."""

    # General registers in the loop.
    STATE = 'x0'
    BLOCKS = 'x2'
    TABLE = 'x3'  # the constants
    MESSAGES = ('x4', 'x5', 'x6', 'x7')
    ADDRESSES = ('x9', 'x10', 'x11', 'x12')  # of words

    on_bytes = frozenset({'bit', 'bsl', 'eor', 'ext', 'rev32', 'rev64'})
    architecture = 'armv8-a'
    enter = leave = ()  # code before and after the loop
    window = 30  # lines that schedule() looks ahead: a round is as long, and waits for the one before

    def __init__(self, word_bytes, lanes, remarks):
        super().__init__(range(32))
        self.word_bytes = word_bytes
        self.lanes = lanes
        self.arrangement = {4: '4s', 8: '2d'}[word_bytes]
        self.messages = self.MESSAGES[:lanes]
        self.remarks = remarks

    def block(self):
        """The loop's body."""
        self.compress()
        for message in self.messages:
            self.emit('add', f'{message}, {message}, #{16 * self.word_bytes}', 'next block')
        self.emit('sub', f'{self.BLOCKS}, {self.BLOCKS}, #1', 'blocks left')
        return self.lines

    def add(self, meaning, target, source):
        """target += source, which is done with."""
        self.vector(meaning, 'add', target, target, source)
        self.give(source)

    def constant(self, index):
        """A new register with a vector of the table."""
        register = self.take()
        self.emit('ldr', f'q{register}, [{self.TABLE}, #{16 * index}]', f'constant {index}')
        return register

    def state(self, index):
        """A new register with a vector of the state."""
        register = self.take()
        self.emit('ldr', f'q{register}, [{self.STATE}, #{16 * index}]', f'state {index}')
        return register

    def add_to_state(self, index, register):
        """Adds a register to a vector of the state."""
        total = self.state(index)
        self.vector(f'state {index}', 'add', total, total, register)
        self.emit('str', f'q{total}, [{self.STATE}, #{16 * index}]', f'state {index}')
        self.give(total)


class Vertical(Core):
    """A core with a message in each lane of the vector registers.

    A register holds the same word of all messages, and each operation serves all of them.
    """

    LOADED_AHEAD = 4  # rounds that a word is loaded before its own
    MADE_AHEAD = 6  # rounds that a later word is made before its own

    def __init__(self, word_bytes, state_words, rounds, remarks):
        super().__init__(word_bytes, 16 // word_bytes, remarks)
        self.state_words = state_words
        self.rounds = rounds

    def compress(self):
        self.words = {}  # W[t] by t: its register
        self.addresses = itertools.cycle(self.ADDRESSES)
        self.all_rounds(*(self.state(word) for word in range(self.state_words)))

    def rotated(self, meaning, source, amount):
        """A new register with the words of `source` rotated to the right."""
        target = self.take()
        self.vector(meaning, 'shl', target, source, immediate=8 * self.word_bytes - amount)
        return self.vector(meaning, 'usra', target, source, immediate=amount)

    def load_words(self, t):
        """Loads the words that 8 bytes of each message hold, from W[t] on.

        Loading the halves of a register apart instead of rearranging full ones leaves the vector units to arithmetic.
        """
        pairs = []
        for first, second in zip(self.messages[::2], self.messages[1::2]):
            pairs.append(self.take())
            offset = t * self.word_bytes
            self.emit('ldr', f'd{pairs[-1]}, [{first}, #{offset}]', f'W{t}')
            if offset:
                address = next(self.addresses)
                self.emit('add', f'{address}, {second}, #{offset}', f'W{t}')
                second = address
            self.emit('ld1', f'{{v{pairs[-1]}.d}}[1], [{second}]', f'W{t}')
        for pair in pairs:
            self.vector(f'W{t}', f'rev{8 * self.word_bytes}', pair, pair)
        if self.lanes == 2:
            self.words[t], = pairs
        else:
            self.words[t] = self.vector(f'W{t}', 'uzp1', self.take(), *pairs)
            self.words[t + 1] = self.vector(f'W{t + 1}', 'uzp2', self.take(), *pairs)
            self.give(*pairs)

    def prepare_words(self, t):
        """Sees to it that in round t the words are there, and that what follows comes in time."""
        for word in range(t, min(t + self.LOADED_AHEAD + 1, 16)):
            if word not in self.words:
                self.load_words(word)
        if 16 <= t + self.MADE_AHEAD < self.rounds:
            self.expand(t + self.MADE_AHEAD)


class Sha1(Vertical):
    """SHA-1 (FIPS 180-4, section 6.1)."""

    include = ''
    constants = '\n'.join(f'\t.word\t{constant:#010x}, {constant:#010x}, {constant:#010x}, {constant:#010x}'
                          for constant in (0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6))

    def __init__(self, remarks):
        super().__init__(4, 5, 80, remarks)

    def expand(self, t):
        word = self.words.pop(t - 16)
        for distance in (14, 8, 3):
            self.vector(f'W{t}', 'eor', word, word, self.words[t - distance])
        self.words[t] = self.rotated(f'W{t}', word, 31)
        self.give(word)

    def function(self, t, b, c, d):
        """Ch, Parity or Maj (section 4.1.1), in b's register."""
        if t < 20:
            self.vector('Ch', 'bsl', b, c, d)
        elif 40 <= t < 60:
            # d where b and c differ, and c where not.
            self.vector('Maj', 'eor', b, b, c)
            self.vector('Maj', 'bsl', b, d, c)
        else:
            self.vector('Parity', 'eor', b, b, c)
            self.vector('Parity', 'eor', b, b, d)

    def all_rounds(self, a, b, c, d, e):
        for t in range(self.rounds):
            self.label = f'{t} '
            if t % 20 == 0:
                constant = self.constant(t // 20)
            self.prepare_words(t)
            total = self.vector('K + W', 'add', self.take(), constant, self.words[t])
            self.add('+ e', total, e)
            rotated_b = self.rotated('b <<< 30', b, 2)
            self.function(t, b, c, d)
            self.add('+ f', total, b)
            # a comes last: its rotation's halves are added one by one, which is a step less to wait for.
            high = self.vector('a << 5', 'shl', self.take(), a, immediate=5)
            self.vector('+ a >> 27', 'usra', total, a, immediate=27)
            self.add('+ a << 5', total, high)
            a, b, c, d, e = total, a, rotated_b, c, d
            if t % 20 == 19:
                self.give(constant)
        self.label = ''
        for word, register in enumerate((a, b, c, d, e)):
            self.add_to_state(word, register)


class Sha2(Vertical):
    """SHA-256 and SHA-512 (FIPS 180-4, sections 6.2 and 6.4)."""

    def __init__(self, word_bytes, rounds, upper, lower, remarks):
        super().__init__(word_bytes, 8, rounds, remarks)
        self.upper = upper  # rotations of Sigma0 and Sigma1 (sections 4.1.2 and 4.1.3)
        self.lower = lower  # and of sigma0 and sigma1, of which the last is a shift
        bits, directive = {4: (256, '.word'), 8: (512, '.quad')}[word_bytes]
        self.include = f'\n#include "../sha{bits}_constants.h"\n'
        names = [f'k{i}' for i in range(self.lanes)]  # as many to a line of the included table
        words = ', '.join(name for name in names for _ in range(self.lanes))
        self.constants = (f'#define VECTORS({", ".join(names)}) {directive} {words};\n'
                          f'\tSHA{bits}_ROUND_CONSTANTS(VECTORS)')

    def sigma(self, meaning, source, amounts, last):
        """A new register with the exclusive-or of `source` rotated by the amounts, the last time as `last` does it."""
        first = self.rotated(meaning, source, amounts[0])
        second = self.rotated(meaning, source, amounts[1])
        third = last(meaning, source, amounts[2])
        self.vector(meaning, 'eor', first, first, second)
        self.vector(meaning, 'eor', first, first, third)
        self.give(second, third)
        return first

    def upper_sigma(self, number, source):
        return self.sigma(f'Sigma{number}', source, self.upper[number], self.rotated)

    def lower_sigma(self, number, t):
        return self.sigma(f'sigma{number}(W{t})', self.words[t], self.lower[number], self.shifted)

    def shifted(self, meaning, source, amount):
        return self.vector(meaning, 'ushr', self.take(), source, immediate=amount)

    def expand(self, t):
        word = self.words.pop(t - 16)
        self.vector(f'W{t}', 'add', word, word, self.words[t - 7])
        self.add(f'W{t}', word, self.lower_sigma(0, t - 15))
        self.add(f'W{t}', word, self.lower_sigma(1, t - 2))
        self.words[t] = word

    def first_sum(self, t, h):
        """A new register with h + K[t] + W[t]."""
        total = self.constant(t)
        self.vector(f'K{t} + W{t}', 'add', total, total, self.words[t])
        return self.vector('+ h', 'add', total, total, h)

    def all_rounds(self, a, b, c, d, e, f, g, h):
        self.prepare_words(0)
        total = self.first_sum(0, h)
        self.give(h)
        b_xor_c = self.vector('b ^ c', 'eor', self.take(), b, c)
        for t in range(self.rounds):
            self.label = f'{t} '
            self.prepare_words(t)
            # The next round's sum takes g, the next h, so early that here Ch can be made in its register.
            if t + 1 < self.rounds:
                next_total = self.first_sum(t + 1, g)
            else:
                self.add_to_state(7, g)
            self.vector('Ch', 'bit', g, f, e)
            self.add('+ Ch', total, g)
            self.add('+ Sigma1', total, self.upper_sigma(1, e))
            self.vector('d + T1', 'add', d, d, total)
            # Maj is a where b and c differ, and b where not. The a ^ b of a round is the b ^ c of the next.
            a_xor_b = self.vector('a ^ b', 'eor', self.take(), a, b)
            self.vector('Maj', 'bsl', b_xor_c, a, b)
            self.add('+ Maj', total, b_xor_c)
            self.add('+ Sigma0', total, self.upper_sigma(0, a))
            a, b, c, d, e, f, g, b_xor_c, total = total, a, b, c, d, e, f, a_xor_b, next_total
        self.label = ''
        for word, register in enumerate((a, b, c, d, e, f, g)):
            self.add_to_state(word, register)


class Sha512Extension(Core):
    """SHA-512 (FIPS 180-4, section 6.4) by the instructions for it, each message in registers of its own.

    A register holds two words: a and b (in the terms of section 6.4.2), or c and d and so on, or W[t] and W[t+1], the
    first in the lower lane. A step is two rounds.
    """

    STEPS = 40

    window = 60
    architecture = 'armv8.2-a+sha3'
    include = '\n#include "../sha512_constants.h"\n'
    # Each pair the other way round, as sha512h takes the sums.
    constants = '#define VECTORS(k0, k1) .quad k1, k0;\n\tSHA512_ROUND_CONSTANTS(VECTORS)'

    def __init__(self, lanes, remarks):
        super().__init__(8, lanes, remarks)
        if lanes == 2:
            # In the loop the state is message by message: v0, v2, v4 and v6 here are one's, the others the other's.
            interleaved = [f'{{v{i}.2d, v{i + 1}.2d}}, [x9], #32' for i in range(0, 8, 2)]
            apart = [f'q{i}, q{i + 2}, [x0, #{offset}]' for offset, i in ((0, 0), (32, 4), (64, 1), (96, 5))]
            self.enter = ['mov\tx9, x0', *(f'ld2\t{it}' for it in interleaved), *(f'stp\t{it}' for it in apart)]
            self.leave = ['mov\tx9, x0', *(f'ldp\t{it}' for it in apart), *(f'st2\t{it}' for it in interleaved)]

    def extension(self, meaning, mnemonic, *registers):
        """An instruction of the extension; sha512h and sha512h2 take two of their operands as whole registers."""
        whole = 2 if mnemonic in ('sha512h', 'sha512h2') else 0
        operands = [f'q{register}' if i < whole else f'v{register}.2d' for i, register in enumerate(registers)]
        self.emit(mnemonic, ', '.join(operands), meaning)

    def middle(self, meaning, first, second):
        """A new register with the upper word of `first` and the lower one of `second`."""
        return self.vector(meaning, 'ext', self.take(), first, second, immediate=8)

    def compress(self):
        self.working = [[self.state(4 * lane + i) for i in range(4)] for lane in range(self.lanes)]
        self.words = []  # of each message the schedule, W[t] and W[t+1] in the place t / 2 modulo 8
        for lane, message in enumerate(self.messages):
            self.words.append([self.take() for _ in range(8)])
            for i, register in enumerate(self.words[lane]):
                self.emit('ldr', f'q{register}, [{message}, #{16 * i}]', f'{lane} W{2 * i}')
                self.vector(f'{lane} W{2 * i}', 'rev64', register, register)
        totals = self.first_sums(0, [gh for _, _, _, gh in self.working])
        for step in range(self.STEPS):
            self.label = f'{2 * step} '
            last_totals = totals
            if step + 1 < self.STEPS:
                totals = self.first_sums(step + 1, [ef for _, _, ef, _ in self.working])
            if step + 8 < self.STEPS:
                self.expand(step)
            for lane, total in enumerate(last_totals):
                self.two_rounds(lane, total)
        self.label = ''
        for lane, registers in enumerate(self.working):
            for i, register in enumerate(registers):
                self.add_to_state(4 * lane + i, register)

    def first_sums(self, step, registers):
        """New registers with g + K[t+1] + W[t+1] and h + K[t] + W[t], for t = 2 * step; `registers` hold g and h."""
        constant = self.constant(step)
        totals = [self.vector('K + g h', 'add', self.take(), constant, gh) for gh in registers]
        self.give(constant)
        for total, words in zip(totals, self.words):
            word = words[step % 8]
            self.add('+ W', total, self.middle(f'W{2 * step + 1} W{2 * step}', word, word))
        return totals

    def expand(self, step):
        for words in self.words:
            t16, t14, t8, t6, t2 = (words[(step + i) % 8] for i in (0, 1, 4, 5, 7))
            meaning = f'W{2 * step + 16}'
            self.extension(meaning, 'sha512su0', t16, t14)
            t7 = self.middle(meaning, t8, t6)
            self.extension(meaning, 'sha512su1', t16, t2, t7)
            self.give(t7)

    def two_rounds(self, lane, total):
        ab, cd, ef, gh = self.working[lane]
        fg = self.middle(f'{lane} f g', ef, gh)
        de = self.middle(f'{lane} d e', cd, ef)
        self.extension(f'{lane} T1', 'sha512h', total, fg, de)
        new_ef = self.vector(f'{lane} e f', 'add', self.take(), cd, total)
        self.extension(f'{lane} a b', 'sha512h2', total, cd, ab)
        self.give(gh, fg, de, cd)
        self.working[lane] = [total, ab, new_ef, ef]


CORES = {
    'sha1_neon': Sha1(
        "SHA-1 (FIPS 180-4, section 6.1) of 4 messages, side by side in the lanes of the vector registers: 4.5 "
        "cycles/byte on llvm-mca's Cortex-A55 at 4096 bytes. The vector units bound it, at 4.1."),
    'sha256_neon': Sha2(
        4, 64, ((2, 13, 22), (6, 11, 25)), ((7, 18, 3), (17, 19, 10)),
        "SHA-256 (FIPS 180-4, section 6.2) of 4 messages, side by side in the lanes of the vector registers: 8.9 "
        "cycles/byte on llvm-mca's Cortex-A55 at 4096 bytes. The vector units bound it, at 8.7."),
    'sha512_neon': Sha2(
        8, 80, ((28, 34, 39), (14, 18, 41)), ((1, 8, 7), (19, 61, 6)),
        "SHA-512 (FIPS 180-4, section 6.4) of 2 messages, side by side in the lanes of the vector registers: 11.3 "
        "cycles/byte on llvm-mca's Cortex-A55 at 4096 bytes, where compiled C takes 21.6. The vector units bound it, "
        "at 11.1."),
    'sha512_ce': Sha512Extension(
        1,
        "SHA-512 (FIPS 180-4, section 6.4) by the instructions for it, one message: 4.5 cycles/byte on llvm-mca's "
        "Cortex-A55 at 4096 bytes. Latency bounds it: two rounds wait for the two before them for 10 cycles, in 11 "
        "instructions."),
    'sha512_ce_x2': Sha512Extension(
        2,
        "SHA-512 (FIPS 180-4, section 6.4) by the instructions for it, two messages side by side: 4.2 cycles/byte on "
        "llvm-mca's Cortex-A55 at 4096 bytes, where one message takes 4.5; the difference is greater on its wider "
        "processors (Neoverse V1: 1.3 and 2.0). The vector units bound it, at 3.4."),
}

SOURCE = """\
// Generated by arch/gen/a64_sha.py {name}; do not edit.
//
{remarks}
//
// The comments of the loop are in the terms of the standard. First comes the round, from 0, that a line belongs to.
//
{registers}
{include}
\t.arch\t{architecture}
\t.text
\t.balign\t16

// void {name}(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter,
//      {padding} uint64_t final_mask);
\t.global\t{name}
\t.hidden\t{name}
\t.type\t{name}, %function
{name}:
\t.cfi_startproc
\thint\t#34  // bti c
\tsub\tsp, sp, #64
\t.cfi_adjust_cfa_offset 64
{save}
{enter}
1:
{loop}
\tcbnz\tx2, 1b
{leave}
\tadd\tsp, sp, #64
\t.cfi_adjust_cfa_offset -64
\tret
\t.cfi_endproc
\t.size\t{name}, . - {name}

\t.section .rodata
\t.balign\t16
.Lconstants:
{constants}

\t.section .note.GNU-stack, "", %progbits
"""


def comment(text):
    return textwrap.fill(text, 117, initial_indent='// ', subsequent_indent='// ')


def code(*lines):
    return '\n'.join(f'\t{line}' for line in lines)


def source(name):
    """The text of a core's file."""
    core = CORES[name]
    saved = [(8 + i, 9 + i, 8 * i) for i in range(0, 8, 2)]
    save = [line for first, second, offset in saved
            for line in (f'stp\td{first}, d{second}, [sp, #{offset}]', f'.cfi_rel_offset d{first}, {offset}',
                         f'.cfi_rel_offset d{second}, {offset + 8}')]
    restore = [f'ldp\td{first}, d{second}, [sp, #{offset}]' for first, second, offset in saved]
    return SOURCE.format(
        name=name,
        padding=' ' * len(name),
        remarks=comment(core.remarks),
        registers=comment('General registers in the loop: x0 state, x2 blocks left, x3 constants, '
                          f'{" ".join(core.messages)} messages, x9-x12 addresses of words.'),
        include=core.include,
        architecture=core.architecture,
        save=code(*save),
        enter=code(*(f'ldr\t{message}, [x1, #{8 * i}]' for i, message in enumerate(core.messages)),
                   f'adrp\t{core.TABLE}, .Lconstants', f'add\t{core.TABLE}, {core.TABLE}, :lo12:.Lconstants',
                   *core.enter),
        loop=code(*schedule.schedule(core.block(), window=core.window)),
        leave=code(*core.leave, *restore),
        constants=core.constants,
    )


if __name__ == '__main__':
    generator.main(__doc__, CORES, source)
