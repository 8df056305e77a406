#pragma once

#include <cstdio>

namespace pleiad::os {

/// People read and type there.
bool is_terminal(std::FILE* file);

/// In characters; 0 is what the system does not say.
struct TerminalSize {
  int columns = 0;
  int rows = 0;
};
TerminalSize terminal_size(std::FILE* file);

/// The number by which os/file.h knows an open file.
int descriptor_of(std::FILE* file);

}  // namespace pleiad::os
