# What armhf.cmake and arm64.cmake have in common. They set:
#   VERITYTOOL_DEBIAN_ARCH  Debian's name of the architecture
#   VERITYTOOL_TRIPLET      its GNU triplet, which names compilers and library folders
#   VERITYTOOL_QEMU         the qemu-user command with the processor that tests are discovered and run on
# -DVERITYTOOL_SYSROOT=DIR builds against another sysroot than the one make-sysroot.sh makes.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${VERITYTOOL_TRIPLET}-gcc)
set(CMAKE_CXX_COMPILER ${VERITYTOOL_TRIPLET}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${VERITYTOOL_TRIPLET})

# CMake reads this file again in each of its compiler checks, which only need to know the folder.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES VERITYTOOL_SYSROOT)
if(NOT VERITYTOOL_SYSROOT)
    execute_process(
        COMMAND "${CMAKE_CURRENT_LIST_DIR}/make-sysroot.sh" ${VERITYTOOL_DEBIAN_ARCH}
        OUTPUT_VARIABLE VERITYTOOL_SYSROOT
        OUTPUT_STRIP_TRAILING_WHITESPACE
        RESULT_VARIABLE make_sysroot_status)
    if(NOT make_sysroot_status EQUAL 0)
        message(FATAL_ERROR "No sysroot for ${VERITYTOOL_DEBIAN_ARCH}: make-sysroot.sh says why above.")
    endif()
endif()

set(CMAKE_SYSROOT "${VERITYTOOL_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# pkg-config would otherwise find the building machine's libraries.
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${VERITYTOOL_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR}
    "${VERITYTOOL_SYSROOT}/usr/lib/${VERITYTOOL_TRIPLET}/pkgconfig:${VERITYTOOL_SYSROOT}/usr/share/pkgconfig")

set(CMAKE_CROSSCOMPILING_EMULATOR ${VERITYTOOL_QEMU} -L "${VERITYTOOL_SYSROOT}")
