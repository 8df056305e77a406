#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "constrain/grammars/grammar_tree.h"
#include "constrain/texts/pattern_tree.h"

namespace pleiad::constrain::grammars {

/// As other servers read regular expressions.
inline constexpr PatternOptions kGrammarPattern = {.dialect = PatternDialect::grammars,
                                                   .most_times = 100'000};
/// As llguidance reads those of Lark.
inline constexpr PatternOptions kLarkPattern = {.dialect = PatternDialect::rust,
                                                .most_times = 100'000};

/// The texts that a regular expression matches whole; '^' at its begin and '$' at its end say what
/// is so anyway. A Failure's place goes to `problem_at`, in bytes.
Result<Expression> read_regex(std::string_view pattern, const PatternOptions& options,
                              std::size_t& problem_at);

/// Such a grammar. A Failure names line and column, or says that it takes more than `work`, from
/// which what it took is subtracted (see pattern_dfa()).
Result<GrammarTree> read_regex_grammar(std::string_view pattern, std::size_t& work);

}  // namespace pleiad::constrain::grammars
