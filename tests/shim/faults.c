/* Faults on demand, for the command-line tests: preloaded, it makes the calls that touch one file go wrong in the way
 * that the environment asks for. Variables that are not set ask for nothing.
 *
 *   FAULTS_FILE      the file meant, by any of its names; "-" is standard input; with a * in it, every file whose
 *                    present name is of this pattern (fnmatch(3))
 *   FAULTS_CALLS     which calls on it: any of read, write, sync, close, resize, separated by commas
 *   FAULTS_ERRNO     they fail with this number ...
 *   FAULTS_AT        ... from this byte of the file on; what a call has before it is done first, as a short transfer
 *   FAULTS_UNTIL     ... up to this byte
 *   FAULTS_SHORT     they transfer one byte to so many, by a fixed pseudo-random sequence
 *   FAULTS_EINTR     every so many-th call is interrupted before it does anything
 *   FAULTS_SIGNAL    the process gets this signal, once, where FAULTS_ERRNO would fail
 *   FAULTS_SKIP      so many calls without a place in the file (sync, close, resize) go well before one does not
 *   FAULTS_RESIZE    the file gets this length, once, at that place
 *   FAULTS_NO_MEMORY the allocation of this number, counted from 0, among those of at least 64 KiB fails
 *   FAULTS_TRACE     a file that is made when the first fault has happened, so that a test knows that it did
 */
#define _GNU_SOURCE
#define _LARGEFILE64_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    kLargeAllocation = 64 * 1024,
    kSignalDelay = 50 * 1000, /* microseconds */
};

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void note_fault(void) {
    const int saved = errno;
    const char* path = getenv("FAULTS_TRACE");
    if (path != NULL) {
        const int fd = REAL(open64)(path, O_WRONLY | O_CREAT, 0666);
        if (fd >= 0) REAL(close)(fd);
    }
    errno = saved;
}

/* A number from the environment, or `otherwise`. */
static int64_t number(const char* variable, int64_t otherwise) {
    const char* text = getenv(variable);
    return text == NULL ? otherwise : strtoll(text, NULL, 10);
}

/* Whether the file has a name of this pattern. */
static int matches(int fd, const char* pattern) {
    char link[64], name[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, name, sizeof name - 1);
    if (length < 0) return 0;
    name[length] = '\0';
    return fnmatch(pattern, name, 0) == 0;
}

static int is_meant(int fd, const char* call) {
    const char* path = getenv("FAULTS_FILE");
    const char* calls = getenv("FAULTS_CALLS");
    if (path == NULL || calls == NULL || strstr(calls, call) == NULL) return 0;
    if (strcmp(path, "-") == 0) return fd == STDIN_FILENO;
    const int saved = errno;
    if (strchr(path, '*') != NULL) {
        const int same = matches(fd, path);
        errno = saved;
        return same;
    }
    struct stat64 meant, given;
    const int same = stat64(path, &meant) == 0 && fstat64(fd, &given) == 0 && meant.st_dev == given.st_dev &&
                     meant.st_ino == given.st_ino;
    errno = saved;
    return same;
}

static atomic_flag happened = ATOMIC_FLAG_INIT; /* the fault that happens once */

static void send_signal(void) {
    const char* signal_number = getenv("FAULTS_SIGNAL");
    if (signal_number == NULL || atomic_flag_test_and_set(&happened)) return;
    note_fault();
    kill(getpid(), atoi(signal_number));
    usleep(kSignalDelay); /* another thread may be the one that takes it */
}

/* Called before a transfer of *count bytes at `offset`: does what is to happen there. Returns 0 to go on with *count
 * bytes, which may have become fewer, or -1 with errno set. */
static int prepare(int fd, int64_t offset, size_t* count) {
    static atomic_uint_fast32_t calls = 0;
    const uint32_t call = (uint32_t)atomic_fetch_add(&calls, 1);
    const int64_t eintr = number("FAULTS_EINTR", 0);
    if (eintr > 0 && call % eintr == 0) {
        note_fault();
        errno = EINTR;
        return -1;
    }

    const int64_t most = number("FAULTS_SHORT", 0);
    if (most > 0 && *count > 1) {
        const size_t some = 1 + (call * 2654435761u >> 8) % (size_t)most;
        if (some < *count) {
            *count = some;
            note_fault();
        }
    }

    const int64_t at = number("FAULTS_AT", 0);
    if (offset + (int64_t)*count <= at || offset >= number("FAULTS_UNTIL", INT64_MAX)) return 0;
    const char* error = getenv("FAULTS_ERRNO");
    if (error != NULL) {
        if (offset < at) {
            *count = (size_t)(at - offset);
            return 0;
        }
        note_fault();
        errno = atoi(error);
        return -1;
    }
    send_signal();
    const char* length = getenv("FAULTS_RESIZE");
    if (length != NULL && !atomic_flag_test_and_set(&happened)) {
        note_fault();
        const int saved = errno;
        if (fd >= 0 && truncate64(getenv("FAULTS_FILE"), strtoll(length, NULL, 10)) != 0) abort();
        errno = saved;
    }
    return 0;
}

/* For calls that have no place in the file: whether they fail. */
static int fails(int fd, const char* call) {
    static atomic_int_fast64_t calls = 0;
    if (!is_meant(fd, call) || atomic_fetch_add(&calls, 1) < number("FAULTS_SKIP", 0)) return 0;
    send_signal();
    const char* error = getenv("FAULTS_ERRNO");
    if (error == NULL) return 0;
    note_fault();
    errno = atoi(error);
    return 1;
}

/* --- the calls ---------------------------------------------------------------------------------------------------- */

ssize_t pread(int fd, void* buffer, size_t count, off_t offset) {
    if (is_meant(fd, "read") && prepare(fd, offset, &count) != 0) return -1;
    return REAL(pread)(fd, buffer, count, offset);
}

ssize_t pread64(int fd, void* buffer, size_t count, off64_t offset) {
    if (is_meant(fd, "read") && prepare(fd, offset, &count) != 0) return -1;
    return REAL(pread64)(fd, buffer, count, offset);
}

ssize_t pwrite(int fd, const void* buffer, size_t count, off_t offset) {
    if (is_meant(fd, "write") && prepare(fd, offset, &count) != 0) return -1;
    return REAL(pwrite)(fd, buffer, count, offset);
}

ssize_t pwrite64(int fd, const void* buffer, size_t count, off64_t offset) {
    if (is_meant(fd, "write") && prepare(fd, offset, &count) != 0) return -1;
    return REAL(pwrite64)(fd, buffer, count, offset);
}

/* Where a stream stands: a pipe has no position of its own. Only one thread at a time reads or writes one. */
static int64_t stream_position = 0;

ssize_t read(int fd, void* buffer, size_t count) {
    const int meant = is_meant(fd, "read");
    if (meant && prepare(fd, stream_position, &count) != 0) return -1;
    const ssize_t done = REAL(read)(fd, buffer, count);
    if (meant && done > 0) stream_position += done;
    return done;
}

ssize_t write(int fd, const void* buffer, size_t count) {
    const int meant = is_meant(fd, "write");
    if (meant && prepare(fd, stream_position, &count) != 0) return -1;
    const ssize_t done = REAL(write)(fd, buffer, count);
    if (meant && done > 0) stream_position += done;
    return done;
}

int fsync(int fd) {
    return fails(fd, "sync") ? -1 : REAL(fsync)(fd);
}

int fdatasync(int fd) {
    return fails(fd, "sync") ? -1 : REAL(fdatasync)(fd);
}

int ftruncate(int fd, off_t length) {
    return fails(fd, "resize") ? -1 : REAL(ftruncate)(fd, length);
}

int ftruncate64(int fd, off64_t length) {
    return fails(fd, "resize") ? -1 : REAL(ftruncate64)(fd, length);
}

int close(int fd) {
    if (fails(fd, "close")) {
        const int error = errno;
        REAL(close)(fd);
        errno = error;
        return -1;
    }
    return REAL(close)(fd);
}

/* --- memory: not through dlsym, which allocates ------------------------------------------------------------------- */

extern void* __libc_malloc(size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

static int no_memory_for(size_t size) {
    static atomic_int_fast64_t large = 0;
    if (size < kLargeAllocation || getenv("FAULTS_NO_MEMORY") == NULL) return 0;
    if (atomic_fetch_add(&large, 1) != number("FAULTS_NO_MEMORY", -1)) return 0;
    note_fault();
    errno = ENOMEM;
    return 1;
}

void* malloc(size_t size) {
    return no_memory_for(size) ? NULL : __libc_malloc(size);
}

void* aligned_alloc(size_t alignment, size_t size) {
    return no_memory_for(size) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
    if (no_memory_for(size)) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}
