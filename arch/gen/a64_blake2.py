#!/usr/bin/env python3
"""Writes the AArch64 BLAKE2 cores: `a64_blake2.py NAME` prints arch/arm64/NAME.S, `a64_blake2.py --list` the names.

A core hashes several messages side by side, one in each lane of the vector registers: a register holds the same word
of all of them. So nothing ever moves from lane to lane, the diagonal step only renames registers, and each addition,
exclusive-or or rotation serves all messages. Cores with a scalar lane hash one more message in the general registers
meanwhile, for in-order processors that issue a vector and a scalar instruction together.

Here stands what a core computes, and where each word lives. schedule.py decides in which order.
"""

import itertools
import textwrap
from typing import NamedTuple

import generator
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
BLAKE2B_IV = (  # section 2.6; BLAKE2s has the high halves of the words
    0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
    0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
)


class Algorithm(NamedTuple):
    """A BLAKE2 (RFC 7693, section 2.1), and what AArch64 calls the vectors that its words make."""

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


BLAKE2B = Algorithm(8, 12, (32, 24, 16, 63), BLAKE2B_IV, '2d', '4s', 'rev64', 'x')
BLAKE2S = Algorithm(4, 10, (16, 12, 8, 7), tuple(word >> 32 for word in BLAKE2B_IV), '4s', '8h', 'rev32', 'w')

# The working vector of RFC 7693, section 3.2, is numbered row by row; the rows are called a, b, c, d after the
# variables of G (section 3.1) that stand for their words. A step is four G, on the columns or on the diagonals.
WORD_NAMES = [row + str(i) for row in 'abcd' for i in range(4)]
COLUMNS = [(i, 4 + i, 8 + i, 12 + i) for i in range(4)]
DIAGONALS = [(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4) for i in range(4)]
UPPER_HALF = (12, 13, 14, 15, 8, 9, 10, 11)  # v[8] to v[15], in the order of their first use


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

    The code comes in sections: what precedes the loop; in the loop, what precedes the steps, each step, and what
    follows. Between blocks v[0] to v[7] hold the state; memory does too, for the end of the next block.

    Subclasses have the instructions:
      add(target, source, meaning), exclusive_or(target, first, second, meaning) on registers;
      rotate(words, rotation) of words of the working vector, to the right;
      access_state(mnemonic, register, pointer, i), a load or store of state word i;
      fetch(word), a load of a message word to the register that `residency` has for it.
    """

    LOOKAHEAD = 4  # a message word is fetched when it is among so many next uses

    def __init__(self, algorithm, registers, message_registers):
        self.algorithm = algorithm
        self.registers = list(registers)  # of the working vector at the beginning
        self.register_of = list(registers)  # and now
        self.residency = Residency(message_registers, algorithm.message_order())
        self.position = 0  # in the order of the message words
        self.sections = []

    def begin_section(self, label):
        self.label = label
        self.sections.append([])

    def emit(self, mnemonic, operands, meaning):
        self.sections[-1].append(f'{mnemonic}\t{operands}\t// {self.label}: {meaning}')

    def enter(self, state):
        self.begin_section('enter')
        for i in range(8):
            self.access_state('ldr', self.register_of[i], state, i)

    def step(self, label, quarters):
        self.begin_section(label)
        rotations = iter(self.algorithm.rotations)
        for _ in range(2):
            self.fetch_ahead()
            for a, _, _, _ in quarters:
                word = self.residency.order[self.position]
                self.add(self.register_of[a], self.residency.register_of[word], f'{WORD_NAMES[a]} += m{word}')
                self.position += 1
            self.add_words([(a, b) for a, b, _, _ in quarters])
            self.exclusive_or_words([(d, a) for a, _, _, d in quarters])
            self.rotate([d for _, _, _, d in quarters], next(rotations))
            self.add_words([(c, d) for _, _, c, d in quarters])
            self.fetch_ahead()
            self.exclusive_or_words([(b, c) for _, b, c, _ in quarters])
            self.rotate([b for _, b, _, _ in quarters], next(rotations))

    def add_words(self, pairs):
        for i, j in pairs:
            self.add(self.register_of[i], self.register_of[j], f'{WORD_NAMES[i]} += {WORD_NAMES[j]}')

    def exclusive_or_words(self, pairs):
        for i, j in pairs:
            target = self.register_of[i]
            self.exclusive_or(target, target, self.register_of[j], f'{WORD_NAMES[i]} ^= {WORD_NAMES[j]}')

    def fetch_ahead(self):
        for word in self.residency.absent(self.position, self.LOOKAHEAD):
            if word not in self.residency.register_of and self.residency.place(word, self.position):
                self.fetch(word)

    def finish(self, state, registers):
        """Exclusive-ors the halves of the working vector to the state, by way of other registers."""
        assert self.register_of == self.registers  # where the next block takes the state from
        for i, h in enumerate(registers[:8]):
            early, late = (i, 8 + i) if i < 4 else (8 + i, i)
            self.access_state('ldr', h, state, i)
            self.exclusive_or(h, h, self.register_of[early], f'h{i} ^= {WORD_NAMES[early]}')
            self.exclusive_or(self.register_of[i], h, self.register_of[late], f'h{i} ^= {WORD_NAMES[late]}')
            self.access_state('str', self.register_of[i], state, i)


class VectorLanes(Lanes):
    """The lanes of the vector registers, which are given by number.

    A rotation that does not move whole bytes is a shift into a spare register and an accumulating shift there. The word
    then stays there, and its old register becomes a spare one.
    """

    def __init__(self, core, pointers, addresses):
        super().__init__(core.algorithm, range(16), core.message_registers)
        self.core = core
        self.pointers = pointers  # general registers that point to the messages
        self.addresses = itertools.cycle(addresses)  # general registers for the addresses of words
        self.spare = list(core.spare_registers)
        self.gathered = set()  # message words that have been read; if not all fit in registers, they are on the stack

    def vector(self, register):
        return f'v{register}.{self.algorithm.lanes}'

    def start(self, mixed):
        """Sets v[8] to v[15], from general registers those that hold more than an IV word."""
        self.fetch_ahead()
        for i in UPPER_HALF:
            if i in mixed:
                self.emit('dup', f'{self.vector(i)}, {mixed[i]}', WORD_NAMES[i])
            else:
                self.emit('ldr', f'q{i}, {iv_label(i - 8)}', f'{WORD_NAMES[i]} = IV{i - 8}')

    def access_state(self, mnemonic, register, pointer, i):
        offset = i * self.core.lanes * self.algorithm.word_bytes
        if offset % 16:
            mnemonic = mnemonic.replace('r', 'ur')
        self.emit(mnemonic, f'q{register}, [{pointer}, #{offset}]', f'h{i}')

    def add(self, target, source, meaning):
        self.emit('add', f'{self.vector(target)}, {self.vector(target)}, {self.vector(source)}', meaning)

    def exclusive_or(self, target, first, second, meaning):
        self.emit('eor', f'v{target}.16b, v{first}.16b, v{second}.16b', meaning)

    def rotate(self, words, rotation):
        for i in words:
            register = self.register_of[i]
            meaning = f'{WORD_NAMES[i]} >>>= {rotation}'
            if 2 * rotation == self.algorithm.word_bits:
                halves = f'v{register}.{self.algorithm.half_words}'
                self.emit(self.algorithm.swap_halves, f'{halves}, {halves}', meaning)
            elif rotation in self.core.rotate_index:
                index = self.core.rotate_index[rotation]
                self.emit('tbl', f'v{register}.16b, {{v{register}.16b}}, v{index}.16b', meaning)
            else:
                # Back to the register of its number if that is spare: there it must be at the end of a block.
                rotated = i if i in self.spare else self.spare[0]
                self.spare.remove(rotated)
                self.spare.append(register)
                self.register_of[i] = rotated
                left = self.algorithm.word_bits - rotation
                self.emit('shl', f'{self.vector(rotated)}, {self.vector(register)}, #{left}', f'{meaning}, high part')
                # As good as `sri` here, and a cycle sooner on Cortex-A55.
                self.emit('usra', f'{self.vector(rotated)}, {self.vector(register)}, #{rotation}', meaning)

    def fetch(self, word):
        register = self.residency.register_of[word]
        if word in self.gathered:
            self.emit('ldr', f'q{register}, [sp, #{16 * word}]', f'm{word}')
        elif self.core.vector_lanes == 2:
            self.gather(register, word, (0, 1))
            self.gathered_word(word)
        else:
            # This word and the next, which has its use soon after: they are together in registers until they part.
            assert self.residency.place(word + 1, self.position)
            next_register = self.residency.register_of[word + 1]
            low = self.spare[0]
            self.gather(low, word, (0, 1))
            self.gather(next_register, word, (2, 3))
            self.emit('uzp1', f'v{register}.4s, v{low}.4s, v{next_register}.4s', f'm{word}')
            self.emit('uzp2', f'v{next_register}.4s, v{low}.4s, v{next_register}.4s', f'm{word + 1}')
            self.spare.append(self.spare.pop(0))
            self.gathered_word(word)
            self.gathered_word(word + 1)

    def gather(self, register, word, messages):
        """Loads the 8 bytes from `word` on, of two messages.

        Loading the halves apart instead of rearranging full vectors leaves the vector units to the arithmetic.
        """
        low, high = (self.pointers[message] for message in messages)
        offset = word * self.algorithm.word_bytes
        if offset:
            address = next(self.addresses)
            self.emit('add', f'{address}, {high}, #{offset}', f'address of m{word}, message {messages[1]}')
            high = address
        self.emit('ldr', f'd{register}, [{low}, #{offset}]', f'm{word}, message {messages[0]}')
        self.emit('ld1', f'{{v{register}.d}}[1], [{high}]', f'm{word}, message {messages[1]}')

    def gathered_word(self, word):
        self.gathered.add(word)
        if self.core.message_bytes:
            self.emit('str', f'q{self.residency.register_of[word]}, [sp, #{16 * word}]', f'm{word}')


class VectorLanesWithXar(VectorLanes):
    """The same with the SHA-3 extension's XAR, which rotates the exclusive-or of two registers."""

    def exclusive_or_words(self, pairs):
        self.pairs = pairs

    def rotate(self, words, rotation):
        for i, j in self.pairs:
            target = self.vector(self.register_of[i])
            self.emit('xar', f'{target}, {target}, {self.vector(self.register_of[j])}, #{rotation}',
                      f'{WORD_NAMES[i]} = ({WORD_NAMES[i]} ^ {WORD_NAMES[j]}) >>> {rotation}')


class ScalarLane(Lanes):
    """The lane of the general registers, which are given by name."""

    def __init__(self, core, pointer, registers, message_registers):
        super().__init__(core.algorithm, registers, message_registers)
        self.core = core
        self.pointer = pointer  # points to the message

    def start(self, counter, v14):
        """Sets v[8] to v[15], of which v[14] is in memory."""
        for i in UPPER_HALF:
            address, meaning = (v14, WORD_NAMES[i]) if i == 14 else (iv_label(i - 8), f'{WORD_NAMES[i]} = IV{i - 8}')
            self.emit('ldr', f'{self.register_of[i]}, {address}', meaning)
        d0 = self.register_of[12]
        self.exclusive_or(d0, d0, counter, f'{WORD_NAMES[12]} ^= counter')

    def access_state(self, mnemonic, register, pointer, i):
        offset = (i * self.core.lanes + self.core.vector_lanes) * self.algorithm.word_bytes
        self.emit(mnemonic, f'{register}, [{pointer}, #{offset}]', f'h{i}')

    def add(self, target, source, meaning):
        self.emit('add', f'{target}, {target}, {source}', meaning)

    def exclusive_or(self, target, first, second, meaning):
        self.emit('eor', f'{target}, {first}, {second}', meaning)

    def rotate(self, words, rotation):
        for i in words:
            register = self.register_of[i]
            self.emit('ror', f'{register}, {register}, #{rotation}', f'{WORD_NAMES[i]} >>>= {rotation}')

    def fetch(self, word):
        offset = word * self.algorithm.word_bytes
        self.emit('ldr', f'{self.residency.register_of[word]}, [{self.pointer}, #{offset}]', f'm{word}')


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
        self.xar = xar  # whether to use the SHA-3 extension's exclusive-or and rotate
        self.remarks = remarks  # for the head of the file

        # The vector registers that the working vector leaves. Four spare ones: none of four G side by side waits.
        rest = list(range(16, 32))
        self.spare_registers = []
        self.rotate_index = {}  # by rotation: the register with the numbers of the bytes that `tbl` is to take for it
        if not xar:
            self.spare_registers = [rest.pop(0) for _ in range(4)]
            for rotation in algorithm.rotations:
                if rotation % 8 == 0 and 2 * rotation != algorithm.word_bits:
                    self.rotate_index[rotation] = rest.pop(0)
        self.message_registers = rest

        # The stack frame, from the stack pointer on: message words of the vector lanes, spills, saved registers.
        self.message_bytes = 256 if len(self.message_registers) < 16 else 0
        self.save_offset = self.message_bytes + 8 * len(self.spills)
        self.frame_bytes = self.save_offset + 8 * len(self.saved_registers)

    def vector_map(self):
        """What the vector registers hold in the loop."""
        text = 'v0-v15 v[0] to v[15], '
        if self.spare_registers:
            text += f'v{self.spare_registers[0]}-v{self.spare_registers[-1]} b0-b3 every other time, '
        text += ''.join(f'v{register} the bytes that `tbl` takes to rotate by {rotation}, '
                        for rotation, register in self.rotate_index.items())
        return text + f'v{self.message_registers[0]}-v{self.message_registers[-1]} message words'

    def general_map(self):
        """What the general registers hold in the loop."""
        text = (f'x0 state, x2 blocks left, x3 counter, x4 v[14], x5-x{4 + self.vector_lanes} messages, '
                'x9-x12 addresses of message words, x16 v[12]')
        return text + (', x17 v[13]' if self.algorithm is BLAKE2S else '')

    def arguments(self):
        """From the arguments of the function to the general registers of the loop."""
        general = self.algorithm.general
        return [f'ldp\tx{5 + i}, x{6 + i}, [x1, #{8 * i}]' for i in range(0, self.vector_lanes, 2)] + [
            f'ldr\t{general}9, {iv_label(6)}',
            f'eor\t{general}4, {general}4, {general}9',
        ]

    def make_vector_lanes(self, pointers, addresses):
        return (VectorLanesWithXar if self.xar else VectorLanes)(self, pointers, addresses)

    def compression(self):
        """What comes before the loop, and the loop's body: the compression of a block of each message."""
        general = self.algorithm.general
        messages = [f'x{5 + i}' for i in range(self.vector_lanes)]
        vector = self.make_vector_lanes(messages, ['x9', 'x10', 'x11', 'x12'])
        vector.enter('x0')
        vector.begin_section('start')
        mixed = {12: f'{general}16', 14: f'{general}4'}
        vector.emit('ldr', f'{general}16, {iv_label(4)}', 'd0 = IV4')
        vector.emit('eor', f'{general}16, {general}16, {general}3', 'd0 ^= counter')
        if self.algorithm is BLAKE2S:  # whose words hold half the counter
            mixed[13] = 'w17'
            vector.emit('lsr', 'x9, x3, #32', 'high half of the counter')
            vector.emit('ldr', f'w17, {iv_label(5)}', 'd1 = IV5')
            vector.emit('eor', 'w17, w17, w9', 'd1 ^= high half of the counter')
        vector.start(mixed)
        for label, quarters in self.algorithm.steps():
            vector.step(label, quarters)
        vector.begin_section('finish')
        vector.finish('x0', self.message_registers)
        for register in ['x3'] + messages:
            vector.emit('add', f'{register}, {register}, #{self.algorithm.block_bytes}', 'next block')
        vector.emit('sub', 'x2, x2, #1', 'blocks left')
        before, *loop = vector.sections
        return before, list(itertools.chain(*loop))

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
    GATHERING = [f'x{i}' for i in range(25, 31)]  # for message words too, once the vector lanes have gathered theirs
    # What is needed only while no message words are in registers:
    STATE, COUNTER, END, *H = MESSAGE_WORDS + GATHERING

    def general_map(self):
        return ('x0 message 2, x1-x16 v[0] to v[15] and x17, x19-x30 message words of the scalar lane; in round 0, x25 '
                'and x26 messages 0 and 1, x27-x30 addresses of their words')

    def spill(self, name):
        return f'[sp, #{self.message_bytes + 8 * self.spills.index(name)}]'

    def arguments(self):
        relative = [(f'sub\t{register}, {register}, {self.POINTER}', f'str\t{register}, {self.spill(name)}')
                    for register, name in (('x5', 'message 0'), ('x6', 'message 1'), ('x3', 'counter'))]
        return [
            f'mov\t{self.STATE}, x0',
            f'str\t{self.STATE}, {self.spill("state")}',
            'ldp\tx5, x6, [x1]',
            f'ldr\t{self.POINTER}, [x1, #16]',
            *itertools.chain(*relative),
            f'ldr\tx7, {iv_label(6)}',
            'eor\tx4, x4, x7',
            f'str\tx4, {self.spill("v[14]")}',
            f'add\tx2, {self.POINTER}, x2, lsl #7',
            f'str\tx2, {self.spill("end")}',
        ]

    def compression(self):
        vector = self.make_vector_lanes(self.GATHERING[:2], self.GATHERING[2:])
        scalar = ScalarLane(self, self.POINTER, self.WORDS, self.MESSAGE_WORDS)
        vector.enter(self.STATE)
        scalar.enter(self.STATE)

        scalar.begin_section('start')
        for register, name in zip(vector.pointers + [self.COUNTER], ('message 0', 'message 1', 'counter')):
            scalar.emit('ldr', f'{register}, {self.spill(name)}', f'{name} - message 2')
            scalar.emit('add', f'{register}, {register}, {self.POINTER}', name)
        scalar.start(self.COUNTER, self.spill('v[14]'))
        vector.begin_section('start')
        vector.start({12: self.WORDS[12], 14: self.WORDS[14]})

        more_registers = self.GATHERING
        for label, quarters in self.algorithm.steps():
            if len(vector.gathered) == 16:
                scalar.residency.free.extend(more_registers)
                more_registers = []
            scalar.step(label, quarters)
            vector.step(label, quarters)

        scalar.begin_section('finish')
        vector.begin_section('finish')
        scalar.emit('ldr', f'{self.STATE}, {self.spill("state")}', 'state')
        scalar.finish(self.STATE, self.H)
        vector.finish(self.STATE, self.message_registers)
        scalar.emit('add', f'{self.POINTER}, {self.POINTER}, #{self.algorithm.block_bytes}', 'next block')
        scalar.emit('ldr', f'{self.END}, {self.spill("end")}', 'end')

        before, start, *rest = zip(scalar.sections, vector.sections)
        loop = [*start, *(interleave(scalar_code, vector_code) for scalar_code, vector_code in rest)]
        return before[0] + before[1], list(itertools.chain(*loop))

    def repeat(self):
        return [f'cmp\t{self.POINTER}, {self.END}', 'b.ne\t1b']


def interleave(first, second):
    """Both lists in their order, merged evenly, beginning with `first`."""
    positions = [((i + offset) / len(lines), line)
                 for offset, lines in ((0, first), (0.5, second)) for i, line in enumerate(lines)]
    return [line for _, line in sorted(positions, key=lambda position: position[0])]


CORES = {
    'blake2b_neon': Core(
        BLAKE2B, 2, False,
        'BLAKE2b of 2 messages side by side in the 2d lanes of the vector registers: 5.90 cycles/byte on llvm-mca\'s '
        'Cortex-A55 at 4096 bytes. The vector units bound it, at 5.5. The same in intrinsics takes 8.2 as g++ 12 '
        'orders it and 8.0 as clang 14 does.'),
    'blake2b_neon_scalar': MixedCore(
        BLAKE2B, 2, False,
        'BLAKE2b of 3 messages, 2 side by side in the 2d lanes of the vector registers and 1 in the general registers: '
        '4.87 cycles/byte on llvm-mca\'s Cortex-A55 at 4096 bytes. Issue bounds it: two instructions a cycle, but '
        'nothing scalar together with a `tbl`, nor in the cycle before a vector\'s `eor`.'),
    'blake2b_sha3': Core(
        BLAKE2B, 2, True,
        'BLAKE2b of 2 messages side by side in the 2d lanes of the vector registers, with the SHA-3 extension: 4.26 '
        'cycles/byte on llvm-mca\'s Cortex-A55 at 4096 bytes. The vector units bound it, at 3.8; the rest is additions '
        'that wait for the `xar` before them. All message words are in registers.'),
    'blake2b_sha3_scalar': MixedCore(
        BLAKE2B, 2, True,
        'BLAKE2b of 3 messages, 2 side by side in the 2d lanes of the vector registers with the SHA-3 extension and 1 '
        'in the general registers: 3.79 cycles/byte on llvm-mca\'s Cortex-A55 at 4096 bytes. Issue bounds it: two '
        'instructions a cycle, but nothing scalar together with an `xar`.'),
    'blake2s_neon': Core(
        BLAKE2S, 4, False,
        'BLAKE2s of 4 messages side by side in the 4s lanes of the vector registers: 5.07 cycles/byte on llvm-mca\'s '
        'Cortex-A55 at 4096 bytes. The vector units bound it, at 4.8.'),
}

SOURCE = """\
// Generated by arch/gen/a64_blake2.py {name}; do not edit.
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
    for rotation in core.rotate_index:
        indices = [word_bytes * lane + (byte + rotation // 8) % word_bytes
                   for lane in in_vector for byte in range(word_bytes)]
        lines += [f'.Lrotate{rotation}:', '\t.byte\t' + ', '.join(map(str, indices))]
    return '\n'.join(lines)


def source(name):
    """The text of a core's file."""
    core = CORES[name]
    before, body = core.compression()
    saved = [(core.saved_registers[i], core.saved_registers[i + 1], core.save_offset + 8 * i)
             for i in range(0, len(core.saved_registers), 2)]
    save = [(f'stp\t{first}, {second}, [sp, #{offset}]', f'.cfi_rel_offset {first}, {offset}',
             f'.cfi_rel_offset {second}, {offset + 8}') for first, second, offset in saved]
    indices = [f'ldr\tq{register}, .Lrotate{rotation}' for rotation, register in core.rotate_index.items()]
    return SOURCE.format(
        name=name,
        padding=' ' * len(name),
        remarks=comment(core.remarks),
        registers=comment(f'Registers in the loop: {core.vector_map()}; {core.general_map()}.'),
        architecture='armv8.2-a+sha3' if core.xar else 'armv8-a',
        frame=core.frame_bytes,
        save=code(itertools.chain(*save)),
        enter=code(core.arguments() + indices + before),
        loop=code(schedule.schedule(body)),
        repeat=code(core.repeat()),
        restore=code(f'ldp\t{first}, {second}, [sp, #{offset}]' for first, second, offset in saved),
        constants=literals(core),
    )


if __name__ == '__main__':
    generator.main(__doc__, CORES, source)
