#include "constrain/texts/pattern.h"

#include "constrain/texts/pattern_looks.h"
#include "constrain/texts/pattern_nfa.h"
#include "constrain/texts/pattern_threads.h"
#include "constrain/texts/pattern_tree.h"
#include "constrain/texts/shared_ends.h"

namespace pleiad::constrain {

Result<Dfa> found_pattern_dfa(Syntax syntax, std::string_view pattern, Counter length,
                              std::size_t& work) {
  const Result<PatternNode> tree = read_pattern(pattern);
  if (!tree) return Failure{tree.message()};
  PatternLooks looks(syntax, work);
  Result<Dfa> dfa = span_dfa(tree.value(), PatternSpan::anywhere, Before::nothing, length, looks);
  if (dfa) dfa = with_shared_ends(dfa.value());
  return dfa;
}

Result<Dfa> pattern_dfa(Syntax syntax, std::string_view pattern, Counter length,
                        std::size_t& work) {
  Result<Dfa> dfa = found_pattern_dfa(syntax, pattern, length, work);
  if (dfa && is_empty(dfa.value())) {
    const bool has_length = length.need > 0 || length.room != kUnbounded;
    return Failure{has_length ? "no string of the allowed length matches it"
                              : "no string matches it"};
  }
  return dfa;
}

Result<Dfa> whole_pattern_dfa(const PatternNode& pattern, std::size_t& work) {
  PatternLooks looks(Syntax::call, work);
  Result<Dfa> dfa = span_dfa(pattern, PatternSpan::whole, Before::nothing, {}, looks);
  if (dfa && is_empty(dfa.value())) return Failure{"no text matches it"};
  return dfa;
}

}  // namespace pleiad::constrain
