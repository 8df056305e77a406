#include "api/openai/choice_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace pleiad::api {

bool ChoiceWarnings::done(std::size_t index, const serving::AnswerResult& result) {
  choices_[index].told = choices_[index].noted.all(result);
  return ++n_done_ == choices_.size();
}

std::vector<std::string> ChoiceWarnings::all() const {
  const auto tell = [](const Choice& choice, const std::string& warning) {
    return std::ranges::find(choice.told, warning) != choice.told.end();
  };
  const auto is_of_all = [&](const std::string& warning) {
    return std::ranges::all_of(choices_,
                               [&](const Choice& choice) { return tell(choice, warning); });
  };
  std::vector<std::string> all = of_request_;
  std::ranges::copy_if(choices_[0].told, std::back_inserter(all), is_of_all);
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    for (const std::string& warning : choices_[i].told) {
      if (!is_of_all(warning)) all.push_back(fmt::format("choices[{}]: {}", i, warning));
    }
  }
  return all;
}

}  // namespace pleiad::api
