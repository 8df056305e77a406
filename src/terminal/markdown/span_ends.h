#pragma once

#include <cstddef>
#include <string_view>

namespace pleiad::terminal {

/// Where a span ends.
struct SpanEnd {
  enum class Kind { found, none, undecided };  // undecided: what follows decides
  Kind kind = Kind::undecided;
  std::size_t at = 0;  // found: where the closing marks begin
};

/// How many of `mark` the text begins with.
std::size_t count_marks(std::string_view text, char mark);

/// True where marks after `before` and before `next` may begin a span, or end one. `next` 0: the
/// end of the line.
bool may_open(char mark, char before, char next);
bool may_close(char mark, char before, char next);

/// The end of the code that `text` goes on with behind `n` backticks: as many, no more.
SpanEnd find_code_end(std::string_view text, std::size_t n, bool is_complete);

/// The end of the emphasis that `text` goes on with behind `n` marks. Code within it is skipped.
SpanEnd find_span_end(std::string_view text, char mark, std::size_t n, bool is_complete);

}  // namespace pleiad::terminal
