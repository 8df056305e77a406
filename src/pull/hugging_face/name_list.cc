#include "pull/hugging_face/name_list.h"

#include <fmt/format.h>

#include "base/text_format.h"

namespace pleiad::pull::hugging_face {

std::string name_list(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    text += (i == 0 ? "" : ", ") + printable(names[i], 200);
  }
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

}  // namespace pleiad::pull::hugging_face
