#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace pleiad::server_bench {

/// What the server's counts of a few prompts tell of its vocabulary and template.
struct Calibration {
  std::vector<std::string> words;  // each of them one token, behind a blank
  std::int64_t overhead = 0;       // tokens of the template, and of the tail
  bool counted = false;            // the server told counts; otherwise all is assumed
  bool exact = false;              // all of `words` were found to be one token
  std::int64_t step = 1;           // all counts are multiples of it: they are not of tokens
  std::string tail;                // what every prompt ends with
};

/// Asks with a few prompts that begin with letters of their own and end in `tail`; `count` gives
/// the server's own count of a prompt's tokens, or nothing where it tells none. Words that are not
/// one token in this vocabulary are sorted out by groups; where few are left, letters serve, which
/// are a token in nearly every vocabulary.
Calibration calibrate(const std::string& tail,
                      const std::function<std::optional<std::int64_t>(const std::string&)>& count);

/// Text that is to be counted again as a prompt, which begins with one of a few letters: none of
/// it is lost at its ends, and a cache has nothing of another.
std::string recount_prompt(const std::string& text, std::size_t nth);

/// Whose prompts these are: no two of them begin with the same letter.
enum class Beginnings : std::uint8_t {
  runs,    // 36 letters
  probes,  // 12 others
};

/// Prompts of random words, none of them the beginning of another. With n letters, each of the
/// first n prompts begins with one of its own: what a cache finds in common with any other is
/// the template. Each of the first n * n begins with a pair of its own, where one needs to be
/// told from such a letter, and so on: a later prompt has a letter or two in common.
class PromptMaker {
 public:
  /// Equal seeds give equal prompts.
  PromptMaker(Calibration calibration, Beginnings beginnings, std::uint64_t seed);

  /// A prompt of `n_tokens` with the template's, or as near as it gets.
  std::string next(std::int64_t n_tokens);

 private:
  Calibration calibration_;
  std::mt19937_64 random_;
  std::vector<std::string> letters_;  // in an order of the seed
  std::size_t n_made_ = 0;
};

}  // namespace pleiad::server_bench
