// Days and months.

#include "eval/battery.h"
#include "eval/checks/days_and_months.h"
#include "eval/graders/graders.h"

namespace pleiad::eval {

Check calendar_check() {
  struct Named {
    std::string_view question;
    std::string_view answer;
    std::string asked;  // may be said again
  };
  const Named named[] = {
      {"What day comes after Monday?", "Tuesday", "Monday"},
      {"Which day comes before Sunday?", "Saturday", "Sunday"},
      {"What day comes after Wednesday?", "Thursday", "Wednesday"},
      {"What month comes after March?", "April", "March"},
      {"Which month comes before December?", "November", "December"},
      {"What is the fifth month of the year?", "May", ""},
      {"What is the eighth month of the year?", "August", ""},
      {"What month comes before September?", "August", "September"},
  };
  struct Counted {
    std::string_view question;
    int answer;
  };
  constexpr Counted kCounted[] = {
      {"How many days has June?", 30},
      {"How many days has October?", 31},
      {"How many days are in a week?", 7},
      {"How many months are in a year?", 12},
  };
  Check check = {"calendar", "days and months in order, and how long they are", {}, {}};
  const auto add = [&](std::string_view question, Grader grade) {
    Case item;
    item.id = fmt::format("{}", check.cases.size() + 1);
    item.turns.push_back(ask(question, std::move(grade)));
    check.cases.push_back(std::move(item));
  };
  for (const Named& row : named) {
    add(row.question, graders::names(row.answer, days_and_months(), {row.asked}));
  }
  for (const Counted& row : kCounted) add(row.question, graders::ends_with_number(row.answer));
  return check;
}

}  // namespace pleiad::eval
