#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>

namespace pleiad::media {

/// Starts a program with these descriptors as its standard input, output and error (-1: nothing as
/// the last), without environment, in a session of its own (a terminal's Ctrl-C is not for
/// it), with signals as they are by default. This process is not copied, however large it is.
/// Throws Error.
pid_t start_process(const std::filesystem::path& path, std::span<const std::string> arguments,
                    int input, int output, int errors = -1);

}  // namespace pleiad::media
