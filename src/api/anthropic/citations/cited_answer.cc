#include "api/anthropic/citations/cited_answer.h"

#include <utility>

namespace pleiad::api::anthropic {

CitedAnswer::CitedAnswer(CitedSources sources) : sources_(std::move(sources)) {}

void CitedAnswer::begin() {
  if (!sources_.any()) return;
  index_ = std::make_shared<const PassageIndex>(sources_.take_texts());
  finder_.emplace(index_);
}

void CitedAnswer::take(const serving::DocumentText& document) { sources_.take(document); }

std::vector<CitedAnswer::Stretch> CitedAnswer::cited(
    std::vector<PassageFinder::Stretch> stretches) const {
  std::vector<Stretch> all;
  for (PassageFinder::Stretch& stretch : stretches) {
    all.push_back({std::move(stretch.text), std::nullopt});
    if (stretch.passage) all.back().citation = sources_.citation(*stretch.passage, *index_);
  }
  return all;
}

std::vector<CitedAnswer::Stretch> CitedAnswer::push(std::string_view text) {
  if (!finder_) return {{std::string(text), std::nullopt}};
  return cited(finder_->push(text));
}

std::vector<CitedAnswer::Stretch> CitedAnswer::finish() {
  return finder_ ? cited(finder_->finish()) : std::vector<Stretch>();
}

}  // namespace pleiad::api::anthropic
