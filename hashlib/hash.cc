#include "hashlib/hash.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "arch/load_store.h"
#include "hashlib/initial_values.h"

namespace hashlib {
namespace {

template <std::size_t N, class Word>
constexpr std::array<std::uint64_t, 8> widened(const std::array<Word, N>& words) {
    std::array<std::uint64_t, 8> out{};
    for (std::size_t i = 0; i < N; i++) out[i] = words[i];
    return out;
}

/// BLAKE2's chaining value before the first block: the IV exclusive-ored with the parameter block of an unkeyed,
/// unsalted, sequential hash (RFC 7693, sections 2.5 and 3.3).
template <class Word>
constexpr std::array<std::uint64_t, 8> blake2_initial(const std::array<Word, 8>& iv, std::size_t digest_size) {
    auto out = widened(iv);
    out[0] ^= 0x01010000u ^ digest_size;
    return out;
}

constexpr HashAlgorithm kAlgorithms[] = {
    {"blake2b-256", HashFamily::blake2b, 32, blake2_initial(kSha512Initial, 32)},
    {"blake2b-512", HashFamily::blake2b, 64, blake2_initial(kSha512Initial, 64)},
    {"blake2s-256", HashFamily::blake2s, 32, blake2_initial(kSha256Initial, 32)},
    {"sha1", HashFamily::sha1, 20, widened(kSha1Initial)},
    {"sha256", HashFamily::sha256, 32, widened(kSha256Initial)},
    {"sha512", HashFamily::sha512, 64, widened(kSha512Initial)},
};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr std::uint64_t kFinal = ~std::uint64_t{0};

/// The chaining values of up to kMaxLanes messages as cores take them: word w of message m is words()[w * lanes + m].
/// Word is the family's, uint32_t or uint64_t.
template <class Word>
class LaneStates {
  public:
    void fill(std::size_t count, std::size_t lanes, const std::array<std::uint64_t, 8>& value) {
        Word* to = words_;
        for (std::size_t w = 0; w < count; w++)
            for (std::size_t lane = 0; lane < lanes; lane++) *to++ = static_cast<Word>(value[w]);
    }

    void store_digest(const HashAlgorithm& algorithm, bool big_endian, std::size_t lanes, std::size_t lane,
                      std::uint8_t* digest) const {
        std::uint8_t* const end = digest + algorithm.digest_size;
        const Word* word = words_ + lane;
        if (big_endian)
            for (; digest < end; digest += sizeof(Word), word += lanes) store_be(digest, *word);
        else
            for (; digest < end; digest += sizeof(Word), word += lanes) store_le(digest, *word);
    }

    Word* words() { return words_; }

  private:
    static void store_be(std::uint8_t* to, std::uint32_t word) { arch::store_be32(to, word); }
    static void store_be(std::uint8_t* to, std::uint64_t word) { arch::store_be64(to, word); }
    static void store_le(std::uint8_t* to, std::uint32_t word) { arch::store_le32(to, word); }
    static void store_le(std::uint8_t* to, std::uint64_t word) { arch::store_le64(to, word); }

    alignas(64) Word words_[kMaxLanes * 8];
};

/// Advances one message's chaining value. A core with several lanes runs the same message in all of them.
template <class Word>
void compress_one_of(const HashCore& core, std::array<std::uint64_t, 8>& state, const std::uint8_t* data,
                     std::size_t blocks, std::uint64_t counter, std::uint64_t final_mask) {
    const std::size_t count = traits(core.family).state_words;
    LaneStates<Word> states;
    states.fill(count, core.lanes, state);
    std::array<const std::uint8_t*, kMaxLanes> messages;
    std::fill_n(messages.begin(), core.lanes, data);
    core.compress(states.words(), messages.data(), blocks, counter, final_mask);
    for (std::size_t w = 0; w < count; w++) state[w] = states.words()[w * core.lanes];
}

void compress_one(const HashCore& core, std::array<std::uint64_t, 8>& state, const std::uint8_t* data,
                  std::size_t blocks, std::uint64_t counter, std::uint64_t final_mask) {
    if (traits(core.family).word_size == 8)
        compress_one_of<std::uint64_t>(core, state, data, blocks, counter, final_mask);
    else
        compress_one_of<std::uint32_t>(core, state, data, blocks, counter, final_mask);
}

/// Writes the digest of a message whose chaining value after the last block is `state`.
template <class Word>
void store_one(const HashAlgorithm& algorithm, const std::array<std::uint64_t, 8>& state, std::uint8_t* digest) {
    const HashFamilyTraits& family = traits(algorithm.family);
    LaneStates<Word> states;
    states.fill(family.state_words, 1, state);
    states.store_digest(algorithm, family.big_endian, 1, 0, digest);
}

/// memcpy for the short pieces around a message, where the call would cost more than the copying.
void copy(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
    const auto step = [&](std::size_t bytes) {
        to += bytes;
        from += bytes;
    };
    for (; size >= 16; size -= 16, step(16)) std::memcpy(to, from, 16);
    if (size & 8) std::memcpy(to, from, 8), step(8);
    if (size & 4) std::memcpy(to, from, 4), step(4);
    if (size & 2) std::memcpy(to, from, 2), step(2);
    if (size & 1) *to = *from;
}

bool is_blake2(const HashFamilyTraits& family) {
    return family.length_field == 0;
}

/// The bytes that a message's last `content` bytes take with their padding, in whole compression blocks.
std::size_t padded_size(const HashFamilyTraits& family, std::size_t content) {
    const std::size_t padded =
        is_blake2(family) ? std::max<std::size_t>(content, 1) : content + 1 + family.length_field;
    return (padded + family.block_size - 1) / family.block_size * family.block_size;
}

/// Writes the padding behind `content` bytes of `tail`, which is padded_size(family, content) bytes long: zeros for
/// BLAKE2, else a one bit, zeros and the message's length in bits (FIPS 180-4, section 5.1).
void pad(const HashFamilyTraits& family, std::span<std::uint8_t> tail, std::size_t content,
         std::uint64_t message_length) {
    std::ranges::fill(tail.subspan(content), std::uint8_t{0});
    if (is_blake2(family)) return;
    tail[content] = 0x80;
    arch::store_be64(&tail[tail.size() - 8], message_length << 3);
}

}  // namespace

std::span<const HashAlgorithm> hash_algorithms() {
    return kAlgorithms;
}

const HashAlgorithm* find_hash(std::string_view name) {
    const auto same = [](char a, char b) { return lower(a) == b; };
    for (const HashAlgorithm& algorithm : kAlgorithms)
        if (std::ranges::equal(name, algorithm.name, same)) return &algorithm;
    return nullptr;
}

Hasher::Hasher(const HashAlgorithm& algorithm, const HashCore* core)
    : algorithm_(&algorithm),
      core_(core != nullptr ? core : &best_core(algorithm.family, 1)),
      state_(algorithm.initial) {
    assert(core_->family == algorithm.family && usable(*core_));
}

void Hasher::update(std::span<const std::uint8_t> data) {
    const HashFamilyTraits& family = traits(algorithm_->family);
    const std::size_t block = family.block_size;
    // BLAKE2 treats the last block differently, so a full one waits in the buffer until more arrives. So does SHA's,
    // which costs nothing and saves a second rule.
    if (buffered_ + data.size() > block && buffered_ > 0) {
        const std::size_t taken = block - buffered_;
        std::memcpy(buffer_.data() + buffered_, data.data(), taken);
        data = data.subspan(taken);
        length_ += taken;
        compress_one(*core_, state_, buffer_.data(), 1, length_, 0);
        buffered_ = 0;
    }
    if (data.size() > block) {
        const std::size_t blocks = (data.size() - 1) / block;
        compress_one(*core_, state_, data.data(), blocks, length_ + block, 0);
        data = data.subspan(blocks * block);
        length_ += blocks * block;
    }
    if (data.empty()) return;
    std::memcpy(buffer_.data() + buffered_, data.data(), data.size());
    buffered_ += data.size();
    length_ += data.size();
}

void Hasher::finish(std::span<std::uint8_t> digest) {
    assert(digest.size() == algorithm_->digest_size);
    const HashFamilyTraits& family = traits(algorithm_->family);
    std::array<std::uint8_t, 2 * 128> storage;
    const std::span<std::uint8_t> tail(storage.data(), padded_size(family, buffered_));
    std::memcpy(tail.data(), buffer_.data(), buffered_);
    pad(family, tail, buffered_, length_);
    compress_one(*core_, state_, tail.data(), tail.size() / family.block_size, length_, kFinal);
    if (family.word_size == 8)
        store_one<std::uint64_t>(*algorithm_, state_, digest.data());
    else
        store_one<std::uint32_t>(*algorithm_, state_, digest.data());
}

/// One call's working memory. Left uninitialised but for what is used.
template <class Word>
struct BlockHasher::Scratch {
    LaneStates<Word> states;
    std::uint8_t heads[kMaxLanes][kMaxCompressionBlock];
    std::uint8_t tails[kMaxLanes][kMaxTail];
};

BlockHasher::BlockHasher(const HashAlgorithm& algorithm, std::span<const std::uint8_t> salt, SaltPosition position,
                         std::size_t block_size, const HashCore* core)
    : algorithm_(&algorithm), core_(core), block_size_(block_size), salted_state_(algorithm.initial) {
    assert(salt.size() <= kMaxSaltSize && block_size > 0);
    assert(core == nullptr || (core->family == algorithm.family && usable(*core)));
    const HashFamilyTraits& family = traits(algorithm.family);
    const std::size_t unit = family.block_size;
    const std::span<const std::uint8_t> before = position == SaltPosition::before ? salt : salt.first(0);
    const std::span<const std::uint8_t> after = position == SaltPosition::after ? salt : salt.first(0);
    message_length_ = std::uint64_t{salt.size()} + block_size;

    // Compression blocks that can be hashed before the tail: BLAKE2 wants to know which is the last.
    std::size_t early = (salt.size() + block_size - (is_blake2(family) ? 1 : 0)) / unit;

    const std::size_t absorbed = before.size() / unit;
    if (absorbed > 0)
        compress_one(core ? *core : best_core(algorithm.family, 1), salted_state_, before.data(), absorbed, unit, 0);
    salted_length_ = absorbed * unit;
    early -= absorbed;

    const std::span<const std::uint8_t> rest_of_salt = before.subspan(absorbed * unit);
    head_salt_ = rest_of_salt.size();
    if (head_salt_ > 0 && early > 0) {
        std::ranges::copy(rest_of_salt, head_.begin());
        head_data_ = unit - head_salt_;
        early--;
    }
    const std::size_t behind_head = block_size - head_data_;
    body_blocks_ = std::min(behind_head / unit, early);
    tail_data_ = behind_head - body_blocks_ * unit;

    if (head_data_ == 0) {
        std::ranges::copy(rest_of_salt, tail_.begin());
        tail_data_at_ = head_salt_;
    }
    std::ranges::copy(after, tail_.begin() + static_cast<std::ptrdiff_t>(tail_data_at_ + tail_data_));
    const std::size_t content = tail_data_at_ + tail_data_ + after.size();
    tail_size_ = padded_size(family, content);
    assert(tail_size_ <= kMaxTail);
    pad(family, std::span(tail_).first(tail_size_), content, message_length_);
}

void BlockHasher::hash(std::span<std::uint8_t> digests, std::size_t stride,
                       std::span<const std::uint8_t> blocks) const {
    assert(blocks.size() % block_size_ == 0);
    std::size_t count = blocks.size() / block_size_;
    if (count == 0) return;
    assert(digests.size() >= (count - 1) * stride + algorithm_->digest_size);

    if (traits(algorithm_->family).word_size == 8)
        hash_words<std::uint64_t>(digests.data(), stride, blocks.data(), count);
    else
        hash_words<std::uint32_t>(digests.data(), stride, blocks.data(), count);
}

template <class Word>
void BlockHasher::hash_words(std::uint8_t* digests, std::size_t stride, const std::uint8_t* blocks,
                             std::size_t count) const {
    Scratch<Word> scratch;
    for (std::size_t lane = 0; lane < std::min(kMaxLanes, count); lane++) {
        if (head_data_ > 0) copy(scratch.heads[lane], head_.data(), head_salt_);
        copy(scratch.tails[lane], tail_.data(), tail_size_);
    }
    while (count > 0) {
        const HashCore& core = core_ != nullptr ? *core_ : best_core(algorithm_->family, count);
        const std::size_t taken = std::min<std::size_t>(core.lanes, count);
        hash_side_by_side(core, scratch, digests, stride, blocks, taken);
        blocks += taken * block_size_;
        digests += taken * stride;
        count -= taken;
    }
}

template <class Word>
void BlockHasher::hash_side_by_side(const HashCore& core, Scratch<Word>& scratch, std::uint8_t* digests,
                                    std::size_t stride, const std::uint8_t* blocks, std::size_t count) const {
    const HashFamilyTraits& family = traits(algorithm_->family);
    const std::size_t unit = family.block_size;
    scratch.states.fill(family.state_words, core.lanes, salted_state_);
    // Lanes without a message of their own repeat the last one.
    std::array<const std::uint8_t*, kMaxLanes> messages;
    const auto compress = [&](std::size_t n, std::uint64_t counter, std::uint64_t final_mask) {
        for (std::size_t lane = count; lane < core.lanes; lane++) messages[lane] = messages[count - 1];
        core.compress(scratch.states.words(), messages.data(), n, counter, final_mask);
    };

    std::uint64_t hashed = salted_length_;
    if (head_data_ > 0) {
        for (std::size_t lane = 0; lane < count; lane++) {
            copy(scratch.heads[lane] + head_salt_, blocks + lane * block_size_, head_data_);
            messages[lane] = scratch.heads[lane];
        }
        compress(1, hashed + unit, 0);
        hashed += unit;
    }
    if (body_blocks_ > 0) {
        for (std::size_t lane = 0; lane < count; lane++) messages[lane] = blocks + lane * block_size_ + head_data_;
        compress(body_blocks_, hashed + unit, 0);
        hashed += body_blocks_ * unit;
    }
    const std::uint8_t* const rest = blocks + head_data_ + body_blocks_ * unit;
    for (std::size_t lane = 0; lane < count; lane++) {
        copy(scratch.tails[lane] + tail_data_at_, rest + lane * block_size_, tail_data_);
        messages[lane] = scratch.tails[lane];
    }
    // Only BLAKE2's last block is special; SHA's tail goes in one call.
    std::size_t last = tail_size_ / unit;
    if (is_blake2(family) && last > 1) {
        compress(last - 1, hashed + unit, 0);
        for (std::size_t lane = 0; lane < count; lane++) messages[lane] += tail_size_ - unit;
        last = 1;
    }
    compress(last, message_length_, kFinal);

    for (std::size_t lane = 0; lane < count; lane++)
        scratch.states.store_digest(*algorithm_, family.big_endian, core.lanes, lane, digests + lane * stride);
}

}  // namespace hashlib
