#include "veritytool/commands/commands.h"

namespace commands {
namespace {

constexpr Command kCommands[] = {
    {"format", "make the hash tree of a file or block device", run_format},
    {"verify", "check a file or block device against its hash tree", run_verify},
    {"repair", "repair a corrupt file or block device, and its hash tree, by their parity", run_repair},
    {"dump", "show the superblock of a hash tree", run_dump},
    {"table", "print the device-mapper table for a hash tree", run_table},
    {"size", "tell how large a hash tree will be", run_size},
    {"encrypt", "encrypt an image as dm-crypt does", run_encrypt},
    {"decrypt", "decrypt such an image", run_decrypt},
    {"keygen", "make a file with a random key", run_keygen},
    {"crypt-table", "print how Linux opens an encrypted image", run_crypt_table},
    {"cores", "list the hash functions and ciphers and the code that computes them", run_cores},
    {"bench", "measure how fast they are on this processor", run_bench},
};

}  // namespace

std::span<const Command> all_commands() {
    return kCommands;
}

}  // namespace commands
