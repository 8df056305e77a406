#include "serving/pool/file_stamp.h"

#include <sys/stat.h>

#include <algorithm>

#include "model/projector_choice.h"

namespace pleiad::serving {
namespace {

namespace fs = std::filesystem;

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool add(const fs::path& file, FileStamp& stamp) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return false;
  stamp.bytes += static_cast<std::uint64_t>(status.st_size);
  stamp.inodes += status.st_ino;
  stamp.written = std::max(stamp.written, nanoseconds(status.st_mtim));
  stamp.changed = std::max(stamp.changed, nanoseconds(status.st_ctim));
  return true;
}

}  // namespace

std::optional<FileStamp> file_stamp(const fs::path& path, const fs::path& projector) {
  FileStamp stamp;
  stamp.written = stamp.changed = INT64_MIN;
  std::error_code error;
  if (!projector.empty() && !add(projector, stamp)) return std::nullopt;
  if (!fs::is_directory(path, error)) {
    if (projector.empty()) {
      for (const fs::path& beside : projectors_beside(path)) add(beside, stamp);
    }
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
