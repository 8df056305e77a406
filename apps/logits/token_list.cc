#include "apps/logits/token_list.h"

#include <charconv>

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::apps {

std::vector<std::int32_t> parse_token_list(std::string_view text, std::int64_t vocab_size) {
  constexpr std::string_view kSeparators = ", \t\r\n";
  std::vector<std::int32_t> tokens;
  for (std::size_t at = text.find_first_not_of(kSeparators); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    const std::string_view item = text.substr(at, end - at);
    std::int64_t value = -1;
    const auto [last, error] = std::from_chars(item.data(), item.data() + item.size(), value);
    if (error != std::errc() || last != item.data() + item.size() || value < 0 ||
        value >= vocab_size) {
      throw Error("--tokens: expected ids from 0 to {}, found '{}'", vocab_size - 1,
                  printable(item));
    }
    tokens.push_back(static_cast<std::int32_t>(value));
    at = text.find_first_not_of(kSeparators, end);
  }
  if (tokens.empty()) throw Error("--tokens: expected at least one token id");
  return tokens;
}

}  // namespace pleiad::apps
