#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "constrain/characters.h"

namespace pleiad::constrain {

/// A regular expression, read.
struct PatternNode {
  enum class Kind : std::uint8_t { characters, sequence, choice, repeat, begin, end };
  Kind kind = Kind::sequence;
  std::vector<CodeRange> characters = {};  // sorted, apart
  std::vector<PatternNode> children = {};  // sequence, choice; repeat: one
  std::uint32_t least = 0;                 // repeat
  std::uint32_t most = 0;                  // repeat; kUnbounded
};

Result<PatternNode> read_pattern(std::string_view pattern);

}  // namespace pleiad::constrain
