#include "base/file_version.h"

#include <fmt/format.h>

namespace pleiad {
namespace {

bool leads_to(const std::filesystem::path& path, const FileVersion& file) {
  const auto there = os::facts_of(path);
  return there && there->device == file.device && there->inode == file.inode;
}

}  // namespace

std::optional<FileVersion> FileVersion::of(int descriptor) {
  const auto facts = os::facts_of(descriptor);
  if (!facts) return std::nullopt;
  FileVersion version;
  static_cast<os::FileFacts&>(version) = *facts;
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
