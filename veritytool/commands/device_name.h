#ifndef VERITYTOOL_VERITYTOOL_COMMANDS_DEVICE_NAME_H
#define VERITYTOOL_VERITYTOOL_COMMANDS_DEVICE_NAME_H

#include <string>

#include "veritytool/commands/options.h"

namespace commands {

/// Takes the name of a mapped device: 1 to 127 of the characters that libdevmapper leaves as they are.
Take device_name_value(std::string& target);

}  // namespace commands

#endif
