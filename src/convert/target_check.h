#pragma once

#include <filesystem>
#include <string_view>

#include "model/checkpoint.h"

namespace pleiad::convert {

/// Throws Error where `target` is `input`, by whatever name, or a folder that it lies
/// in. `what` tells which input that is: "the model that is read".
void check_is_not_input(const std::filesystem::path& target, const std::filesystem::path& input,
                        std::string_view what);

/// The same for every file that `source` is read from, and for all that lies beside the
/// weights of a folder, but for GGUF files.
void check_is_not_source(const std::filesystem::path& target, const Checkpoint& source);

/// Throws Error that names what is in the way where `target` is a folder that may not be
/// replaced: one with anything in it but the files of a Gemma 4 model, by their usual
/// names. An empty folder, and none, are fine.
void check_is_replaceable(const std::filesystem::path& target);

}  // namespace pleiad::convert
