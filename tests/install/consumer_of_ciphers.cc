// Links the cipher library alone, as a device would: one sector of 512 bytes, encrypted and decrypted.

#include <numeric>

#include "ciphers/adiantum.h"

int main() {
    std::array<std::uint8_t, 32> key;
    std::array<std::uint8_t, 512> plain, sector;
    std::iota(key.begin(), key.end(), std::uint8_t{0});
    std::iota(plain.begin(), plain.end(), std::uint8_t{0});
    const ciphers::Adiantum adiantum(12, key);
    const ciphers::SectorRun run{.size = sector.size(), .first_iv = 0};
    adiantum.crypt_sectors(ciphers::Direction::encrypt, sector, plain, run);
    // tests/vectors/cipher_adiantum_sectors.txt, the first record
    if (sector[0] != 0x08 || sector[1] != 0x97 || sector[2] != 0xca) return 1;
    adiantum.crypt_sectors(ciphers::Direction::decrypt, sector, sector, run);
    return sector == plain ? 0 : 1;
}
