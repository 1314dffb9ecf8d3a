#ifndef VERITYTOOL_VERITYTOOL_RANDOM_H
#define VERITYTOOL_VERITYTOOL_RANDOM_H

#include <cstdint>
#include <span>

#include "veritytool/error.h"

namespace verity {

/// Fills `bytes` from the operating system's random number generator. Error (io): it has none to give.
Result<void> fill_random(std::span<std::uint8_t> bytes);

}  // namespace verity

#endif
