#include "base/output_file.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/os/file.h"

namespace pleiad {

namespace fs = std::filesystem;

OutputFile::OutputFile(const fs::path& path, unsigned mode) : path_(path), target_(path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    const fs::path resolved = fs::weakly_canonical(path, error);
    if (error) throw Error("{}: cannot write: {}", path_.string(), error.message());
    target_ = resolved;
  }
  const fs::file_type type = fs::status(target_, error).type();
  if (type == fs::file_type::directory) fail(EISDIR);
  const bool direct = type != fs::file_type::regular && type != fs::file_type::not_found;
  if (direct) {
    file_ = os::open_to_write(target_);
    if (file_ < 0) fail(errno);
    return;
  }
  fs::path name;
  file_ = os::make_beside(target_, mode, name);
  if (file_ < 0) fail(errno);
  temporary_ = name;
}

OutputFile::OutputFile(int descriptor, const std::string& name) : path_(name), file_(descriptor) {
  CHECK(descriptor >= 0, "{}: descriptor {}", name, descriptor);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) os::close(file_);
  if (!temporary_.empty()) os::remove_file(temporary_);
}

void OutputFile::fail(int error_number) const {
  throw Error("{}: cannot write: {}", path_.string(), errno_text(error_number));
}

void OutputFile::write(std::span<const std::byte> bytes) {
  if (!os::write(file_, bytes)) fail(errno);
}

void OutputFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (!os::write_at(file_, offset, bytes)) fail(errno);
}

void OutputFile::write_zeros(std::uint64_t count) {
  const auto facts = os::facts_of(file_);
  if (facts && facts->kind == os::FileKind::regular) {
    if (!os::append_hole(file_, count)) fail(errno);
    return;
  }
  constexpr std::size_t kPiece = 4096;
  constexpr std::byte zeros[kPiece] = {};
  for (; count > 0; count -= std::min<std::uint64_t>(count, kPiece)) {
    write({zeros, static_cast<std::size_t>(std::min<std::uint64_t>(count, kPiece))});
  }
}

void OutputFile::finish() {
  CHECK(file_ >= 0, "{} finished twice", path_.string());
  // Devices and pipes cannot be synced, and need not be.
  if (!temporary_.empty() && !os::sync(file_)) fail(errno);
  if (!os::close(std::exchange(file_, -1))) fail(errno);
  if (temporary_.empty()) return;
  if (!os::replace_file(temporary_, target_)) fail(errno);
  temporary_.clear();
}

}  // namespace pleiad
