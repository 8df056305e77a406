#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pleiad::sampling {

/// Ends a stream of text before the first stop string, wherever the pieces of
/// the stream happen to be cut.
///
/// The stop string that is complete first wins, and of those that end at the
/// same byte the longest: with "ab" and "abc", "ab" ends the text; with "xabc" and
/// "bc", the text "xabc" ends before the "x". So a found stop never waits for more
/// text, and the result does not depend on the pieces.
///
/// Pieces of whole UTF-8 characters come out as whole characters. One matcher
/// serves one stream.
class StopMatcher {
 public:
  /// None: everything passes at once.
  StopMatcher() = default;

  /// Refuses stop strings that are empty or not UTF-8.
  static Result<StopMatcher> create(std::vector<std::string> stops);

  /// The text that is safe to show now. Kept back is the longest end that may be
  /// the begin of a stop string. After a stop, nothing comes out any more. Takes
  /// time linear in the text, for each stop string.
  std::string push(std::string_view text);

  /// What was kept back, at the end of the stream; nothing after a stop.
  std::string flush();

  bool stopped() const { return found_.has_value(); }
  /// The stop string that was found, if any.
  const std::string* found() const { return found_ ? &patterns_[*found_].text : nullptr; }

 private:
  /// Knuth, Morris and Pratt's search, one byte at a time.
  struct Pattern {
    std::string text;
    std::vector<std::size_t> borders;  // [n]: longest proper border of the first n + 1 bytes
    std::size_t matched = 0;           // bytes of the pattern that the stream ends with

    explicit Pattern(std::string pattern_text);
    std::size_t advance(std::size_t from, char byte) const;
  };

  /// What has been pushed and not come out: always the begin of a stop string, so
  /// it is read from there.
  std::string_view kept() const;

  std::vector<Pattern> patterns_;
  std::optional<std::size_t> found_;
};

}  // namespace pleiad::sampling
