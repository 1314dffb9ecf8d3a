# ARMv8-A, 64-bit state: Debian's arm64, NEON included, the crypto extensions not. Files whose cores use an extension
# ask for it themselves.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(VERITYTOOL_DEBIAN_ARCH arm64)
set(VERITYTOOL_TRIPLET aarch64-linux-gnu)
set(VERITYTOOL_QEMU qemu-aarch64 -cpu cortex-a53)
include("${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake")
