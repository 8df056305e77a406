#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/anthropic/citations/cited_sources.h"
#include "api/anthropic/citations/passage_finder.h"

namespace pleiad::api::anthropic {

/// The text of an answer in the stretches that its blocks are made of: what stands word for word in
/// one of the request's sources, with its citation, and all else.
class CitedAnswer {
 public:
  explicit CitedAnswer(CitedSources sources);

  /// The text of a file; before begin().
  void take(const serving::DocumentText& document);
  /// All texts are there, and the prompt with them fits: so what no model is shown costs nothing.
  /// It takes its time, in proportion to the texts.
  void begin();

  struct Stretch {
    std::string text;
    std::optional<Json> citation;
  };
  /// As PassageFinder's; where nothing is cited the text as it comes.
  std::vector<Stretch> push(std::string_view text);
  std::vector<Stretch> finish();

 private:
  std::vector<Stretch> cited(std::vector<PassageFinder::Stretch> stretches) const;

  CitedSources sources_;
  std::shared_ptr<const PassageIndex> index_;
  std::optional<PassageFinder> finder_;
};

}  // namespace pleiad::api::anthropic
