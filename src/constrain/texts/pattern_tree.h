#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "constrain/texts/characters.h"

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
  std::size_t at = 0;                      // what reads nothing: where it stands, in bytes
  bool is_negated = false;                 // boundary, ahead
  bool asks_begin = false;                 // ahead: whether there is a '^' in it
  bool asks_word = false;                  // ahead: whether there is a boundary in it

  /// Whether it is a condition: what reads nothing, and no sequence of nothing.
  bool is_condition() const { return kind >= Kind::begin; }
};

/// 0-9, A-Z, _, a-z: what \w is, and \b asks for.
std::vector<CodeRange> word_characters();

/// What regular expressions mean where dialects differ. The default is that of JSON Schema.
struct PatternOptions {
  bool ignores_case = false;         // of the letters of ASCII; as (?i) does
  bool dot_is_anything = false;      // as (?s) does
  bool dot_ends_lines = true;        // '.' is no character that ends a line; false: but '\n'
  std::uint32_t most_times = 1'000;  // in {}: what such a loop costs is its square
};

/// A Failure's place in the pattern, in bytes, goes to `problem_at`, if there is one.
Result<PatternNode> read_pattern(std::string_view pattern, const PatternOptions& options = {},
                                 std::size_t* problem_at = nullptr);

}  // namespace pleiad::constrain
