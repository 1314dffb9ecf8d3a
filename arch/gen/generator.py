"""What the generators share: collecting the instructions of a core, and the command line."""

import argparse


class Code:
    """Instructions in any correct order; schedule.py finds a better one."""

    on_bytes = frozenset()  # mnemonics of instructions that take vectors of bytes
    arrangement = '4s'  # of the other vectors
    label = ''  # in front of each remark

    def __init__(self, registers):
        self.lines = []
        self.free = list(registers)  # vector registers, the one that has been free for longest first

    def take(self):
        return self.free.pop(0)

    def give(self, *registers):
        self.free += registers

    def emit(self, mnemonic, operands, meaning):
        self.lines.append(f'{mnemonic}\t{operands}\t// {self.label}{meaning}')

    def vector(self, meaning, mnemonic, *registers, immediate=None, arrangement=None):
        """An operation on the vectors in `registers`, of which the first is the result's and returned."""
        arrangement = '16b' if mnemonic in self.on_bytes else arrangement or self.arrangement
        operands = [f'v{register}.{arrangement}' for register in registers]
        if immediate is not None:
            operands.append(f'#{immediate}')
        self.emit(mnemonic, ', '.join(operands), meaning)
        return registers[0]


def main(description, names, source):
    """`source` is a function from the name of a core to the text of its file."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('name', choices=names, metavar='NAME', nargs='?')
    parser.add_argument('--list', action='store_true', help='print the names')
    arguments = parser.parse_args()
    if arguments.list:
        print('\n'.join(names))
    elif arguments.name:
        print(source(arguments.name), end='')
    else:
        parser.error('which one?')
