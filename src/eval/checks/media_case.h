#pragma once

#include <string_view>

#include "eval/battery.h"

namespace pleiad::eval {

/// Adds a case to the check: so many parts of this type ("image", "audio"), and behind them the
/// question. What they show or play is for the caller to add.
inline Case& add_media_case(Check& check, std::string_view type, std::size_t n_media,
                            std::string_view question, std::string_view answer, Grader grade) {
  Json content = Json::array();
  for (std::size_t i = 0; i < n_media; ++i) content.push_back({{"type", type}, {"media", i}});
  content.push_back({{"type", "text"}, {"text", question}});
  Case item;
  item.id = fmt::format("{}", check.cases.size() + 1);
  item.answer = answer;
  item.kind = question;
  item.turns.push_back(
      {Json::array({{{"role", "user"}, {"content", std::move(content)}}}), std::move(grade)});
  check.cases.push_back(std::move(item));
  return check.cases.back();
}

}  // namespace pleiad::eval
