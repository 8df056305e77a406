#include "store/held_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pleiad::store {

HeldFile::HeldFile(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
  struct stat status = {};
  is_file_ = file_ >= 0 && ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
  if (!is_file_) return;
  is_free_ = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
  bytes_ = static_cast<std::uint64_t>(status.st_size);
  changed_ = status.st_mtime;
}

HeldFile::~HeldFile() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace pleiad::store
