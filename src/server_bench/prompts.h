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
  std::string tail;                // what every prompt ends with
};

/// Asks with a few prompts that end in `tail`; `count` gives the server's own count of a
/// prompt's tokens, or nothing where it tells none. Words that are not one token in this
/// vocabulary are sorted out by groups; where few are left, letters serve, which are a
/// token in nearly every vocabulary.
Calibration calibrate(const std::string& tail,
                      const std::function<std::optional<std::int64_t>(const std::string&)>& count);

/// Prompts of random words. Each of the first 52 begins with a letter of its own, each of
/// the first 2,704 with a pair of its own: none is the beginning of another, and what a cache
/// could find in common is the template.
class PromptMaker {
 public:
  /// Equal seeds give equal prompts.
  PromptMaker(Calibration calibration, std::uint64_t seed);

  /// A prompt of `n_tokens` with the template's, or as near as it gets.
  std::string next(std::int64_t n_tokens);

 private:
  Calibration calibration_;
  std::mt19937_64 random_;
  std::vector<std::string> letters_;  // in an order of the seed
  std::size_t n_made_ = 0;
};

}  // namespace pleiad::server_bench
