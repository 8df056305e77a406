#include "store/hugging_face_layout.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "store/model_name.h"
#include "store/small_file.h"

namespace pleiad::store {
namespace {

constexpr std::string_view kPrefix = "models--";
constexpr std::string_view kSlash = "--";

}  // namespace

std::string repository_folder(std::string_view repository) {
  std::string name(repository);
  const std::size_t slash = name.find('/');
  if (slash != std::string::npos) name.replace(slash, 1, kSlash);
  return fmt::format("{}{}", kPrefix, name);
}

std::string repository_name(std::string_view folder) {
  if (!folder.starts_with(kPrefix)) return {};
  std::string name(folder.substr(kPrefix.size()));
  const std::size_t at = name.find(kSlash);
  if (at != std::string::npos) name.replace(at, kSlash.size(), "/");
  return name;
}

bool is_commit(std::string_view text) {
  constexpr std::size_t kDigits = 40;
  return is_hex(text, kDigits);
}

std::string noted_commit(const std::filesystem::path& ref) {
  constexpr std::size_t kMostBytes = 200;
  const auto text = read_small_file(ref, kMostBytes);
  if (!text) return {};
  std::string commit(ascii_trimmed(text.value()));
  return is_model_part(commit) ? commit : std::string();
}

std::filesystem::path download_lock(const std::filesystem::path& hub, std::string_view folder,
                                    std::string_view etag) {
  return hub / ".locks" / folder / fmt::format("{}.lock", etag);
}

}  // namespace pleiad::store
