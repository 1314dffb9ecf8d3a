#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

#include "tests/support/guarded_memory.h"
#include "tests/support/hash_cores.h"

/// BlockHasher, which hashes many blocks with one salt, against Hasher, which is told each message plainly.

namespace {

using hashlib::BlockHasher;
using hashlib::HashAlgorithm;
using hashlib::HashCore;
using hashlib::SaltPosition;
using test::Bytes;
using test::GuardedMemory;
using test::to_hex;

constexpr SaltPosition kPositions[] = {SaltPosition::before, SaltPosition::after};

/// What a BlockHasher is made for and given.
struct Job {
    const HashAlgorithm* algorithm;
    Bytes salt;
    SaltPosition position;
    std::size_t block_size;
    std::size_t count;
    std::size_t stride;
    std::size_t alignment;

    std::size_t digests_size() const { return (count - 1) * stride + algorithm->digest_size; }

    std::string describe(const HashCore* core) const {
        return std::string(core == nullptr ? "best core" : core->name) + ", " + std::string(algorithm->name) + ": " +
               std::to_string(count) + " blocks of " + std::to_string(block_size) + " bytes at 64n + " +
               std::to_string(alignment) + ", salt " + std::to_string(salt.size()) +
               (position == SaltPosition::before ? " before" : " after") + ", stride " + std::to_string(stride);
    }
};

/// The digest of one block by the portable core and Hasher.
Bytes expected_digest(const Job& job, std::span<const std::uint8_t> block) {
    hashlib::Hasher hasher(*job.algorithm, &test::portable_core(job.algorithm->family));
    if (job.position == SaltPosition::before) hasher.update(job.salt);
    hasher.update(block);
    if (job.position == SaltPosition::after) hasher.update(job.salt);
    Bytes digest(job.algorithm->digest_size);
    hasher.finish(digest);
    return digest;
}

/// Does the job on random blocks. `core` null: the best one for each number of blocks.
void check(const Job& job, const HashCore* core, test::Random& random) {
    Bytes storage = random.bytes(64 + job.count * job.block_size);
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(storage.data()) % 64;
    const std::span<const std::uint8_t> blocks =
        std::span(storage).subspan((64 + job.alignment - misaligned) % 64, job.count * job.block_size);

    Bytes digests = random.bytes(job.digests_size() + 64);
    Bytes expected = digests;  // with the bytes between the digests and behind the last
    for (std::size_t i = 0; i < job.count; i++)
        std::ranges::copy(expected_digest(job, blocks.subspan(i * job.block_size, job.block_size)),
                          expected.begin() + static_cast<std::ptrdiff_t>(i * job.stride));

    BlockHasher(*job.algorithm, job.salt, job.position, job.block_size, core)
        .hash(std::span(digests).first(job.digests_size()), job.stride, blocks);
    if (digests == expected) return;
    FAIL() << job.describe(core) << ": bytes from " << std::ranges::mismatch(digests, expected).in1 - digests.begin()
           << " on differ\nexpected " << to_hex(expected) << "\nactual   " << to_hex(digests);
}

class BlockHasherCores : public test::EachHashCore {
  protected:
    const HashAlgorithm* any_algorithm() {
        const auto all = algorithms();
        return all[random.below(all.size())];
    }

    /// Sizes of dm-verity, sizes around compression blocks, and any others.
    std::size_t any_block_size() {
        switch (random.below(4)) {
        case 0:
            return std::size_t{512} << random.below(4);
        case 1:
            return random.between(1, 3 * family.block_size);
        case 2:
            return family.block_size * random.between(1, 16) + random.between(0, 2) - 1;
        default:
            return random.between(1, 5000);
        }
    }

    Job any_job(std::size_t salt_size, SaltPosition position, std::size_t count) {
        const HashAlgorithm* algorithm = any_algorithm();
        return {algorithm,       random.bytes(salt_size),
                position,        any_block_size(),
                count,           algorithm->digest_size + (random.coin() ? 0 : random.between(1, 100)),
                random.below(64)};
    }
};

TEST_P(BlockHasherCores, EverySaltSize) {
    for (const SaltPosition position : kPositions)
        for (std::size_t salt_size = 0; salt_size <= hashlib::kMaxSaltSize; salt_size++) {
            check(any_job(salt_size, position, random.between(1, 2 * core.lanes + 1)), &core, random);
            if (HasFatalFailure()) return;
        }
}

TEST_P(BlockHasherCores, EveryNumberOfBlocks) {
    for (std::size_t count = 1; count <= 2 * core.lanes + 1; count++)
        for (const SaltPosition position : kPositions) {
            check(any_job(random.between(0, hashlib::kMaxSaltSize), position, count), &core, random);
            if (HasFatalFailure()) return;
            Job usual = any_job(32, position, count);
            usual.block_size = 4096;
            check(usual, &core, random);
            if (HasFatalFailure()) return;
        }
}

TEST_P(BlockHasherCores, TouchesNothingElse) {
    for (int i = 0; i < 40; i++) {
        const Job job = any_job(random.between(0, hashlib::kMaxSaltSize), kPositions[random.below(2)],
                                random.between(1, 2 * core.lanes + 1));
        const std::size_t size = job.count * job.block_size;
        const GuardedMemory blocks(size), digests(job.digests_size()), salt(job.salt.size() + 1);
        random.fill(blocks.all());
        std::ranges::copy(job.salt, salt.at_end(job.salt.size()).begin());
        std::ranges::copy(job.salt, salt.at_begin(job.salt.size()).begin());
        blocks.set_writable(false);
        salt.set_writable(false);
        std::string first;
        for (const bool end : {true, false}) {
            const auto place = [end](const GuardedMemory& memory, std::size_t bytes) {
                return end ? memory.at_end(bytes) : memory.at_begin(bytes);
            };
            const std::span<const std::uint8_t> data = place(blocks, size);
            const std::span<std::uint8_t> out = place(digests, job.digests_size());
            const std::string fault = test::fault_of([&] {
                BlockHasher(*job.algorithm, place(salt, job.salt.size()), job.position, job.block_size, &core)
                    .hash(out, job.stride, data);
            });
            ASSERT_EQ(fault, "") << job.describe(&core) << (end ? ", at the end" : ", at the beginning");
            for (std::size_t n = 0; n < job.count; n++)
                ASSERT_EQ(to_hex(out.subspan(n * job.stride, job.algorithm->digest_size)),
                          to_hex(expected_digest(job, data.subspan(n * job.block_size, job.block_size))))
                    << job.describe(&core) << ", block " << n;
        }
    }
}

TEST_EACH_HASH_CORE(BlockHasherCores);

class BlockHashers : public testing::TestWithParam<HashAlgorithm> {
  protected:
    const HashAlgorithm& algorithm = GetParam();
    test::Random random;
};

/// Every way in which salt, data and padding can share compression blocks.
TEST_P(BlockHashers, EverySaltWithEveryBlockUpToACompressionBlock) {
    const std::size_t most = hashlib::traits(algorithm.family).block_size + 1;
    for (const SaltPosition position : kPositions)
        for (std::size_t salt_size = 0; salt_size <= most; salt_size++)
            for (std::size_t block_size = 1; block_size <= most; block_size++) {
                check({&algorithm, random.bytes(salt_size), position, block_size, 1, algorithm.digest_size, 0}, nullptr,
                      random);
                if (HasFatalFailure()) return;
            }
}

/// With the cores that are chosen for each number, and for what remains of it.
TEST_P(BlockHashers, EveryNumberOfBlocks) {
    for (std::size_t count = 1; count <= 3 * hashlib::kMaxLanes + 1; count++) {
        check({&algorithm, random.bytes(32), SaltPosition::before, 1024, count, algorithm.digest_size, 0}, nullptr,
              random);
        if (HasFatalFailure()) return;
    }
}

/// The largest blocks that a verity superblock can name.
TEST_P(BlockHashers, LargeBlocks) {
    for (const SaltPosition position : kPositions)
        check({&algorithm, random.bytes(32), position, std::size_t{512} * 1024, 5, algorithm.digest_size, 0}, nullptr,
              random);
}

TEST_P(BlockHashers, NoBlocksGiveNoDigests) {
    BlockHasher(algorithm, random.bytes(32), SaltPosition::before, 4096).hash({}, algorithm.digest_size, {});
}

TEST_P(BlockHashers, OneObjectServesSeveralThreads) {
    const Job job{&algorithm, random.bytes(77), SaltPosition::before, 600, 40, algorithm.digest_size, 0};
    const Bytes blocks = random.bytes(job.count * job.block_size);
    const BlockHasher hasher(algorithm, job.salt, job.position, job.block_size);
    EXPECT_EQ(&hasher.algorithm(), &algorithm);
    EXPECT_EQ(hasher.block_size(), job.block_size);
    std::vector<Bytes> digests(4, Bytes(job.digests_size()));
    std::vector<std::thread> threads;
    threads.reserve(digests.size());
    for (Bytes& own : digests)
        threads.emplace_back([&] {
            for (int i = 0; i < 20; i++) hasher.hash(own, job.stride, blocks);
        });
    for (std::thread& thread : threads) thread.join();
    for (const Bytes& own : digests)
        for (std::size_t n = 0; n < job.count; n++)
            ASSERT_EQ(to_hex(std::span(own).subspan(n * job.stride, algorithm.digest_size)),
                      to_hex(expected_digest(job, std::span(blocks).subspan(n * job.block_size, job.block_size))));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, BlockHashers, testing::ValuesIn(hashlib::hash_algorithms()), test::algorithm_name);

// --- what a core is asked to do --------------------------------------------------------------------------------------

/// The calls of `counting_core`, which takes four messages of SHA-256.
struct Calls {
    std::size_t count = 0;
    std::size_t blocks = 0;
    std::vector<const std::uint8_t*> messages;  ///< of calls with at least 16 blocks
} calls;

void count_call(void*, const std::uint8_t* const* messages, std::size_t blocks, std::uint64_t, std::uint64_t) {
    calls.count++;
    calls.blocks += blocks;
    if (blocks >= 16) calls.messages.insert(calls.messages.end(), messages, messages + 4);
}

constexpr HashCore counting_core{"counting", hashlib::HashFamily::sha256, 0, 4, 1, count_call};

TEST(BlockHasherWork, WholeBlocksOfSaltAreHashedOnce) {
    const HashAlgorithm& sha256 = *hashlib::find_hash("sha256");
    const Bytes salt(128), blocks(std::size_t{10} * 4096);
    Bytes digests(std::size_t{10} * 32);
    calls = {};
    const BlockHasher hasher(sha256, salt, SaltPosition::before, 4096, &counting_core);
    EXPECT_EQ(calls.blocks, 2u);
    calls = {};
    hasher.hash(digests, 32, blocks);
    EXPECT_EQ(calls.blocks, 3u * 65) << "ten messages, four at a time, of 4096 bytes and padding";
}

TEST(BlockHasherWork, DataIsHashedWhereItLies) {
    const HashAlgorithm& sha256 = *hashlib::find_hash("sha256");
    const Bytes salt(40), blocks(std::size_t{6} * 4096);
    Bytes digests(std::size_t{6} * 32);
    calls = {};
    BlockHasher(sha256, salt, SaltPosition::before, 4096, &counting_core).hash(digests, 32, blocks);
    EXPECT_EQ(calls.count, 2u * 3) << "head, body and tail";
    EXPECT_EQ(calls.blocks, 2u * 65);
    std::vector<const std::uint8_t*> expected;
    for (const std::size_t block : {0u, 1u, 2u, 3u, 4u, 5u, 5u, 5u}) expected.push_back(&blocks[block * 4096 + 24]);
    EXPECT_EQ(calls.messages, expected) << "lanes without a message of their own repeat the last";
}

}  // namespace
