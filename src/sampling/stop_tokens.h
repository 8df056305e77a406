#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace pleiad::sampling {

/// The tokens that end a reply. Without a list from the checkpoint these are
/// Gemma 4's <eos>, <turn|> and <|tool_response> (the model hands over to
/// whoever runs the tool).
class StopTokens {
 public:
  StopTokens() : StopTokens({1, 106, 50}) {}
  explicit StopTokens(std::vector<std::int32_t> tokens) : tokens_(std::move(tokens)) {}

  bool contains(std::int32_t token) const {
    return std::find(tokens_.begin(), tokens_.end(), token) != tokens_.end();
  }
  const std::vector<std::int32_t>& tokens() const { return tokens_; }

 private:
  std::vector<std::int32_t> tokens_;  // a handful: searched faster than hashed
};

}  // namespace pleiad::sampling
