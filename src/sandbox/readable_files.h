#pragma once

#include <span>

namespace pleiad::sandbox {

/// From now on this process, and what it starts, opens nothing but these files and what is in these
/// folders, for reading, and changes no file (Landlock, Linux 5.13). Paths that are not there are
/// left out; `also` (-1: none) is an open file that may be opened again, as the program that is
/// executed is. What is open already stays so. Nothing that is executed gives new privileges.
/// False where the kernel does not offer it: then nothing has changed but that.
bool allow_reading_only(std::span<const char* const> paths, int also = -1);

}  // namespace pleiad::sandbox
