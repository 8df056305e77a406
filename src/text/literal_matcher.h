#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/token.h"

namespace pleiad::text {

/// Finds fixed strings in a text: leftmost first, the longest of those that
/// begin at the same place.
class LiteralMatcher {
 public:
  struct Literal {
    std::string text;
    TokenId id = 0;
  };
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
    TokenId id = 0;
  };

  LiteralMatcher() = default;
  explicit LiteralMatcher(std::vector<Literal> literals);

  bool empty() const { return literals_.empty(); }
  /// The first match at `from` or later.
  std::optional<Match> find(std::string_view text, std::size_t from) const;
  /// The longest that begins just there.
  std::optional<Match> match_at(std::string_view text, std::size_t at) const;

 private:
  const Literal* longest_at(std::string_view text) const;

  std::vector<Literal> literals_;           // sorted by text
  std::array<std::uint32_t, 257> first_{};  // where those begin whose first byte is b
};

}  // namespace pleiad::text
