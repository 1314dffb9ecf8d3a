#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_PATHS_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_PATHS_H

#include <string>

namespace commands {

/// Whether two paths name one file, which need not be there yet. An empty path names none.
bool same_place(const std::string& a, const std::string& b);

}  // namespace commands

#endif
