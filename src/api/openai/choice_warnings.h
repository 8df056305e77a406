#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "api/common/answer_warnings.h"

namespace pleiad::api {

/// What there is to tell about the choices of one answer beside their texts.
class ChoiceWarnings {
 public:
  /// `of_request`: what reading the request found.
  ChoiceWarnings(std::vector<std::string> of_request, bool thinking_wanted, std::size_t n_choices)
      : of_request_(std::move(of_request)),
        choices_(n_choices, Choice{{{}, thinking_wanted}, {}}) {}

  /// Remembers a call that cannot be used: it comes as content.
  void note(std::size_t index, const text::ReplyEvent& event) { choices_[index].noted.note(event); }

  /// A choice has ended. Whether all have.
  bool done(std::size_t index, const serving::AnswerResult& result);

  /// Of the request, of all choices alike, and then of each of several by its name
  /// ("choices[1]: ..."): what only some of them have to tell.
  std::vector<std::string> all() const;

 private:
  struct Choice {
    AnswerWarnings noted;
    std::vector<std::string> told;  // from its end on
  };

  std::vector<std::string> of_request_;
  std::vector<Choice> choices_;
  std::size_t n_done_ = 0;
};

}  // namespace pleiad::api
