#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <mutex>
#include <vector>

#include "veritytool/parallel.h"

namespace verity {
namespace {

/// The free slots of a pipeline. The one given back last is taken first: its buffers are still in a cache.
class SlotPool {
  public:
    explicit SlotPool(std::size_t slots) {
        for (std::size_t slot = slots; slot-- > 0;) free_.push_back(slot);
    }

    /// There must be a free slot.
    std::size_t take() {
        const std::lock_guard lock(mutex_);
        const std::size_t slot = free_.back();
        free_.pop_back();
        return slot;
    }

    void give(std::size_t slot) {
        const std::lock_guard lock(mutex_);
        free_.push_back(slot);
    }

  private:
    std::mutex mutex_;
    std::vector<std::size_t> free_;
};

}  // namespace

void run(const Pipeline& pipeline) {
    SlotPool pool(pipeline.slots);
    const auto produce = [&](tbb::flow_control& control) -> std::size_t {
        const std::size_t slot = pool.take();
        if (!pipeline.produce(slot)) control.stop();
        return slot;
    };
    const auto work = [&](std::size_t slot) {
        pipeline.work(slot);
        return slot;
    };
    const auto consume = [&](std::size_t slot) {
        pipeline.consume(slot);
        pool.give(slot);
    };
    // TBB starts no more workers than it believes there are processors, unless told otherwise.
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, pipeline.threads);
    tbb::task_arena arena(static_cast<int>(pipeline.threads));
    arena.execute([&] {
        tbb::parallel_pipeline(pipeline.slots,
                               tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, produce) &
                                   tbb::make_filter<std::size_t, std::size_t>(tbb::filter_mode::parallel, work) &
                                   tbb::make_filter<std::size_t, void>(tbb::filter_mode::serial_in_order, consume));
    });
}

unsigned available_threads() {
    return static_cast<unsigned>(tbb::info::default_concurrency());
}

}  // namespace verity
