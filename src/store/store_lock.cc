#include "store/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace pleiad::store {

namespace fs = std::filesystem;

int lock_open_file(int file, int how) {
  while (::flock(file, how) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

void require_root(const fs::path& store) {
  if (!store.empty()) return;
  throw Error("there is no place for models: set PLEIAD_MODELS, XDG_DATA_HOME or HOME");
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw Error("{}: cannot be made: {}", path.string(), error.message());
}

StoreLock::StoreLock(const fs::path& store) {
  require_root(store);
  make_folder(store);
  const fs::path path = store / "lock";
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw Error("{}: cannot be opened: {}", path.string(), errno_text(errno));
  const int number = lock_open_file(file_, LOCK_EX);
  if (number == 0) return;
  ::close(file_);
  throw Error("{}: cannot be locked: {}", path.string(), errno_text(number));
}

StoreLock::~StoreLock() { ::close(file_); }

}  // namespace pleiad::store
