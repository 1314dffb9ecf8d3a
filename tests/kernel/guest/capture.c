// capture OUT [DEVICE BLOCK_SIZE OFFSET]...: reads devices past the page cache and writes what it read of each to OUT
// from byte OFFSET on. Prints a line for each, "DEVICE blocks N unreadable LIST", LIST being the blocks whose read
// gives EIO, as "3,17-20" or "-"; in OUT those stay as they are. Any other error is said, ends that device and makes
// the status 1.
//
// Blocks are read many at a time, and where that fails one at a time (O_DIRECT), so that a bad block does not take its
// good neighbours with it. One at a time throughout would give the same, but each read costs much under emulation.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BUFFER_SIZE = 65536 };  // bytes; a multiple of every block size

static int out;
static char* buffer;

static bool write_all(size_t size, uint64_t offset) {
    size_t done = 0;
    while (done < size) {
        const ssize_t written = pwrite(out, buffer + done, size - done, (off_t)(offset + done));
        if (written <= 0) return false;
        done += (size_t)written;
    }
    return true;
}

// Ranges of unreadable blocks, each printed once it is complete.
struct ranges {
    uint64_t first, end;
    const char* separator;
};

static void print_range(struct ranges* ranges) {
    if (ranges->first == ranges->end) return;
    printf("%s%" PRIu64, ranges->separator, ranges->first);
    if (ranges->end - ranges->first > 1) printf("-%" PRIu64, ranges->end - 1);
    ranges->separator = ",";
}

static void add_block(struct ranges* ranges, uint64_t block) {
    if (block != ranges->end || ranges->first == ranges->end) {
        print_range(ranges);
        ranges->first = block;
    }
    ranges->end = block + 1;
}

// Copies `size` bytes, at most the buffer's size. `block_size` 0 says that this is one block.
static bool copy(int device, uint64_t at, size_t size, size_t block_size, uint64_t offset, struct ranges* ranges,
                 uint64_t number) {
    const ssize_t got = pread(device, buffer, size, (off_t)at);
    if (got == (ssize_t)size) return write_all(size, offset + at);
    // A bad block in the middle also gives a short read.
    if (got < 0 && errno != EIO) return false;
    if (block_size == 0) {
        if (got >= 0) return false;
        add_block(ranges, number);
        return true;
    }
    for (size_t done = 0; done < size; done += block_size) {
        if (!copy(device, at + done, block_size, 0, offset, ranges, (at + done) / block_size)) return false;
    }
    return true;
}

static bool capture(const char* path, size_t block_size, uint64_t offset) {
    const char* name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    const int device = open(path, O_RDONLY | O_DIRECT);
    uint64_t size = 0;
    bool good = device >= 0 && ioctl(device, BLKGETSIZE64, &size) == 0;
    if (good) {
        struct ranges ranges = {0, 0, ""};
        printf("%s blocks %" PRIu64 " unreadable ", name, size / block_size);
        for (uint64_t at = 0; good && at < size; at += BUFFER_SIZE) {
            const size_t piece = size - at < BUFFER_SIZE ? (size_t)(size - at) : BUFFER_SIZE;
            good = copy(device, at, piece, block_size, offset, &ranges, 0);
        }
        print_range(&ranges);
        printf("%s", ranges.separator[0] == '\0' ? "-" : "");
    }
    if (good) {
        printf("\n");
    } else {
        printf(" capture: %s: %s\n", name, strerror(errno));
    }
    if (device >= 0) close(device);
    return good;
}

int main(int argc, char** argv) {
    if (argc < 2 || argc % 3 != 2) {
        fprintf(stderr, "usage: capture OUT [DEVICE BLOCK_SIZE OFFSET]...\n");
        return 1;
    }
    void* memory = NULL;
    out = open(argv[1], O_WRONLY);
    if (out < 0 || posix_memalign(&memory, 4096, BUFFER_SIZE) != 0) {
        fprintf(stderr, "capture: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    buffer = memory;
    int status = 0;
    for (int i = 2; i < argc; i += 3) {
        const size_t block_size = (size_t)strtoul(argv[i + 1], NULL, 10);
        if (block_size == 0 || !capture(argv[i], block_size, strtoull(argv[i + 2], NULL, 10))) status = 1;
    }
    if (fsync(out) != 0) {
        fprintf(stderr, "capture: fsync: %s\n", strerror(errno));
        return 1;
    }
    return status;
}
