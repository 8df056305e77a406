#include "base/file_version.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace pleiad {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

bool leads_to(const std::filesystem::path& path, const FileVersion& file) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && status.st_dev == file.device &&
         status.st_ino == file.inode;
}

}  // namespace

std::optional<FileVersion> FileVersion::of(int descriptor) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) return std::nullopt;
  FileVersion version;
  version.device = status.st_dev;
  version.inode = status.st_ino;
  version.bytes = static_cast<std::uint64_t>(status.st_size);
  version.written = nanoseconds(status.st_mtim);
  version.changed = nanoseconds(status.st_ctim);
  version.n_names = status.st_nlink;
  version.mode = status.st_mode;
  version.owner = status.st_uid;
  version.group = status.st_gid;
  return version;
}

std::string change_since(FileVersion& last, FileVersion now, const std::filesystem::path& path) {
  now.elsewhere = last.elsewhere;
  if (now == last) return {};
  if (now.bytes != last.bytes) {
    return fmt::format("it has {} bytes now, and had {}", now.bytes, last.bytes);
  }
  if (now.written != last.written) return "it was written to";
  now.elsewhere = !leads_to(path, now);
  const bool explained = now.n_names != last.n_names || now.mode != last.mode ||
                         now.owner != last.owner || now.group != last.group || now.elsewhere ||
                         last.elsewhere;
  if (!explained) return "its time of change moved, and neither its name nor its owner or mode did";
  last = now;
  return {};
}

}  // namespace pleiad
