#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "constrain/texts/characters.h"
#include "constrain/texts/pattern_options.h"

namespace pleiad::constrain {

/// A regular expression, read.
struct PatternNode {
  enum class Kind : std::uint8_t {
    characters,
    sequence,
    choice,
    repeat,
    begin,     // ^
    end,       // $
    boundary,  // \b, \B: of words of ASCII
    ahead,     // (?=..), (?!..)
  };
  Kind kind = Kind::sequence;
  std::vector<CodeRange> characters = {};  // sorted, apart
  std::vector<PatternNode> children = {};  // sequence, choice; repeat, ahead: one
  std::uint32_t least = 0;                 // repeat
  std::uint32_t most = 0;                  // repeat; kUnbounded
  std::size_t at = 0;       // characters, what reads nothing: where it stands, in bytes
  bool is_negated = false;  // boundary, ahead
  bool asks_begin = false;  // ahead: whether there is a '^' in it
  bool asks_word = false;   // ahead: whether there is a boundary in it

  /// Whether it is a condition: what reads nothing, and no sequence of nothing.
  bool is_condition() const { return kind >= Kind::begin; }
};

/// A Failure's place in the pattern, in bytes, goes to `problem_at`, if there is one.
Result<PatternNode> read_pattern(std::string_view pattern, const PatternOptions& options = {},
                                 std::size_t* problem_at = nullptr);

}  // namespace pleiad::constrain
