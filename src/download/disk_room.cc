#include "download/disk_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/text_format.h"

namespace pleiad::download {

namespace {

/// The one that it lies in, or of those above the nearest that is there.
std::filesystem::path nearest_folder(const std::filesystem::path& file) {
  std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  std::error_code error;
  while (!std::filesystem::is_directory(folder, error) && folder != folder.parent_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

std::uint64_t room_for_others(std::uint64_t capacity) {
  return std::min(std::uint64_t{1} << 30, capacity / 20);
}

std::optional<Problem> find_no_room(const std::filesystem::path& file, std::uint64_t missing) {
  std::error_code error;
  const std::filesystem::path folder = nearest_folder(file);
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
