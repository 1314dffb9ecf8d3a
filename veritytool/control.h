#ifndef VERITYTOOL_VERITYTOOL_CONTROL_H
#define VERITYTOOL_VERITYTOOL_CONTROL_H

#include <atomic>
#include <cstdint>
#include <functional>

namespace verity {

/// How long work is run, watched and stopped by its caller.
struct Control {
    unsigned threads = 0;  ///< at most so many at once, and one for each processor; 0: only that

    /// Called now and then, from one thread at a time, with the bytes read so far.
    std::function<void(std::uint64_t bytes_read)> progress;

    /// Once it points to true, the work ends soon with an error (interrupted). May be null.
    const std::atomic<bool>* stop = nullptr;

    bool stopped() const { return stop != nullptr && *stop; }
};

}  // namespace verity

#endif
