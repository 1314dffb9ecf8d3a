#ifndef VERITYTOOL_VERITYTOOL_CRYPT_TABLE_H
#define VERITYTOOL_VERITYTOOL_CRYPT_TABLE_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "veritytool/sector_cipher.h"

namespace verity {

/// An encrypted device for Linux to open. Numbers are in units of 512 bytes.
struct CryptMapping {
    SectorParameters parameters;
    std::size_t key_size;         ///< bytes
    std::string key_description;  ///< of the logon key in the kernel's keyring, "prefix:rest"
    std::string device;
    std::uint64_t offset;  ///< where the encrypted part begins on it
    std::uint64_t size;
};

/// The device-mapper table line that makes the kernel open it:
/// "0 SIZE crypt CIPHER :KEY_SIZE:logon:KEY_DESCRIPTION IV_OFFSET DEVICE OFFSET [N OPTION...]".
/// Source: Linux Documentation/admin-guide/device-mapper/dm-crypt.rst.
std::string device_mapper_table(const CryptMapping& mapping);

}  // namespace verity

#endif
