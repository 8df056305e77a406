#include "download/disk_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/text_format.h"

namespace pleiad::download {

std::uint64_t room_for_others(std::uint64_t capacity) {
  return std::min(std::uint64_t{1} << 30, capacity / 20);
}

std::optional<Problem> find_no_room(const std::filesystem::path& file, std::uint64_t missing) {
  std::error_code error;
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  if (error || missing == 0) return std::nullopt;
  const std::uint64_t others = room_for_others(space.capacity);
  if (space.available >= others && space.available - others >= missing) return std::nullopt;
  return Problem{
      Trouble::no_space,
      fmt::format("{}: {} are still to come, and {} are free in {}, of which {} stay free "
                  "for others",
                  file.string(), format_bytes(missing), format_bytes(space.available),
                  folder.string(), format_bytes(others))};
}

}  // namespace pleiad::download
