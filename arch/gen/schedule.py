"""Instruction scheduling for the generators in this folder: straight-line AArch64 code, ordered for Cortex-A55.

schedule() takes the instructions of a stretch of code in any correct order and returns them in one that takes fewer
cycles. It is a beam search over issue orders: step by step it keeps the most promising beginnings, each with the exact
state of the pipeline after it. Nothing is random, so that a generator's output can be committed and re-created.

The pipeline is LLVM's model of Cortex-A55 (AArch64SchedA55.td, and InOrderIssueStage.cpp of llvm-mca). But for
VECTOR_DISTANCE, which is there for other processors, it has the same issue cycles one for one. What matters of it here:
  - Two instructions issue per cycle, in order. An operation on a 128-bit vector has to be the first of its cycle;
    shifts by an immediate and `dup` are exempt.
  - There are two floating-point units. A 128-bit operation holds one of them for two cycles, a shift or `dup` for one.
  - Results are written back in order: an instruction waits until its own comes no earlier than those of all before it.
    So `eor` (1 cycle) right after `tbl` (4 cycles) waits for 2 cycles, and scalar arithmetic (3 cycles) can issue
    neither together with `tbl` nor in the cycle before `eor`. Stores are exempt.
"""

import re
from typing import NamedTuple


class Timing(NamedTuple):
    """How Cortex-A55 executes an instruction."""

    unit: str  # 'vector', 'shift', 'load', 'store', 'alu' or 'alu_late', which has no forwarding
    latency: int  # cycles from issue to write-back


VECTOR_TIMING = {
    'add': Timing('vector', 2),
    'dup': Timing('shift', 2),
    'eor': Timing('vector', 1),
    'ld1': Timing('load', 4),
    'rev32': Timing('vector', 4),
    'rev64': Timing('vector', 4),
    'shl': Timing('shift', 2),
    'tbl': Timing('vector', 4),
    'usra': Timing('vector', 3),
    'uzp1': Timing('vector', 4),
    'uzp2': Timing('vector', 4),
    'xar': Timing('vector', 4),
}
SCALAR_TIMING = {
    'add': Timing('alu', 3),
    'eor': Timing('alu', 3),
    'ldr': Timing('load', 3),
    'ldur': Timing('load', 3),
    'lsr': Timing('alu_late', 3),
    'ror': Timing('alu_late', 3),
    'str': Timing('store', 1),
    'stur': Timing('store', 1),
    'sub': Timing('alu', 3),
}
READS_ITS_RESULT = {'ld1', 'usra'}
TRANSFER_BYTES = {'d': 8, 'q': 16, 's': 4, 'w': 4, 'x': 8, '{': 8}  # by the first character of the operands
FLOATING_POINT_CYCLES = {'vector': 2, 'shift': 1}  # that an instruction holds one of the two units
ISSUE_WIDTH = 2

# Results of vector operations are not used earlier than so many cycles after their issue, though Cortex-A55 has some of
# them earlier: that costs BLAKE2b of two messages 1.5 % there, and saves 22 % on LLVM's Cortex-A53 and 21 % on its
# Cortex-A510, whose latencies are longer. Four G side by side leave enough to do meanwhile.
VECTOR_DISTANCE = 4


class Instruction(NamedTuple):
    """A line of assembly, and what it reads and writes: registers and 4-byte cells of memory."""

    text: str
    timing: Timing
    reads: list
    writes: list


def decode(text):
    """The Instruction that a line of assembly stands for; it may end in a // comment.

    Memory is told apart by base register and offset, or is a literal. So code may store only where no other base
    register points to, and through one that keeps its value; `ld1` is of one doubleword.
    """
    mnemonic, operands = text.split('//')[0].split(None, 1)
    registers = [('x' if kind in 'wx' else 'v') + number if number else 'sp'
                 for kind, number in re.findall(r'\b(?:([dqsvwx])(\d+)|sp)\b', operands)]
    timing = (VECTOR_TIMING if re.search(r'\bv\d+\.', operands) else SCALAR_TIMING)[mnemonic]
    results = 0 if timing.unit == 'store' else 1
    reads = registers if mnemonic in READS_ITS_RESULT else registers[results:]
    writes = registers[:results]
    if timing.unit in ('load', 'store') and ', .L' not in operands:
        base, offset = re.search(r', \[(\w+)(?:, #(\d+))?\]\s*$', operands).groups('0')
        start = int(offset)
        cells = [f'{base}+{cell}' for cell in range(start, start + TRANSFER_BYTES[operands[0]], 4)]
        if timing.unit == 'store':
            writes = cells
        else:
            reads = reads + cells
    return Instruction(text, timing, reads, writes)


def result_distance(producer, consumer):
    """Cycles from the issue of `producer` to that of a `consumer` of its result."""
    timing = producer.timing
    if timing.unit in FLOATING_POINT_CYCLES:
        return max(timing.latency, VECTOR_DISTANCE)
    return 1 if timing.unit == consumer.timing.unit == 'alu' else timing.latency


def dependences(code):
    """Of each instruction: its [(successor, least distance in cycles)], and how many predecessors it has."""
    successors = [[] for _ in code]
    predecessors = []
    writer = {}  # of a register or cell: who wrote it last
    readers = {}  # of a register or cell: who has read it since
    for index, instruction in enumerate(code):
        distances = {}
        for item in instruction.writes:
            overwritten = readers.get(item, []) + ([writer[item]] if item in writer else [])
            distances.update(dict.fromkeys(overwritten, 0))
        for item in instruction.reads:
            if item in writer:
                before = writer[item]
                distances[before] = max(distances.get(before, 0), result_distance(code[before], instruction))
        for item in instruction.reads:
            readers.setdefault(item, []).append(index)
        for item in instruction.writes:
            writer[item] = index
            readers[item] = []
        for before, distance in distances.items():
            successors[before].append((index, distance))
        predecessors.append(len(distances))
    return successors, predecessors


class Pipeline(NamedTuple):
    """What of the processor's state decides when further instructions issue, in cycles."""

    cycle: int = 0  # of the latest issue
    used_slots: int = 0  # in that cycle
    write_back: int = 0  # of the latest result
    fp_free: int = 0  # when a floating-point unit is free
    fp_both_free: int = 0
    load_free: int = 0
    store_free: int = 0

    def issue_cycle(self, instruction, operands_ready):
        """When `instruction` issues if it is the next one."""
        timing = instruction.timing
        unit = timing.unit
        cycle = max(self.cycle, operands_ready)
        if cycle == self.cycle and self.used_slots > (0 if unit == 'vector' else ISSUE_WIDTH - 1):
            cycle += 1
        if unit in FLOATING_POINT_CYCLES:
            cycle = max(cycle, self.fp_free)
        elif unit == 'load':
            cycle = max(cycle, self.load_free)
        elif unit == 'store':
            return max(cycle, self.store_free)
        return max(cycle, self.write_back - timing.latency)

    def issued(self, instruction, cycle):
        """The state after `instruction` has issued in `cycle`."""
        timing = instruction.timing
        unit = timing.unit
        used_slots = 1 + (self.used_slots if cycle == self.cycle else 0)
        write_back = self.write_back if unit == 'store' else max(self.write_back, cycle + timing.latency)
        fp_free, fp_both_free, load_free, store_free = self[3:]
        if unit in FLOATING_POINT_CYCLES:
            fp_free, fp_both_free = sorted((fp_both_free, cycle + FLOATING_POINT_CYCLES[unit]))
        elif unit == 'load':
            load_free = cycle + 1
        elif unit == 'store':
            store_free = cycle + 1
        return Pipeline(cycle, used_slots, write_back, fp_free, fp_both_free, load_free, store_free)


class Beginning(NamedTuple):
    """The beginning of an issue order."""

    last: int  # index of its last instruction
    before: 'Beginning'  # without that
    pipeline: Pipeline
    pending: dict  # of instructions with a predecessor in it, or without any: (predecessors missing, operands ready)
    gap: int  # index of the first instruction that is not in it
    beyond_gap: int  # bit i: instruction gap + i is in it
    fp_work: int  # cycles of a floating-point unit that the rest will take
    slot_work: int  # issue slots that the rest will take


def slots_taken(instruction):
    """Issue slots that an instruction costs: both of its cycle where no arithmetic can issue beside it.

    That is beside the vector operations of the greatest latency, and beside those of the least but for shifts.
    """
    return 2 if instruction.timing.unit == 'vector' and instruction.timing.latency in (1, 4) else 1


def schedule(lines, beam=32, window=100):
    """`lines` in an order that issues in few cycles.

    beam    how many beginnings are kept at each length; the search takes time in proportion.
    window  how many lines an instruction may be ahead of the first one that is missing: enough to overlap what
            does not depend on each other, not so much that easy work is all done when the hard chains remain.
    """
    code = [decode(line) for line in lines]
    successors, predecessors = dependences(code)
    fp_work = [FLOATING_POINT_CYCLES.get(instruction.timing.unit, 0) for instruction in code]
    slot_work = [slots_taken(instruction) for instruction in code]

    def extensions(beginning):
        """(cost, next instruction, pipeline after it) where worth trying: of each timing the first to be ready."""
        first_ready = {}
        for index, (missing, ready) in beginning.pending.items():
            if missing == 0 and index <= beginning.gap + window:
                choice = (max(ready, beginning.pipeline.cycle), index)
                timing = code[index].timing
                if timing not in first_ready or choice < first_ready[timing]:
                    first_ready[timing] = choice
        for timing, (ready, index) in first_ready.items():
            cycle = beginning.pipeline.issue_cycle(code[index], ready)
            after = beginning.pipeline.issued(code[index], cycle)
            rest = max(beginning.fp_work - fp_work[index], beginning.slot_work - slot_work[index])
            # The least time for the whole in half cycles, and then for how long the next instruction might wait.
            cost = (ISSUE_WIDTH * cycle + after.used_slots + rest, after.write_back - cycle, -beginning.gap)
            yield cost, index, after

    def extended(beginning, index, after):
        pending = dict(beginning.pending)
        del pending[index]
        for successor, distance in successors[index]:
            missing, ready = pending.get(successor, (predecessors[successor], 0))
            pending[successor] = (missing - 1, max(ready, after.cycle + distance))
        gap, beyond_gap = beginning.gap, beginning.beyond_gap | 1 << (index - beginning.gap)
        while beyond_gap & 1:
            gap, beyond_gap = gap + 1, beyond_gap >> 1
        return Beginning(index, beginning, after, pending, gap, beyond_gap,
                         beginning.fp_work - fp_work[index], beginning.slot_work - slot_work[index])

    pending = {index: (0, 0) for index, missing in enumerate(predecessors) if missing == 0}
    beginnings = [Beginning(-1, None, Pipeline(), pending, 0, 0, sum(fp_work), sum(slot_work))]
    for _ in code:
        best = {}  # by the set of instructions in the beginning: the cheapest way to it
        for beginning in beginnings:
            for cost, index, after in extensions(beginning):
                # Where the instruction closes the gap, this tells an order from others of the same instructions that
                # do not end so. Keeping both finds better ones.
                members = (beginning.gap, beginning.beyond_gap | 1 << (index - beginning.gap))
                if members not in best or cost < best[members][0]:
                    best[members] = (cost, beginning, index, after)
        kept = sorted(best.values(), key=lambda extension: extension[0])[:beam]
        beginnings = [extended(beginning, index, after) for _, beginning, index, after in kept]

    end = min(beginnings, key=lambda beginning: beginning.pipeline.cycle)
    order = []
    while end.before is not None:
        order.append(end.last)
        end = end.before
    return [lines[index] for index in reversed(order)]
