#pragma once

#include <cstdint>

namespace pleiad::constrain {

/// Whose regular expressions they are, where dialects differ.
enum class PatternDialect : std::uint8_t {
  schemas,   // JSON Schema's: ECMAScript's with the flag u
  grammars,  // those of people who ask servers for them: what Python and most engines share
  rust,      // the crate regex, with which llguidance reads the terminals of Lark
};

/// What a regular expression means. The default is that of JSON Schema.
struct PatternOptions {
  PatternDialect dialect = PatternDialect::schemas;
  bool ignores_case = false;         // of the letters of ASCII; as (?i) does
  bool dot_is_anything = false;      // as (?s) does
  bool has_lines = false;            // '^' and '$' would be about lines, which is refused; (?m)
  bool skips_space = false;          // white space and comments mean nothing; (?x)
  std::uint32_t most_times = 1'000;  // in {}: what such a loop costs is its square
};

}  // namespace pleiad::constrain
