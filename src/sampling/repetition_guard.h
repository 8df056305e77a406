#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pleiad::sampling {

/// That a text ends with the same again and again: its last `length` tokens have this period.
struct Repetition {
  std::int64_t period = 0;  // tokens; the shortest that they have
  std::int64_t length = 0;  // tokens, at least so many
};

/// Finds a text that goes on with the same for ever, as models do that have lost their thread.
///
/// Tokens are compared as they are, but for white space, which is all alike. A text whose last
/// tokens have a period of p <= kLongestPeriod is found when these are
///
///   kLeast + 4 p tokens,            where the period has a word, or is a single token;
///   kLeastWithoutWords + 4 p,     where it has none: what data looks like (0, 0, 0, 0, ...);
///   kLeastBlank,                    where they are white space and nothing else;
///
/// and none other is found: what differs in a single token within these bounds (a counter, the
/// next row of a table, another name) is no repetition, and a text of fewer tokens has none. It is
/// found by the next token whose number is a multiple of kEvery.
///
/// Work: the lengths of all periods that end a text of n tokens come from one pass of the
/// Z algorithm over the text read backwards, O(kLongestPeriod + what repeats), every kEvery
/// tokens: constant for a token, some 30 comparisons where nothing repeats and at most 600 where
/// all does. Memory: at most the last 2 * kWindow tokens, 64 KiB.
class RepetitionGuard {
 public:
  static constexpr std::int64_t kLongestPeriod = 1024;
  static constexpr std::int64_t kLeast = 1024;
  static constexpr std::int64_t kLeastWithoutWords = 4096;
  static constexpr std::int64_t kLeastBlank = 256;
  static constexpr std::int64_t kEvery = 32;
  static constexpr std::int64_t kWindow = kLeastWithoutWords + 4 * kLongestPeriod;

  enum class Kind : std::uint8_t {
    word,    // has two letters and more, or one that is not of ASCII, and is no value (true, null)
    others,  // digits, marks, single letters, values
    blank,   // white space alone
  };

  /// The next token, of a vocabulary below 2^30. False once a repetition is found; what comes then
  /// is not looked at.
  bool push(std::int32_t token, Kind kind);
  const std::optional<Repetition>& found() const { return found_; }

  /// Takes kLeastWithoutWords for all but white space from now on, or no more so: for text whose
  /// form is given, and may want what repeats itself.
  void set_patient(bool patient) { is_patient_ = patient; }

  /// As if nothing had come.
  void reset();

 private:
  void look();

  std::vector<std::int32_t> recent_;  // symbols: equal where tokens count as equal
  std::vector<std::int64_t> common_;  // [kLongestPeriod + 1], of look()
  std::int64_t n_ = 0;                // tokens since the beginning
  bool is_patient_ = false;
  std::optional<Repetition> found_;
};

}  // namespace pleiad::sampling
