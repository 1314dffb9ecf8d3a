#include "veritytool/commands/failure.h"

namespace commands {

Failure failure(const verity::Error& error) {
    switch (error.kind) {
    case verity::ErrorKind::superblock:
        return {kNoSuperblock, error.message};
    case verity::ErrorKind::content:
        return {kVerificationFailed, error.message};
    default:
        return {kUnusable, error.message};
    }
}

}  // namespace commands
