// Counting without a slip: small ranges, and 1 to 50.

#include "eval/battery.h"
#include "eval/graders/graders.h"

namespace pleiad::eval {
namespace {

struct Row {
  std::string_view question;
  int first;
  int last;
  int step = 1;
};

Check counting(std::string_view name, std::string_view what, std::span<const Row> rows) {
  Check check = {std::string(name), std::string(what), {}, {}};
  for (const Row& row : rows) {
    Case item;
    item.id = fmt::format("{}", check.cases.size() + 1);
    item.max_tokens = 400;
    item.turns.push_back(ask(row.question, graders::counts(row.first, row.last, row.step)));
    check.cases.push_back(std::move(item));
  }
  return check;
}

}  // namespace

Check count_to_ten_check() {
  constexpr Row kRows[] = {
      {"Count from 1 to 10.", 1, 10},
      {"Count from 5 to 12.", 5, 12},
      {"Count up from 17 to 24.", 17, 24},
      {"List the numbers from 30 to 41.", 30, 41},
      {"Write the numbers from 8 to 19.", 8, 19},
      {"Count from 48 to 57.", 48, 57},
      {"Count from 95 to 104.", 95, 104},
      {"Count down from 10 to 1.", 10, 1, -1},
      {"Count backwards from 23 to 15.", 23, 15, -1},
      {"Give me the numbers from 62 to 71.", 62, 71},
  };
  return counting("count-10", "counts ten numbers or so, up and down", kRows);
}

Check count_to_fifty_check() {
  constexpr Row kRows[] = {
      {"Count from 1 to 50.", 1, 50},
      {"Write the numbers from 1 to 50 in order, separated by commas. Write nothing else.", 1, 50},
      {"List all whole numbers from 1 to 50, one on each line.", 1, 50},
      {"Count down from 50 to 1. Only the numbers, please.", 50, 1, -1},
      {"Count from 51 to 100.", 51, 100},
      {"List the even numbers from 2 to 100, separated by commas. Write nothing else.", 2, 100, 2},
  };
  return counting("count-50", "counts fifty numbers without a slip", kRows);
}

}  // namespace pleiad::eval
