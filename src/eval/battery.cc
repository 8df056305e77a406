#include "eval/battery.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace pleiad::eval {

bool Check::has_pictures() const {
  return std::any_of(cases.begin(), cases.end(),
                     [](const Case& item) { return !item.pictures.empty(); });
}

bool Check::has_sounds() const {
  return std::any_of(cases.begin(), cases.end(),
                     [](const Case& item) { return !item.sounds.empty(); });
}

std::optional<std::int64_t> Check::right_by_guessing() const {
  if (!has_pictures() && !has_sounds()) return std::nullopt;
  std::map<std::string, std::vector<const Case*>> kinds;
  for (const Case& item : cases) kinds[item.kind].push_back(&item);
  std::int64_t right = 0;
  for (const auto& [kind, alike] : kinds) {
    std::int64_t most = 0;
    for (const Case* item : alike) {
      ChatReply guess;
      guess.reply.content = item->answer;
      most = std::max(most, std::ranges::count_if(alike, [&](const Case* other) {
                        return other->turns.front().grade(guess).right;
                      }));
    }
    right += most;
  }
  return right;
}

std::vector<Check> make_battery(const BatteryOptions& options) {
  std::vector<Check> checks;
  for (const auto make : {&count_to_ten_check,       &small_sums_check,       &carried_sums_check,
                          &calendar_check,           &reversing_check,        &spelling_check,
                          &upper_case_check,         &small_json_check,       &simple_tools_check,
                          &shapes_in_pictures_check, &text_in_pictures_check, &two_pictures_check,
                          &words_in_sounds_check,    &several_words_check,    &tones_check,
                          &two_sounds_check,         &count_to_fifty_check,   &long_answer_check,
                          &arithmetic_check,         &carried_results_check,  &json_schema_check,
                          &language_check,           &tool_choice_check}) {
    checks.push_back(make());
  }
  checks.push_back(code_check(options.sandbox));
  return checks;
}

std::vector<Check> choose_checks(std::vector<Check> checks, const std::vector<std::string>& names) {
  if (names.empty()) return checks;
  std::vector<Check> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(checks.begin(), checks.end(),
                                    [&](const Check& check) { return check.name == name; });
    if (found == checks.end()) {
      std::string known;
      for (const Check& check : checks) known += (known.empty() ? "" : ", ") + check.name;
      throw Error("there is no check \"{}\"; there are {}", name, known);
    }
    const bool is_chosen = std::any_of(chosen.begin(), chosen.end(),
                                       [&](const Check& check) { return check.name == name; });
    if (!is_chosen) chosen.push_back(*found);
  }
  return chosen;
}

Turn ask(std::string_view text, Grader grade) {
  return {Json::array({{{"role", "user"}, {"content", text}}}), std::move(grade)};
}

}  // namespace pleiad::eval
