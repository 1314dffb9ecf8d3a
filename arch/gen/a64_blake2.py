#!/usr/bin/env python3
"""Writes the AArch64 BLAKE2 cores: `a64_blake2.py NAME` prints arch/arm64/NAME.S, `a64_blake2.py --list` the names.

A core hashes several messages side by side, one in each lane of the vector registers: a register holds the same word
of all of them. So nothing ever moves from lane to lane, the diagonal step only renames registers, and each addition,
exclusive-or or rotation serves all messages. Cores with a scalar lane hash one more message in the general registers
meanwhile, for in-order processors that issue a vector and a scalar instruction together.

Here stands what a core computes, and where each word lives. schedule.py decides in which order.
"""

import argparse
import itertools
import textwrap
from typing import NamedTuple

import schedule

SIGMA = (  # RFC 7693, section 2.7
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    (14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    (11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    (7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    (9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    (2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    (12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    (13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    (6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    (10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
BLAKE2B_IV = (
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
)


class Algorithm(NamedTuple):
    """A BLAKE2 (RFC 7693, section 2.1), and what AArch64 calls the vectors that its words make."""

    family: str
    word_bytes: int
    rounds: int
    rotations: tuple  # of the exclusive-ors of G, to the right, in order
    iv: tuple
    lanes: str  # the arrangement of a vector of words
    half_words: str  # and of one of half words
    swap_halves: str  # the instruction that swaps the half words of each word
    general: str  # the kind of a general register that holds a word

    @property
    def word_bits(self):
        return 8 * self.word_bytes

    @property
    def block_bytes(self):
        return 16 * self.word_bytes

    def steps(self):
        """(label, quarters) of each step."""
        return [(f'{number}{kind}', quarters) for number in range(self.rounds)
                for kind, quarters in (('c', COLUMNS), ('d', DIAGONALS))]

    def message_order(self):
        """The message words in the order in which they are added when the four G of a step run side by side."""
        return [SIGMA[number % len(SIGMA)][half_round + 2 * g + half_g]
                for number in range(self.rounds) for half_round in (0, 8) for half_g in (0, 1) for g in range(4)]


BLAKE2B = Algorithm('blake2b', 8, 12, (32, 24, 16, 63), BLAKE2B_IV, '2d', '4s', 'rev64', 'x')
BLAKE2S = Algorithm('blake2s', 4, 10, (16, 12, 8, 7), tuple(word >> 32 for word in BLAKE2B_IV),
                    '4s', '8h', 'rev32', 'w')

# The working vector of RFC 7693, section 3.2, is numbered row by row; the rows are called a, b, c, d after the
# variables of G (section 3.1) that stand for their words. A step is four G, on the columns or on the diagonals.
WORD_NAMES = [row + str(i) for row in 'abcd' for i in range(4)]
COLUMNS = [(i, 4 + i, 8 + i, 12 + i) for i in range(4)]
DIAGONALS = [(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4) for i in range(4)]


class Residency:
    """Which message words are in registers, where these are fewer than the words.

    Belady's rule: the word to leave is the one that is next used last. No other rule fetches less often.
    """

    def __init__(self, registers, order):
        self.free = list(registers)
        self.order = order  # of the uses
        self.register_of = {}

    def next_use(self, word, position):
        return next((use for use in range(position, len(self.order)) if self.order[use] == word), len(self.order))

    def place(self, word, position):
        """Makes room for `word`, as things stand at `position` in the order; false if all others are needed sooner."""
        if self.free:
            self.register_of[word] = self.free.pop(0)
            return True
        victim = max(self.register_of, key=lambda resident: self.next_use(resident, position))
        if self.next_use(victim, position) <= self.next_use(word, position):
            return False
        self.register_of[word] = self.register_of.pop(victim)
        return True

    def absent(self, position, count):
        """The words among the `count` uses from `position` on that are not in a register."""
        return [word for word in self.order[position:position + count] if word not in self.register_of]


class Lanes:
    """The code of one compression in some lanes: what the vector lanes and the scalar lane have in common.

    The code comes in sections: what precedes the rounds, each step, and what follows.
    """

    LOOKAHEAD = 4  # a message word is fetched when it is among so many next uses

    def __init__(self, algorithm, message_registers):
        self.algorithm = algorithm
        self.residency = Residency(message_registers, algorithm.message_order())
        self.position = 0  # in the order of the message words
        self.sections = []

    def begin_section(self, label):
        self.label = label
        self.sections.append([])

    def emit(self, mnemonic, operands, meaning):
        self.sections[-1].append(f'{mnemonic}\t{operands}\t// {self.label} {meaning}')

    def step(self, label, quarters):
        self.begin_section(label)
        rotations = iter(self.algorithm.rotations)
        for _ in range(2):
            self.fetch_ahead()
            for a, _, _, _ in quarters:
                self.add_message_word(a, self.residency.order[self.position])
                self.position += 1
            self.add([(a, b) for a, b, _, _ in quarters])
            self.xor_and_rotate([(d, a) for a, _, _, d in quarters], next(rotations))
            self.add([(c, d) for _, _, c, d in quarters])
            self.fetch_ahead()
            self.xor_and_rotate([(b, c) for _, b, c, _ in quarters], next(rotations))

    def fetch_ahead(self):
        for word in self.residency.absent(self.position, self.LOOKAHEAD):
            if word not in self.residency.register_of and self.residency.place(word, self.position):
                self.fetch(word)


class VectorLanes(Lanes):
    """The lanes of the vector registers. Registers are given by number.

    v0-v15 hold the working vector at first. A rotation that does not move whole bytes is a shift into a spare register
    and an accumulating shift there; the word then stays there, and its old register becomes a spare one. With as many
    spare registers as G run side by side, none waits for another.
    """

    def __init__(self, core, pointers, addresses):
        self.core = core
        self.pointers = pointers  # general registers that point to the messages
        self.addresses = itertools.cycle(addresses)  # general registers for the addresses of words
        self.register_of = list(range(16))
        rest = list(range(16, 32))
        self.spare = []
        self.rotate_index = {}  # by rotation: the register with the byte numbers with which `tbl` performs it
        if not core.xar:
            self.spare, rest = rest[:4], rest[4:]
            for rotation in core.algorithm.rotations:
                if rotation % 8 == 0 and 2 * rotation != core.algorithm.word_bits:
                    self.rotate_index[rotation] = rest.pop(0)
        self.message_registers = rest
        self.message_on_stack = len(rest) < 16  # all words at the stack pointer, transposed
        self.gathered = set()
        super().__init__(core.algorithm, rest)

    def vector(self, register):
        return f'v{register}.{self.algorithm.lanes}'

    def on_state(self, mnemonic, register, state, i, meaning):
        """Loads or stores state word i of the vector lanes."""
        offset = i * self.core.lanes * self.algorithm.word_bytes
        if offset % 16:
            mnemonic = mnemonic.replace('r', 'ur')
        self.emit(mnemonic, f'q{register}, [{state}, #{offset}]', meaning)

    def start(self, state, mixed):
        """Sets the working vector. `mixed` has, for some words, general registers that hold them."""
        for i in range(8):
            self.on_state('ldr', i, state, i, f'{WORD_NAMES[i]} = h{i}')
        for i in range(8, 16):
            if i in mixed:
                self.emit('dup', f'{self.vector(i)}, {mixed[i]}', WORD_NAMES[i])
            else:
                self.emit('ldr', f'q{i}, {iv_label(i - 8)}', f'{WORD_NAMES[i]} = IV{i - 8}')

    def finish(self, state):
        """Exclusive-ors the halves of the working vector to the state, the words that are ready last at the end."""
        for i, h in enumerate(self.message_registers[:8]):
            self.on_state('ldr', h, state, i, f'h{i}')
            for word in (i, 8 + i) if i < 4 else (8 + i, i):
                self.emit('eor', f'v{h}.16b, v{h}.16b, v{self.register_of[word]}.16b', f'h{i} ^= {WORD_NAMES[word]}')
            self.on_state('str', h, state, i, f'h{i}')

    def fetch(self, word):
        if word in self.gathered:
            self.emit('ldr', f'q{self.residency.register_of[word]}, [sp, #{16 * word}]', f'm{word}')
        elif self.core.vector_lanes == 2:
            register = self.residency.register_of[word]
            self.gather(register, word, self.pointers)
            self.gathered_word(word)
        else:
            self.gather_two_words(word)

    def gather(self, register, word, pointers):
        """The 8 bytes from `word` on, of two messages."""
        offset = word * self.algorithm.word_bytes
        self.emit('ldr', f'd{register}, [{pointers[0]}, #{offset}]', f'm{word}')
        address = pointers[1]
        if offset:
            address = next(self.addresses)
            self.emit('add', f'{address}, {pointers[1]}, #{offset}', f'to m{word}')
        self.emit('ld1', f'{{v{register}.d}}[1], [{address}]', f'm{word}')

    def gather_two_words(self, word):
        """`word` and the one that follows it in memory, of four messages; `word` has its register already."""
        assert self.residency.place(word + 1, self.position)
        first, second = self.residency.register_of[word], self.residency.register_of[word + 1]
        low = self.spare.pop(0)
        self.spare.append(low)
        self.gather(low, word, self.pointers[:2])
        self.gather(second, word, self.pointers[2:])
        self.emit('uzp1', f'v{first}.4s, v{low}.4s, v{second}.4s', f'm{word}')
        self.emit('uzp2', f'v{second}.4s, v{low}.4s, v{second}.4s', f'm{word + 1}')
        self.gathered_word(word)
        self.gathered_word(word + 1)

    def gathered_word(self, word):
        self.gathered.add(word)
        if self.message_on_stack:
            self.emit('str', f'q{self.residency.register_of[word]}, [sp, #{16 * word}]', f'm{word}')

    def add_message_word(self, i, word):
        a = self.vector(self.register_of[i])
        self.emit('add', f'{a}, {a}, {self.vector(self.residency.register_of[word])}', f'{WORD_NAMES[i]} += m{word}')

    def add(self, pairs):
        for i, j in pairs:
            target = self.vector(self.register_of[i])
            self.emit('add', f'{target}, {target}, {self.vector(self.register_of[j])}',
                      f'{WORD_NAMES[i]} += {WORD_NAMES[j]}')

    def xor_and_rotate(self, pairs, rotation):
        if self.core.xar:
            for i, j in pairs:
                target = self.vector(self.register_of[i])
                self.emit('xar', f'{target}, {target}, {self.vector(self.register_of[j])}, #{rotation}',
                          f'{WORD_NAMES[i]} = ({WORD_NAMES[i]} ^ {WORD_NAMES[j]}) >>> {rotation}')
            return
        for i, j in pairs:
            target = self.register_of[i]
            self.emit('eor', f'v{target}.16b, v{target}.16b, v{self.register_of[j]}.16b',
                      f'{WORD_NAMES[i]} ^= {WORD_NAMES[j]}')
        for i, _ in pairs:
            register = self.register_of[i]
            meaning = f'{WORD_NAMES[i]} >>>= {rotation}'
            if 2 * rotation == self.algorithm.word_bits:
                halves = f'v{register}.{self.algorithm.half_words}'
                self.emit(self.algorithm.swap_halves, f'{halves}, {halves}', meaning)
            elif rotation in self.rotate_index:
                self.emit('tbl', f'v{register}.16b, {{v{register}.16b}}, v{self.rotate_index[rotation]}.16b', meaning)
            else:
                rotated = self.spare.pop(0)
                self.emit('shl', f'{self.vector(rotated)}, {self.vector(register)}, '
                          f'#{self.algorithm.word_bits - rotation}', f'{meaning}, high part')
                self.emit('usra', f'{self.vector(rotated)}, {self.vector(register)}, #{rotation}', meaning)
                self.register_of[i] = rotated
                self.spare.append(register)


class ScalarLane(Lanes):
    """The lane of the general registers."""

    def __init__(self, core, pointer, words, message_registers):
        self.core = core
        self.pointer = pointer  # points to the message
        self.words = words  # the registers of the working vector
        super().__init__(core.algorithm, message_registers)

    def on_state(self, mnemonic, register, state, i, meaning):
        """Loads or stores state word i of the scalar lane, which follows the vector lanes."""
        offset = (i * self.core.lanes + self.core.vector_lanes) * self.algorithm.word_bytes
        self.emit(mnemonic, f'{register}, [{state}, #{offset}]', meaning)

    def start(self, state, counter, v14):
        """Sets the working vector, whose word 14 is in memory."""
        for i in range(8):
            self.on_state('ldr', self.words[i], state, i, f'{WORD_NAMES[i]} = h{i}')
        for i in range(8, 16):
            address, meaning = (v14, WORD_NAMES[i]) if i == 14 else (iv_label(i - 8), f'{WORD_NAMES[i]} = IV{i - 8}')
            self.emit('ldr', f'{self.words[i]}, {address}', meaning)
        self.emit('eor', f'{self.words[12]}, {self.words[12]}, {counter}', f'{WORD_NAMES[12]} ^= counter')

    def finish(self, state, registers):
        """Exclusive-ors the halves of the working vector to the state, the words that are ready last at the end."""
        for i, h in enumerate(registers):
            self.on_state('ldr', h, state, i, f'h{i}')
            for word in (i, 8 + i) if i < 4 else (8 + i, i):
                self.emit('eor', f'{h}, {h}, {self.words[word]}', f'h{i} ^= {WORD_NAMES[word]}')
            self.on_state('str', h, state, i, f'h{i}')

    def fetch(self, word):
        offset = word * self.algorithm.word_bytes
        self.emit('ldr', f'{self.residency.register_of[word]}, [{self.pointer}, #{offset}]', f'm{word}')

    def add_message_word(self, i, word):
        a = self.words[i]
        self.emit('add', f'{a}, {a}, {self.residency.register_of[word]}', f'{WORD_NAMES[i]} += m{word}')

    def add(self, pairs):
        for i, j in pairs:
            self.emit('add', f'{self.words[i]}, {self.words[i]}, {self.words[j]}',
                      f'{WORD_NAMES[i]} += {WORD_NAMES[j]}')

    def xor_and_rotate(self, pairs, rotation):
        for i, j in pairs:
            self.emit('eor', f'{self.words[i]}, {self.words[i]}, {self.words[j]}', f'{WORD_NAMES[i]} ^= {WORD_NAMES[j]}')
        for i, _ in pairs:
            self.emit('ror', f'{self.words[i]}, {self.words[i]}, #{rotation}', f'{WORD_NAMES[i]} >>>= {rotation}')


def iv_label(i):
    """Where IV word i stands in the literal pool, repeated to fill a vector."""
    return f'.Liv+{16 * i}'


class Core:
    """A core with all lanes in the vector registers: what surrounds the compression of a block."""

    scalar_lanes = 0
    saved_registers = tuple(f'd{i}' for i in range(8, 16))
    spills = ()  # names of 8-byte cells on the stack

    def __init__(self, algorithm, vector_lanes, xar, remarks):
        self.algorithm = algorithm
        self.vector_lanes = vector_lanes
        self.lanes = vector_lanes + self.scalar_lanes
        self.xar = xar
        self.remarks = remarks
        self.vector = VectorLanes(self, *self.gathering_registers())
        self.spill_offset = 256 if self.vector.message_on_stack else 0
        self.save_offset = self.spill_offset + 8 * len(self.spills)
        self.frame_bytes = self.save_offset + 8 * len(self.saved_registers)

    def gathering_registers(self):
        """The general registers that point to the messages, and those for addresses of their words."""
        return [f'x{5 + i}' for i in range(self.vector_lanes)], ['x9', 'x10', 'x11', 'x12']

    def register_map(self):
        """What the general registers hold in the loop."""
        return (f'x0 state, x2 blocks left, x3 counter, x4 v[14], x5-x{4 + self.vector_lanes} the messages, x9-x12 '
                'addresses of message words, x16 v[12], x17 v[13]')

    def enter(self):
        """From the arguments of the function to the registers of the loop."""
        general = self.algorithm.general
        return [f'ldp\tx{5 + i}, x{6 + i}, [x1, #{8 * i}]' for i in range(0, self.vector_lanes, 2)] + [
            f'ldr\t{general}9, {iv_label(6)}',
            f'eor\t{general}4, {general}4, {general}9',
        ]

    def block(self):
        """The loop's body: the compression of a block of each message."""
        vector, general = self.vector, self.algorithm.general
        mixed = {12: f'{general}16', 14: f'{general}4'}
        vector.begin_section('start')
        vector.emit('ldr', f'{general}16, {iv_label(4)}', 'd0 = IV4')
        vector.emit('eor', f'{general}16, {general}16, {general}3', 'd0 ^= counter')
        if self.algorithm is BLAKE2S:  # whose words have room for half the counter
            mixed[13] = 'w17'
            vector.emit('lsr', 'x9, x3, #32', 'high word of the counter')
            vector.emit('ldr', f'w17, {iv_label(5)}', 'd1 = IV5')
            vector.emit('eor', 'w17, w17, w9', 'd1 ^= high word of the counter')
        vector.start('x0', mixed)
        for label, quarters in self.algorithm.steps():
            vector.step(label, quarters)
        vector.begin_section('finish')
        vector.finish('x0')
        for register in ['x3'] + vector.pointers:
            vector.emit('add', f'{register}, {register}, #{self.algorithm.block_bytes}', 'next block')
        vector.emit('sub', 'x2, x2, #1', 'blocks left')
        return list(itertools.chain(*vector.sections))

    def repeat(self):
        """The loop's end."""
        return ['cbnz\tx2, 1b']


class MixedCore(Core):
    """A core with one more lane in the general registers.

    That leaves hardly any of them for pointers and counters. These are on the stack, relative to the only one that is
    always in a register, the scalar lane's pointer, so that this alone has to be advanced.
    """

    scalar_lanes = 1
    saved_registers = Core.saved_registers + tuple(f'x{i}' for i in range(19, 31))
    spills = ('state', 'message 0', 'message 1', 'counter', 'v[14]', 'end')

    POINTER = 'x0'
    WORDS = [f'x{i}' for i in range(1, 17)]
    MESSAGE_WORDS = ['x17'] + [f'x{i}' for i in range(19, 25)]
    GATHERING = [f'x{i}' for i in range(25, 31)]  # hold message words too, once the vector lanes have theirs
    GATHERING_STEPS = 2

    def gathering_registers(self):
        return self.GATHERING[:2], self.GATHERING[2:]

    def register_map(self):
        return ('x0 message 2, x1-x16 v[0] to v[15] and x17, x19-x30 message words of the scalar lane; in round 0, x25 '
                'and x26 messages 0 and 1, x27-x30 addresses of their words')

    def spill(self, name):
        return f'[sp, #{self.spill_offset + 8 * self.spills.index(name)}]'

    def enter(self):
        relative = [f'{line}' for register, name in (('x5', 'message 0'), ('x6', 'message 1'), ('x3', 'counter'))
                    for line in (f'sub\t{register}, {register}, {self.POINTER}', f'str\t{register}, {self.spill(name)}')]
        return [
            f'str\tx0, {self.spill("state")}',
            'ldp\tx5, x6, [x1]',
            f'ldr\t{self.POINTER}, [x1, #16]',
            *relative,
            f'ldr\tx7, {iv_label(6)}',
            'eor\tx4, x4, x7',
            f'str\tx4, {self.spill("v[14]")}',
            f'add\tx2, {self.POINTER}, x2, lsl #7',
            f'str\tx2, {self.spill("end")}',
        ]

    def block(self):
        vector = self.vector
        scalar = ScalarLane(self, self.POINTER, self.WORDS, self.MESSAGE_WORDS)
        state, counter, *h = self.MESSAGE_WORDS + self.GATHERING

        scalar.begin_section('start')
        for register, name in zip(vector.pointers + [counter], ('message 0', 'message 1', 'counter')):
            scalar.emit('ldr', f'{register}, {self.spill(name)}', f'{name} - message 2')
            scalar.emit('add', f'{register}, {register}, {self.POINTER}', name)
        scalar.emit('ldr', f'{state}, {self.spill("state")}', 'state')
        scalar.start(state, counter, self.spill('v[14]'))
        vector.begin_section('start')
        vector.start(state, {12: self.WORDS[12], 14: self.WORDS[14]})

        for number, (label, quarters) in enumerate(self.algorithm.steps()):
            if number == self.GATHERING_STEPS:
                assert len(vector.gathered) == 16
                scalar.residency.free.extend(self.GATHERING)
            scalar.step(label, quarters)
            vector.step(label, quarters)

        scalar.begin_section('finish')
        scalar.emit('ldr', f'{state}, {self.spill("state")}', 'state')
        scalar.finish(state, h[:8])
        scalar.emit('add', f'{self.POINTER}, {self.POINTER}, #{self.algorithm.block_bytes}', 'next block')
        scalar.emit('ldr', f'{self.end_register}, {self.spill("end")}', 'end')
        vector.begin_section('finish')
        vector.finish(state)

        code = scalar.sections[0] + vector.sections[0]
        for scalar_section, vector_section in zip(scalar.sections[1:], vector.sections[1:]):
            code += interleave(scalar_section, vector_section)
        return code

    end_register = MESSAGE_WORDS[1]

    def repeat(self):
        return [f'cmp\t{self.POINTER}, {self.end_register}', 'b.ne\t1b']


def interleave(first, second):
    """Both lists in their order, merged evenly, beginning with `first`."""
    positions = [((i + offset) / len(lines), line)
                 for offset, lines in ((0, first), (0.5, second)) for i, line in enumerate(lines)]
    return [line for _, line in sorted(positions, key=lambda position: position[0])]


CORES = {
    'blake2b_neon': Core(
        BLAKE2B, 2, False,
        'BLAKE2b of 2 messages, side by side in the 2d lanes of the vector registers: 5.87 cycles/byte on llvm-mca\'s '
        'Cortex-A55 at 4096 bytes. The vector units bound it, at 5.5. The same in intrinsics takes 8.2 by g++ 12 and '
        '8.0 by clang 14, which do not see that an addition waits for a `tbl` before it, and copy where a rotation '
        'could leave its result in the other register.'),
    'blake2b_neon_scalar': MixedCore(
        BLAKE2B, 2, False,
        'BLAKE2b of 3 messages, 2 side by side in the 2d lanes of the vector registers and 1 in the general registers: '
        '4.88 cycles/byte on llvm-mca\'s Cortex-A55 at 4096 bytes. Issue bounds it: two instructions a cycle, but '
        'nothing scalar beside a `tbl` or between two `eor` of vectors.'),
    'blake2b_sha3': Core(
        BLAKE2B, 2, True,
        'BLAKE2b of 2 messages, side by side in the 2d lanes of the vector registers, with the SHA-3 extension: 4.30 '
        'cycles/byte on llvm-mca\'s Cortex-A55 at 4096 bytes. The vector units bound it, at 3.8; the rest is additions '
        'that wait for an `xar` before them. All message words are in registers.'),
    'blake2b_sha3_scalar': MixedCore(
        BLAKE2B, 2, True,
        'BLAKE2b of 3 messages, 2 side by side in the 2d lanes of the vector registers, with the SHA-3 extension, and 1 '
        'in the general registers: 3.83 cycles/byte on llvm-mca\'s Cortex-A55 at 4096 bytes. Issue bounds it: two '
        'instructions a cycle, but nothing scalar beside an `xar`.'),
    'blake2s_neon': Core(
        BLAKE2S, 4, False,
        'BLAKE2s of 4 messages, side by side in the 4s lanes of the vector registers: 5.03 cycles/byte on llvm-mca\'s '
        'Cortex-A55 at 4096 bytes. The vector units bound it, at 4.8.'),
}

SOURCE = """\
// Generated by arch/gen/a64_blake2.py.
//
{remarks}
//
// The comments of the loop are in the terms of RFC 7693, section 3.2: a0-a3, b0-b3, c0-c3 and d0-d3 are v[0] to v[15],
// h0-h7 the state and m0-m15 the message words; first comes the step, 3c and 3d being those of round 3 (from 0) on the
// columns and on the diagonals.
//
{registers}

\t.arch\t{architecture}
\t.text
\t.p2align\t4

// void {name}(void* state, const uint8_t* const* messages, size_t blocks, uint64_t counter,
//      {padding} uint64_t final_mask);
\t.globl\t{name}
\t.hidden\t{name}
\t.type\t{name}, %function
{name}:
\t.cfi_startproc
\thint\t#34  // bti c
\tsub\tsp, sp, #{frame}
\t.cfi_adjust_cfa_offset {frame}
{save}
{enter}
1:
{loop}
{repeat}
{restore}
\tadd\tsp, sp, #{frame}
\t.cfi_adjust_cfa_offset -{frame}
\tret
\t.cfi_endproc
\t.size\t{name}, . - {name}

\t.p2align\t4
{constants}

\t.section\t.note.GNU-stack, "", %progbits
"""


def comment(text):
    return textwrap.fill(text, 117, initial_indent='// ', subsequent_indent='// ')


def code(lines):
    return '\n'.join(f'\t{line}' for line in lines)


def literals(core):
    """The constants, near enough for PC-relative loads."""
    word_bytes, in_vector = core.algorithm.word_bytes, range(core.vector_lanes)
    lines = ['.Liv:']
    directive = {4: '.word', 8: '.quad'}[word_bytes]
    for word in core.algorithm.iv:
        lines.append(f'\t{directive}\t' + ', '.join(f'{word:#0{2 * word_bytes + 2}x}' for _ in in_vector))
    for rotation in core.vector.rotate_index:
        indices = [i * word_bytes + (byte + rotation // 8) % word_bytes for i in in_vector for byte in range(word_bytes)]
        lines += [f'.Lrotate{rotation}:', '\t.byte\t' + ', '.join(map(str, indices))]
    return '\n'.join(lines)


def source(name):
    """The text of a core's file."""
    core = CORES[name]
    loop, cycles = schedule.schedule(core.block())
    saved = [(pair, core.save_offset + 8 * i) for i, pair in
             ((i, core.saved_registers[i:i + 2]) for i in range(0, len(core.saved_registers), 2))]
    bytes_a_block = core.lanes * core.algorithm.block_bytes
    return SOURCE.format(
        name=name,
        padding=' ' * len(name),
        remarks=comment(core.remarks),
        registers=comment(f'General registers in the loop: {core.register_map()}.'),
        architecture='armv8.2-a+sha3' if core.xar else 'armv8-a',
        frame=core.frame_bytes,
        save='\n'.join(
            code([f'stp\t{first}, {second}, [sp, #{offset}]', f'.cfi_rel_offset {first}, {offset}',
                  f'.cfi_rel_offset {second}, {offset + 8}']) for (first, second), offset in saved),
        enter=code(core.enter() + [f'ldr\tq{register}, .Lrotate{rotation}'
                                   for rotation, register in core.vector.rotate_index.items()]),
        loop=code(loop),
        repeat=code(core.repeat()),
        restore=code(f'ldp\t{first}, {second}, [sp, #{offset}]' for (first, second), offset in saved),
        constants=literals(core),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('name', choices=CORES, metavar='NAME', nargs='?')
    parser.add_argument('--list', action='store_true', help='print the names')
    arguments = parser.parse_args()
    if arguments.list:
        print('\n'.join(CORES))
    elif arguments.name:
        print(source(arguments.name), end='')
    else:
        parser.error('which one?')


if __name__ == '__main__':
    main()
