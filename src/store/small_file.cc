#include "store/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::store {
namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

Result<std::string> read_small_file(const std::filesystem::path& path, std::size_t limit) {
  const auto fail = [&](const std::string& why) {
    return Failure{fmt::format("{}: {}", path.string(), why)};
  };
  // Not blocking: a pipe must not hold us up.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) return fail("cannot be read: " + errno_text(errno));
  struct stat status = {};
  if (::fstat(file.number, &status) != 0) return fail("cannot be read: " + errno_text(errno));
  if (!S_ISREG(status.st_mode)) return fail("is not a regular file");
  std::string text;
  char piece[16384];
  while (true) {
    const ssize_t count = ::read(file.number, piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail("cannot be read: " + errno_text(errno));
    if (count == 0) return text;
    text.append(piece, static_cast<std::size_t>(count));
    if (text.size() > limit) return fail(fmt::format("is larger than {}", format_bytes(limit)));
  }
}

}  // namespace pleiad::store
