#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "download/trouble.h"

namespace pleiad::download {

/// What a download leaves free for others: 1 GiB, or a twentieth of the disk where that is less.
std::uint64_t room_for_others(std::uint64_t capacity);

/// Whether `missing` bytes more fit beside that where the file lies, or will lie: its folders need
/// not be there yet. Space that cannot be asked for is no reason.
std::optional<Problem> find_no_room(const std::filesystem::path& file, std::uint64_t missing);

}  // namespace pleiad::download
