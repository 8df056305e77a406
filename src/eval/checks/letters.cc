// Words letter by letter: reversed, spelled, in capitals.

#include "eval/battery.h"
#include "eval/checks/days_and_months.h"
#include "eval/graders/graders.h"

namespace pleiad::eval {
namespace {

constexpr std::string_view kWords[] = {"lemon",  "garden", "winter", "basket", "orange",
                                       "silver", "candle", "planet", "monkey", "pencil"};

Case single(std::size_t number, std::string_view question, Grader grade) {
  Case item;
  item.id = fmt::format("{}", number);
  item.turns.push_back(ask(question, std::move(grade)));
  return item;
}

}  // namespace

Check reversing_check() {
  Check check = {"reverse", "writes a word backwards", {}, {}};
  for (const std::string_view word : kWords) {
    check.cases.push_back(single(check.cases.size() + 1, fmt::format("Reverse the word {}.", word),
                                 graders::reverses(word)));
  }
  return check;
}

Check spelling_check() {
  Check check = {"spell", "spells a word letter by letter", {}, {}};
  for (const std::string_view word : kWords) {
    check.cases.push_back(single(check.cases.size() + 1, fmt::format("Spell the word {}.", word),
                                 graders::spells(word)));
  }
  return check;
}

Check upper_case_check() {
  struct Row {
    std::string_view question;
    Grader grade;
  };
  const Row rows[] = {
      {"What day comes after Monday?", graders::names("tuesday", days_and_months(), {"Monday"})},
      {"What month comes before May?", graders::names("april", days_and_months(), {"May"})},
      {"Spell the word house.", graders::spells("house")},
      {"How many days has July?", graders::ends_with_number(31)},
      {"What month comes after October?",
       graders::names("november", days_and_months(), {"October"})},
      {"What day comes before Friday?", graders::names("thursday", days_and_months(), {"Friday"})},
      {"Reverse the word stone.", graders::reverses("stone")},
      {"Reverse the word paper.", graders::reverses("paper")},
  };
  Check check = {"upper-case", "obeys a system turn that asks for capitals", {}, {}};
  for (const Row& row : rows) {
    Case item = single(check.cases.size() + 1, row.question, graders::in_capitals(row.grade));
    item.system = "Answer in upper case.";
    check.cases.push_back(std::move(item));
  }
  return check;
}

}  // namespace pleiad::eval
