#include "veritytool/crypt_table.h"

#include <vector>

#include "veritytool/table.h"

namespace verity {

std::string device_mapper_table(const CryptMapping& m) {
    const SectorParameters& p = m.parameters;
    std::vector<std::string> options;
    if (p.sector_size != kMinSectorSize) options.push_back("sector_size:" + std::to_string(p.sector_size));
    if (p.iv_large_sectors) options.emplace_back("iv_large_sectors");

    return "0 " + std::to_string(m.size) + " crypt " + std::string(p.algorithm->name) + " :" +
           std::to_string(m.key_size) + ":logon:" + m.key_description + ' ' + std::to_string(p.iv_offset) + ' ' +
           table_word(m.device) + ' ' + std::to_string(m.offset) + table_options(options);
}

}  // namespace verity
