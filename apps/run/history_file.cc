#include "apps/run/history_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <span>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "terminal/editor/line_history.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

using terminal::LineHistory;

namespace {

/// The file, open for adding to it and locked against others of this program that do the same.
/// Nothing where there is none to be had: no regular file, say. Links are followed.
class LockedFile {
 public:
  LockedFile(const fs::path& path, int flags) {
    // As often as another program puts a new file in its place while this one waits.
    for (int i = 0; i < 10; ++i) {
      // A pipe must not make this wait.
      file_ =
          ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0600);
      struct stat status = {};
      if (file_ < 0 || ::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) break;
      ::flock(file_, LOCK_EX);  // where a file system has no locks, a line is still one piece
      struct stat named = {};
      if (::stat(path.c_str(), &named) != 0 || ::fstat(file_, &status) != 0) break;
      if (named.st_dev == status.st_dev && named.st_ino == status.st_ino) {
        size_ = status.st_size;
        mode_ = status.st_mode & 07777;
        return;
      }
      close();
    }
    close();
  }
  ~LockedFile() { close(); }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  bool is_open() const { return file_ >= 0; }
  bool is_empty() const { return size_ == 0; }
  void add(const std::string& text) {
    constexpr mode_t kOwnerOnly = 0600;
    if (mode_ != kOwnerOnly) ::fchmod(file_, kOwnerOnly);
    [[maybe_unused]] const ssize_t count = ::write(file_, text.data(), text.size());
  }

 private:
  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

  int file_ = -1;
  off_t size_ = 0;
  mode_t mode_ = 0;
};

std::vector<std::string> read(const fs::path& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return terminal::decode_history({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void rewrite(const fs::path& path, std::span<const std::string> entries) {
  std::string text = fmt::format("{}\n", terminal::kHistoryHeader);
  for (const std::string& entry : entries) text += terminal::encode_history_line(entry) + "\n";
  OutputFile file(path, 0600);
  file.write(std::as_bytes(std::span(text)));
  file.finish();
}

}  // namespace

std::vector<std::string> HistoryFile::load() {
  std::error_code error;
  if (path_.empty() || !fs::is_regular_file(path_, error)) return {};
  try {
    std::vector<std::string> entries = read(path_);
    if (entries.size() <= 2 * LineHistory::kMost) return entries;
    const LockedFile others_wait(path_, 0);
    entries = read(path_);  // with what another program has added until now
    if (entries.size() > LineHistory::kMost) {
      entries.erase(entries.begin(), entries.end() - static_cast<long>(LineHistory::kMost));
    }
    if (others_wait.is_open()) rewrite(path_, entries);
    return entries;
  } catch (const Error&) {
    return {};
  }
}

void HistoryFile::append(const std::string& entry) {
  constexpr std::size_t kLongest = 64 << 10;  // a whole file that was pasted is not kept
  if (path_.empty() || entry.size() > kLongest) return;
  // What a user asks is nobody else's business, from the first moment on.
  const mode_t mask = ::umask(0077);
  std::error_code error;
  fs::create_directories(path_.parent_path(), error);
  ::umask(mask);
  LockedFile file(path_, O_CREAT);
  if (!file.is_open()) return;
  file.add((file.is_empty() ? fmt::format("{}\n", terminal::kHistoryHeader) : "") +
           terminal::encode_history_line(entry) + "\n");
}

}  // namespace pleiad::apps
