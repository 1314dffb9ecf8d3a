#ifndef VERITYTOOL_VERITYTOOL_PARALLEL_H
#define VERITYTOOL_VERITYTOOL_PARALLEL_H

#include <algorithm>
#include <cstddef>
#include <functional>

/// The one place where work is spread over threads. parallel_tbb.cc does it with oneTBB, parallel_threads.cc with
/// std::thread for ThreadSanitizer, which cannot see into a TBB that was built without it.

namespace verity {

/// A stream of pieces of work. Each piece occupies one of `slots` slots, numbered from 0, from before `produce` until
/// after `consume`: a slot's buffers bound the memory in use.
struct Pipeline {
    unsigned threads = 1;                           ///< at most so many run at once, the caller's among them
    std::size_t slots = 1;                          ///< at least 1
    std::function<bool(std::size_t slot)> produce;  ///< one call at a time; false: there is no further piece
    std::function<void(std::size_t slot)> work;     ///< several calls at a time
    std::function<void(std::size_t slot)> consume;  ///< one call at a time, in the order of `produce`
};

/// Runs the pipeline to its end. An exception from a function ends it and comes out of here.
void run(const Pipeline& pipeline);

/// The number of processors that this process may use.
unsigned available_threads();

/// As many threads as are `wanted` and there are processors for; 0: one for each processor.
inline unsigned usable_threads(unsigned wanted) {
    const unsigned available = available_threads();
    return wanted == 0 ? available : std::min(wanted, available);
}

}  // namespace verity

#endif
