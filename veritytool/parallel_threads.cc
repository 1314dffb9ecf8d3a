#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "veritytool/parallel.h"

namespace verity {
namespace {

/// Threads that each take a piece, work on it, and wait for its turn to be consumed.
class Runner {
  public:
    explicit Runner(const Pipeline& pipeline) : pipeline_(pipeline) {
        for (std::size_t slot = pipeline.slots; slot-- > 0;) free_.push_back(slot);
    }

    void run() {
        std::vector<std::thread> others;
        for (unsigned i = 1; i < pipeline_.threads; i++) others.emplace_back([this] { loop(); });
        loop();
        for (std::thread& thread : others) thread.join();
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    void loop() {
        try {
            std::size_t slot;
            std::uint64_t turn;
            while (take(slot, turn)) {
                pipeline_.work(slot);
                hand_over(slot, turn);
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            ended_ = true;
            changed_.notify_all();
        }
    }

    /// Claims a slot and fills it, one thread at a time; false when there is no further piece.
    bool take(std::size_t& slot, std::uint64_t& turn) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ended_ || (!producing_ && !free_.empty()); });
        if (ended_) return false;
        slot = free_.back();
        free_.pop_back();
        turn = produced_++;
        producing_ = true;
        lock.unlock();
        const bool more = pipeline_.produce(slot);
        lock.lock();
        producing_ = false;
        if (!more) ended_ = true;
        changed_.notify_all();
        return more;
    }

    void hand_over(std::size_t slot, std::uint64_t turn) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return failure_ || consumed_ == turn; });
        if (failure_) return;
        lock.unlock();
        pipeline_.consume(slot);
        lock.lock();
        consumed_++;
        free_.push_back(slot);
        changed_.notify_all();
    }

    const Pipeline& pipeline_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::size_t> free_;
    std::uint64_t produced_ = 0, consumed_ = 0;
    bool producing_ = false, ended_ = false;
    std::exception_ptr failure_;
};

}  // namespace

void run(const Pipeline& pipeline) {
    Runner(pipeline).run();
}

unsigned available_threads() {
    const unsigned n = std::thread::hardware_concurrency();
    return n == 0 ? 1 : n;
}

}  // namespace verity
