#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/anthropic/citations/passage_index.h"

namespace pleiad::api::anthropic {

/// Finds, in a text that comes in pieces, what stands word for word in the texts of an index: four
/// words or more in a row, with the same signs between them, whatever blanks part them, in upper or
/// lower case. Nothing else is claimed of it: what a model says in words of its own has no passage.
class PassageFinder {
 public:
  explicit PassageFinder(std::shared_ptr<const PassageIndex> index) : index_(std::move(index)) {}

  /// A stretch of the text; all together are the text.
  struct Stretch {
    std::string text;
    std::optional<Passage> passage;  // the first place where all of it stands
  };

  static constexpr std::size_t kLeastWords = 4;
  static constexpr std::size_t kMostTokens = 100;  // of a passage: a longer one becomes several

  /// What is decided with this piece. A few words are kept back, of a passage all of it until it
  /// ends.
  std::vector<Stretch> push(std::string_view text);
  /// What is left.
  std::vector<Stretch> finish();

 private:
  struct Match {
    std::size_t n_tokens = 0;  // 0: none
    bool may_go_on = false;    // with what comes next
    Passage passage;
  };
  Match match(const std::vector<PassageToken>& tokens, std::size_t first) const;
  std::vector<Stretch> settle(bool is_whole);

  std::shared_ptr<const PassageIndex> index_;
  std::string text_;  // kept back
};

}  // namespace pleiad::api::anthropic
