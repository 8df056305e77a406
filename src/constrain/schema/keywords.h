#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "constrain/schema/shape.h"

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
  /// None of what is no object. `counts_contained`: "minContains" and "maxContains" are keywords.
  Keywords(const Json& schema, bool counts_contained);

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

/// Whether the keyword decides on values in some version of the standard, and is not understood.
bool is_not_understood(std::string_view keyword);
inline constexpr std::string_view kNotUnderstood = "this keyword is not supported";

/// Null, where the schema says so beside what else it says, as OpenAPI's do.
TypeSet null_of(const Keywords& keywords);

/// The first keyword whose rule is of a kind that the standard does not allow, at first sight:
/// what is expected to be a schema is not looked into.
std::optional<KeywordProblem> misused_keyword(const Keywords& keywords);

/// Two of its bounds that nothing satisfies together: "minimum is greater than maximum". Empty
/// where there are none.
std::string contradiction(const Keywords& keywords);

/// How many items "contains" has to find.
struct ContainsBounds {
  std::uint32_t least = 1;
  std::uint32_t most = kUnlimited;
};
ContainsBounds bounds_of_contains(const Keywords& keywords);

/// Whether there are values that a keyword excludes, as it stands beside the others.
bool may_exclude(const Keywords& keywords, std::string_view keyword, const Json& rule);

}  // namespace pleiad::constrain
