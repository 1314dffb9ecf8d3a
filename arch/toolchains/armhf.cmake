# ARMv7-A with hardware floating point: Debian's armhf and most 32-bit phones, boards and set-top boxes.
#
# The baseline is Debian's, VFPv3 with 16 registers and no NEON: the program must start on a processor without NEON and
# choose its cores there. Files that are NEON cores ask for NEON themselves. ARM instructions instead of Debian's Thumb:
# portable BLAKE2b costs 47.5 cycles per byte on armcost's Cortex-A7 model against 50.0, SHA-256 47.7 against 49.8, and
# the other hashes within 2 % of the same.
set(CMAKE_SYSTEM_PROCESSOR armv7l)
set(VERITYTOOL_DEBIAN_ARCH armhf)
set(VERITYTOOL_TRIPLET arm-linux-gnueabihf)
set(VERITYTOOL_QEMU qemu-arm -cpu cortex-a7)
foreach(language C CXX ASM)
    set(CMAKE_${language}_FLAGS_INIT "-march=armv7-a+fp -marm")
endforeach()
# GCC 12 otherwise notes for every standard container that a parameter's passing changed in GCC 7.
string(APPEND CMAKE_CXX_FLAGS_INIT " -Wno-psabi")
include("${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake")
