#include "veritytool/commands/failure.h"

namespace commands {

Failure failure(const verity::Error& error) {
    return {error.kind == verity::ErrorKind::superblock ? kNoSuperblock : kUnusable, error.message};
}

}  // namespace commands
