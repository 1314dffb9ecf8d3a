#ifndef VERITYTOOL_VERITYTOOL_SECTOR_IMAGE_H
#define VERITYTOOL_VERITYTOOL_SECTOR_IMAGE_H

#include <cstdint>
#include <optional>

#include "veritytool/content_type.h"
#include "veritytool/control.h"
#include "veritytool/file.h"
#include "veritytool/image_output.h"
#include "veritytool/sector_cipher.h"

/// Encrypting and decrypting images so that dm-crypt opens them: read once, every sector by itself.

namespace verity {

struct CryptRequest {
    ciphers::Direction direction = ciphers::Direction::encrypt;
    SectorParameters parameters;
    std::uint64_t offset = 0;               ///< bytes of the input that are passed over
    std::optional<std::uint64_t> size;      ///< bytes from there on; all that follow, if not given
    bool pad_zero = false;                  ///< fill up the last sector with zeros; else it must be whole
    const ContentType* expected = nullptr;  ///< what must come out; may be null. Looked at before anything is written
};

struct CryptedImage {
    std::uint64_t size;     ///< bytes written
    std::uint64_t padding;  ///< zeros among them that were not read
};

/// The size of the part that `request` asks for, before it is padded; nothing for a stream of which no size is asked
/// for. Errors (input): the file ends before, is empty there, or the part is not a whole number of sectors.
Result<std::optional<std::uint64_t>> size_to_crypt(const File& in, const CryptRequest& request);

/// Encrypts or decrypts the part of `in` that `request` asks for to `out`; the first sector of that part has index 0.
/// `cipher` is one of request.parameters.algorithm. Errors: (usage) those of check_parameters; (input) those of
/// size_to_crypt, a device that is too small; (content) not what was expected; (io) reading or writing fails, or the
/// input's size changes meanwhile; (interrupted).
Result<CryptedImage> crypt_image(const File& in, const ImageOutput& out, const SectorCipher& cipher,
                                 const CryptRequest& request, const Control& control);

}  // namespace verity

#endif
