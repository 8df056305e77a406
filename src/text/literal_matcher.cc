#include "text/literal_matcher.h"

#include <algorithm>

namespace pleiad::text {

LiteralMatcher::LiteralMatcher(std::vector<Literal> literals) : literals_(std::move(literals)) {
  std::erase_if(literals_, [](const Literal& literal) { return literal.text.empty(); });
  std::ranges::sort(literals_, {}, &Literal::text);
  for (const Literal& literal : literals_) {
    ++first_[static_cast<std::uint8_t>(literal.text[0]) + 1];
  }
  for (std::size_t byte = 0; byte < 256; ++byte) first_[byte + 1] += first_[byte];
}

std::optional<LiteralMatcher::Match> LiteralMatcher::find(std::string_view text,
                                                          std::size_t from) const {
  if (empty()) return std::nullopt;
  for (std::size_t at = from; at < text.size(); ++at) {
    if (const Literal* literal = longest_at(text.substr(at))) {
      return Match{at, at + literal->text.size(), literal->id};
    }
  }
  return std::nullopt;
}

std::optional<LiteralMatcher::Match> LiteralMatcher::match_at(std::string_view text,
                                                              std::size_t at) const {
  if (empty() || at >= text.size()) return std::nullopt;
  const Literal* literal = longest_at(text.substr(at));
  if (literal == nullptr) return std::nullopt;
  return Match{at, at + literal->text.size(), literal->id};
}

const LiteralMatcher::Literal* LiteralMatcher::longest_at(std::string_view text) const {
  const auto byte = static_cast<std::uint8_t>(text[0]);
  const Literal* low = literals_.data() + first_[byte];
  const Literal* high = literals_.data() + first_[byte + 1];
  const Literal* longest = nullptr;
  // [low, high) are the literals that share the first `depth` bytes of the text;
  // the shortest of them sorts first.
  for (std::size_t depth = 1; low < high; ++depth) {
    if (low->text.size() == depth) longest = low++;
    if (depth == text.size()) break;
    const auto wanted = static_cast<std::uint8_t>(text[depth]);
    const auto byte_at = [&](const Literal& literal) {
      return static_cast<std::uint8_t>(literal.text[depth]);
    };
    low = std::lower_bound(low, high, wanted, [&](const Literal& literal, std::uint8_t value) {
      return byte_at(literal) < value;
    });
    high = std::upper_bound(low, high, wanted, [&](std::uint8_t value, const Literal& literal) {
      return value < byte_at(literal);
    });
  }
  return longest;
}

}  // namespace pleiad::text
