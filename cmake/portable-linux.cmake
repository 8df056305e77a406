# The program for every x86-64 Linux with glibc 2.31 or newer: everything but glibc is linked into it, and
# glibc's headers and libraries are Debian 11's, which scripts/portable-libraries has put there.
# CMAKE_SYSTEM_NAME is left as it is: what is built runs here, with the flags of any other build.
set(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build-portable/libraries)
cmake_path(NORMAL_PATH CMAKE_SYSROOT)
if(DEFINED ENV{PLEIAD_PORTABLE_LIBRARIES})
  set(CMAKE_SYSROOT $ENV{PLEIAD_PORTABLE_LIBRARIES})
endif()
if(NOT EXISTS ${CMAKE_SYSROOT}/usr/include/features.h)
  message(FATAL_ERROR "no libraries in ${CMAKE_SYSROOT}; scripts/portable-libraries brings them")
endif()

# Programs are this machine's; nothing else of it is seen.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/x86_64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(PKG_CONFIG_ARGN --static)
set(OPENSSL_USE_STATIC_LIBS ON)

# GCC looks for crt1.o and libc beside itself before it looks into the sysroot.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-B${CMAKE_SYSROOT}/usr/lib/x86_64-linux-gnu -static-libstdc++ -static-libgcc -Wl,-z,relro,-z,now")
