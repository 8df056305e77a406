#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "constrain/schema/context.h"
#include "constrain/texts/dfa.h"

namespace pleiad::constrain {

/// A set of texts: those of which all conditions say so, of a length.
struct TextLanguage {
  std::vector<DfaCondition> conditions;
  Counter length;  // characters
  /// Further texts that it has not, and the characters of the longest; null where there are none.
  const Dfa* denied = nullptr;
  std::uint32_t longest_denied = 0;

  /// The same texts in parts that take few states each: where there are bounds, those that are as
  /// long as what is denied, and the longer ones, which need not be compared with it.
  std::vector<TextLanguage> parts() const;
};

/// The automaton of the inside of a string, and the counter that its rule has to begin with: where
/// the length can be counted, it costs no states, or few, see counted_text(). Nothing where that is
/// too large.
std::optional<std::pair<Dfa, Counter>> text_dfa(SchemaContext& context,
                                                const TextLanguage& language);

/// The same with the length among its states, for what has no counter.
std::optional<Dfa> sized_text_dfa(SchemaContext& context, const TextLanguage& language);

/// A pattern as a repeated class of characters: "^[a-z]{2,50}$" is "^[a-z]*$" and a length, and so
/// it is where conditions stand before the class: "^(?=.*[0-9])[a-z0-9]{8,64}$". Nothing where the
/// pattern is no such one.
struct CountedPattern {
  std::string pattern;
  Counter length;
};
std::optional<CountedPattern> counted_pattern(std::string_view pattern);

}  // namespace pleiad::constrain
