#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace pleiad::apps {

bool is_terminal(std::FILE* file);

/// Columns of the terminal behind `file`, 80 when there is none.
int terminal_width(std::FILE* file);

/// Writes all of it at once, so that a reply is seen while it is made.
/// Throws Error when the reader has gone away or the disk is full.
void write_all(std::FILE* file, std::string_view text);

inline constexpr std::string_view kDim = "\x1b[2m";
inline constexpr std::string_view kPlain = "\x1b[0m";

}  // namespace pleiad::apps
