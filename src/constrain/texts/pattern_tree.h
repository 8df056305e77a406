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
  enum class Kind : std::uint8_t { characters, sequence, choice, repeat, begin, end };
  Kind kind = Kind::sequence;
  std::vector<CodeRange> characters = {};  // sorted, apart
  std::vector<PatternNode> children = {};  // sequence, choice; repeat: one
  std::uint32_t least = 0;                 // repeat
  std::uint32_t most = 0;                  // repeat; kUnbounded
  std::size_t at = 0;                      // begin, end: where it stands, in bytes
};

/// What regular expressions mean where dialects differ. The default is that of JSON Schema.
struct PatternOptions {
  bool ignores_case = false;        // of the letters of ASCII; as (?i) does
  bool dot_is_anything = false;     // as (?s) does
  bool dot_ends_lines = true;       // '.' is no character that ends a line; false: but '\n'
  std::uint32_t most_times = 1000;  // in {}
};

/// A Failure's place in the pattern, in bytes, goes to `problem_at`, if there is one.
Result<PatternNode> read_pattern(std::string_view pattern, const PatternOptions& options = {},
                                 std::size_t* problem_at = nullptr);

}  // namespace pleiad::constrain
