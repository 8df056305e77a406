#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "constrain/texts/dfa.h"

namespace pleiad::constrain {

/// Words that end free text, as tags do: which texts have none of them, and which come to one. Of
/// whole characters, as calls spell them.
class Markers {
 public:
  /// Bytes that all words together may have: each may be a state with a way for each other one.
  static constexpr std::size_t kMostBytes = 2048;

  /// `words` and `excluded`: none is empty, and they have at most kMostBytes together.
  Markers(const std::vector<std::string>& words, const std::vector<std::string>& excluded);

  /// The texts in which none of all these words stands.
  Dfa text_without() const;

  /// The texts that end with this word and no sooner with any word, and in which no excluded one
  /// stands.
  Dfa text_up_to(std::size_t word) const;

 private:
  struct Node {
    std::vector<std::pair<unsigned char, std::uint32_t>> children;
    std::uint32_t back = 0;                    // of the longest end of it that begins a word
    std::array<std::uint32_t, 256> next = {};  // by the byte that is read
    std::vector<std::size_t> words;            // that end here
    bool is_excluded = false;
  };

  void add(const std::string& word, std::optional<std::size_t> number);
  void link();
  std::uint32_t child(std::uint32_t node, unsigned char byte) const;
  bool is_free(std::uint32_t node) const {
    return nodes_[node].words.empty() && !nodes_[node].is_excluded;
  }
  /// Up to nodes that are not free, of which `accepts` says whether the text may end there.
  template <typename Accepts>
  Dfa texts(Accepts accepts) const;

  std::vector<Node> nodes_ = std::vector<Node>(1);
};

}  // namespace pleiad::constrain
