#include "apps/run/history_file.h"

#include <fcntl.h>
#include <fmt/format.h>
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
    std::vector<std::string> entries;
    {
      const MappedFile file(path_);
      const auto bytes = file.bytes();
      entries =
          terminal::decode_history({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    if (entries.size() > 2 * LineHistory::kMost) {
      entries.erase(entries.begin(), entries.end() - static_cast<long>(LineHistory::kMost));
      rewrite(path_, entries);
    }
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
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  ::fchmod(file, 0600);
  struct stat status = {};
  const bool is_new = ::fstat(file, &status) == 0 && status.st_size == 0;
  // In one piece, so that those of others stand before or behind it.
  const std::string line = (is_new ? fmt::format("{}\n", terminal::kHistoryHeader) : "") +
                           terminal::encode_history_line(entry) + "\n";
  [[maybe_unused]] const ssize_t count = ::write(file, line.data(), line.size());
  ::close(file);
}

}  // namespace pleiad::apps
