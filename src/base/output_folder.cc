#include "base/output_folder.h"

#include <cerrno>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/os/file.h"
#include "base/sync_folder.h"

namespace pleiad {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, int error_number) {
  throw Error("{}: cannot write: {}", path.string(), errno_text(error_number));
}

/// "out/" -> "out", and what a link leads to.
fs::path target_of(const fs::path& path) {
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  if (error) throw Error("{}: cannot write: {}", path.string(), error.message());
  return resolved.has_filename() ? resolved : resolved.parent_path();
}

/// As mkdir makes it: mkdtemp would let nobody else in, whatever the umask says.
fs::path make_temporary(const fs::path& path, const fs::path& target) {
  constexpr int kMostTries = 100;
  std::random_device random;
  for (int i = 0; i < kMostTries; ++i) {
    const std::string name =
        fmt::format("{}.partial-{:06x}", target.string(), random() & 0xFFFFFFU);
    if (os::make_folder(name)) return name;
    if (errno != EEXIST) fail(path, errno);
  }
  fail(path, EEXIST);
}

}  // namespace

OutputFolder::OutputFolder(const fs::path& path, Existing existing)
    : path_(path), target_(target_of(path)), existing_(existing) {
  std::error_code error;
  const fs::file_type type = fs::status(target_, error).type();
  if (type == fs::file_type::directory) {
    const bool empty = fs::is_empty(target_, error) && !error;
    if (!empty && existing == Existing::refused) {
      throw Error("{}: is there already, and is not empty", path_.string());
    }
  } else if (type != fs::file_type::not_found) {
    throw Error("{}: is there already, and is not a folder", path_.string());
  }
  temporary_ = make_temporary(path_, target_);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

/// Puts the new folder in the old one's place; returns where the old one is then.
fs::path OutputFolder::take_place() {
  if (os::exchange_folders(temporary_, target_)) return std::exchange(temporary_, {});
  // File systems over a network know no exchange: for a moment there is none of the two.
  if (errno != ENOTSUP) fail(path_, errno);
  const fs::path old = make_temporary(path_, target_);
  if (!os::rename_folder(target_, old)) {
    const int reason = errno;
    std::error_code ignored;
    fs::remove(old, ignored);
    fail(path_, reason);
  }
  if (!os::rename_folder(temporary_, target_)) {
    const int reason = errno;
    os::rename_folder(old, target_);
    fail(path_, reason);
  }
  temporary_.clear();
  return old;
}

void OutputFolder::finish() {
  CHECK(!temporary_.empty(), "{} finished twice", path_.string());
  sync_folder(temporary_);
  // Works where there is nothing, and where there is an empty folder.
  if (os::rename_folder(temporary_, target_)) {
    temporary_.clear();
  } else if (errno != ENOTEMPTY && errno != EEXIST) {
    fail(path_, errno);
  } else if (existing_ == Existing::refused) {
    throw Error("{}: was made by somebody else meanwhile", path_.string());
  } else {
    std::error_code error;
    const fs::path old = take_place();
    fs::remove_all(old, error);
    if (error) throw Error("{}: cannot be removed: {}", old.string(), error.message());
  }
  sync_folder(target_.parent_path());
}

}  // namespace pleiad
