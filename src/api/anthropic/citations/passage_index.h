#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/anthropic/citations/passage_tokens.h"

namespace pleiad::api::anthropic {

/// Where some words stand: bytes of one of the texts of a PassageIndex.
struct Passage {
  std::size_t text = 0;
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const Passage&) const = default;
};

/// Texts in which words are looked up. Memory and time to build it: in proportion to the texts.
class PassageIndex {
 public:
  explicit PassageIndex(std::vector<std::string> texts);
  PassageIndex(const PassageIndex&) = delete;
  PassageIndex& operator=(const PassageIndex&) = delete;

  /// Tokens in a row that a place is known by.
  static constexpr std::size_t kSeed = 4;

  /// The first places, as tokens by number, where these kSeed tokens stand, without regard to upper
  /// and lower case of ASCII; some of very many.
  std::vector<std::uint32_t> find(std::string_view said, const PassageToken* tokens) const;
  /// Whether the token of that number is there, in the same text as the one before it, and is this.
  bool continues(std::uint32_t number, std::string_view word) const;
  /// From one token to another, which belong to one text.
  Passage passage(std::uint32_t first, std::uint32_t last) const;

  const std::vector<std::string>& texts() const { return texts_; }

 private:
  struct Token {
    std::uint32_t text = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  std::string_view word(const Token& token) const;

  std::vector<std::string> texts_;
  std::vector<Token> tokens_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> seeds_;  // hash and first token, ascending
};

}  // namespace pleiad::api::anthropic
