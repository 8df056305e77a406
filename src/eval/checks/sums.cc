// Arithmetic within a hundred, alone and carried on from turn to turn.

#include "eval/battery.h"
#include "eval/graders/graders.h"

namespace pleiad::eval {
namespace {

struct Step {
  std::string_view question;
  int result;
};

Case conversation(std::size_t number, const std::vector<Step>& steps) {
  Case item;
  item.id = fmt::format("{}", number);
  for (const Step& step : steps) {
    item.turns.push_back(ask(step.question, graders::ends_with_number(step.result, step.question)));
  }
  return item;
}

}  // namespace

Check small_sums_check() {
  constexpr Step kRows[] = {
      {"What is 12 + 35?", 47},
      {"What is 8 plus 7?", 15},
      {"What is 64 - 21?", 43},
      {"What is 90 minus 45?", 45},
      {"Add 27 and 36.", 63},
      {"Subtract 18 from 52.", 34},
      {"Calculate 19 + 64.", 83},
      {"How much is 71 - 36?", 35},
      {"What is the sum of 23 and 48?", 71},
      {"Compute 88 - 59.", 29},
      {"What is the difference between 66 and 14?", 52},
      {"What is 39 + 39?", 78},
  };
  Check check = {"sums", "adds and subtracts within a hundred", {}, {}};
  for (const Step& row : kRows) check.cases.push_back(conversation(check.cases.size() + 1, {row}));
  return check;
}

Check carried_sums_check() {
  Check check = {"carried-sums", "goes on from its own result, within a hundred", {}, {}};
  const std::vector<std::vector<Step>> rows = {
      {{"What is 12 + 35?", 47}, {"Now subtract 7 from that.", 40}, {"Now add 15 to that.", 55}},
      {{"What is 40 - 12?", 28}, {"Now add 9 to that.", 37}, {"Subtract 20 from that.", 17}},
      {{"What is 25 + 25?", 50}, {"Add 11 to that.", 61}, {"Now subtract 4 from that.", 57}},
      {{"What is 81 - 30?", 51}, {"Subtract 16 from that.", 35}, {"Now add 29 to that.", 64}},
      {{"What is 16 + 8?", 24}, {"Now add 24 to that.", 48}, {"Now add 13 to that.", 61}},
      {{"What is 99 - 10?", 89}, {"Now subtract 10 from that.", 79}, {"Add 6 to that.", 85}},
      {{"What is 33 + 44?", 77}, {"Now subtract 22 from that.", 55}, {"Add 30 to that.", 85}},
      {{"What is 60 - 25?", 35}, {"Add 18 to that.", 53}, {"Now subtract 28 from that.", 25}},
  };
  for (const auto& row : rows) check.cases.push_back(conversation(check.cases.size() + 1, row));
  return check;
}

}  // namespace pleiad::eval
