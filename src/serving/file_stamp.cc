#include "serving/file_stamp.h"

#include <algorithm>

namespace pleiad::serving {
namespace {

namespace fs = std::filesystem;

bool add(const fs::path& file, FileStamp& stamp) {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(file, error);
  if (error) return false;
  const auto changed = fs::last_write_time(file, error);
  if (error) return false;
  stamp.bytes += bytes;
  stamp.changed =
      std::max(stamp.changed, static_cast<std::int64_t>(changed.time_since_epoch().count()));
  return true;
}

}  // namespace

std::optional<FileStamp> file_stamp(const fs::path& path) {
  FileStamp stamp;
  stamp.changed = INT64_MIN;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return add(path, stamp) ? std::optional(stamp) : std::nullopt;
  }
  fs::directory_iterator files(path, error);
  if (error) return std::nullopt;
  for (; files != fs::directory_iterator(); files.increment(error)) {
    if (error) return std::nullopt;
    std::error_code ignored;
    if (files->is_regular_file(ignored)) add(files->path(), stamp);
  }
  return stamp;
}

}  // namespace pleiad::serving
