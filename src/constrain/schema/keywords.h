#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace pleiad::constrain {

/// What a schema says of values: its keywords that decide on them, or say how others do, in their
/// order. What else it has, however much, is not looked at again.
class Keywords {
 public:
  struct Keyword {
    std::string_view name;  // as the document has it
    const Json* rule = nullptr;
  };

  Keywords() = default;
  /// None of what is no object.
  explicit Keywords(const Json& schema);

  /// The rule of a keyword; null where there is none.
  const Json* find(std::string_view name) const;
  /// Whether it decides on values at all.
  bool decide() const;

  std::size_t size() const { return keywords_.size(); }
  auto begin() const { return keywords_.begin(); }
  auto end() const { return keywords_.end(); }

 private:
  std::vector<Keyword> keywords_;
};

struct KeywordProblem {
  std::string_view keyword;
  std::string why;
};

/// The first keyword whose rule is of a kind that the standard does not allow, at first sight:
/// what is expected to be a schema is not looked into.
std::optional<KeywordProblem> misused_keyword(const Keywords& keywords);

/// Two of its bounds that nothing satisfies together: "minimum is greater than maximum". Empty
/// where there are none.
std::string contradiction(const Keywords& keywords);

/// Whether there are values that a keyword excludes, as it stands beside the others.
bool may_exclude(const Keywords& keywords, std::string_view keyword, const Json& rule);

}  // namespace pleiad::constrain
