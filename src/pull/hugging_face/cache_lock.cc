#include "pull/hugging_face/cache_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/error.h"

namespace pleiad::pull::hugging_face {
namespace {

/// The lock's file may have been removed between opening and locking it: then it locks nobody out.
bool is_removed(int file) {
  struct stat status = {};
  return ::fstat(file, &status) == 0 && status.st_nlink == 0;
}

}  // namespace

Result<CacheLock> CacheLock::take(const std::filesystem::path& path,
                                  const std::function<bool()>& stop,
                                  const std::function<void()>& waiting) {
  constexpr auto kPause = std::chrono::milliseconds(100);
  const auto fail = [&](const char* what, int number) {
    return Failure{fmt::format("{}: {}: {}", path.string(), what, errno_text(number))};
  };
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) return fail("its folder cannot be made", error.value());
  bool has_waited = false;
  while (true) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0664);
    if (file < 0) return fail("cannot be opened", errno);
    CacheLock lock(file);
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
      if (is_removed(file)) continue;
      return lock;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) return fail("cannot be locked", errno);
    if (stop && stop()) return Failure{"stopped"};
    if (!has_waited && waiting) waiting();
    has_waited = true;
    std::this_thread::sleep_for(kPause);
  }
}

CacheLock::~CacheLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace pleiad::pull::hugging_face
