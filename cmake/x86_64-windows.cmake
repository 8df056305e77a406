# 64-bit Windows from Linux: Debian's MinGW-w64 with POSIX threads, and Wine for the tests.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/../scripts/wine)

# Programs are the machine's own; libraries and headers of it would not fit.
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# A program is one file: no library of the compiler's has to lie beside it.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
# Windows aligns the stack to 16 bytes, and GCC keeps vectors of 32 and 64 bytes there as if they
# were aligned (GCC bug 54412). So every move of a vector is encoded as one that needs no alignment,
# which costs nothing where the address is aligned. Large units have more sections than the older
# object format counts.
set(CMAKE_CXX_FLAGS_INIT "-Wa,-muse-unaligned-vector-move -Wa,-mbig-obj")
# Windows 10: what the sources ask of the system is there.
string(APPEND CMAKE_CXX_FLAGS_INIT " -D_WIN32_WINNT=0x0A00 -DNOMINMAX -DWIN32_LEAN_AND_MEAN")
