// Arithmetic of several digits: with carries within a number, and with results that are
// carried from one step to the next.

#include "eval/battery.h"
#include "eval/graders/graders.h"

namespace pleiad::eval {

Check arithmetic_check() {
  struct Row {
    std::string_view question;
    double result;
  };
  constexpr Row kRows[] = {
      {"What is 487 + 658?", 1145},         {"What is 9,876 + 5,467?", 15343},
      {"What is 1,003 - 478?", 525},        {"What is 70,000 - 12,345?", 57655},
      {"What is 37 * 48?", 1776},           {"What is 125 * 84?", 10500},
      {"What is 1,764 divided by 42?", 42}, {"What is 999 + 999 + 999?", 2997},
      {"What is 15 % of 640?", 96},         {"What is 2 to the power of 13?", 8192},
      {"What is 3.75 + 4.8?", 8.55},        {"What is (17 + 28) * 6 - 35?", 235},
  };
  Check check = {"arithmetic", "calculates with several digits and carries", {}, {}};
  for (const Row& row : kRows) {
    Case item;
    item.id = fmt::format("{}", check.cases.size() + 1);
    item.max_tokens = 400;
    item.turns.push_back(ask(fmt::format("{} End your answer with the number.", row.question),
                             graders::ends_with_number(row.result, row.question)));
    check.cases.push_back(std::move(item));
  }
  return check;
}

Check carried_results_check() {
  struct Step {
    std::string_view question;
    double result;
  };
  const std::vector<std::vector<Step>> rows = {
      {{"Let x be 17 * 23. What is x? End with the number.", 391},
       {"Now double x. What is x now? End with the number.", 782},
       {"Take 95 away from x. What is x now? End with the number.", 687},
       {"Divide x by 3. What is x now? End with the number.", 229}},
      {{"A shop has 144 apples and sells 57. How many are left? End with the number.", 87},
       {"It then gets 5 boxes of 24 apples. How many has it now? End with the number.", 207},
       {"A third of them is sold. How many are left? End with the number.", 138}},
      {{"I have 250 euros and spend 86.50. What is left? End with the number.", 163.5},
       {"I earn 4 times 35 euros. What have I now? End with the number.", 303.5},
       {"I give half of it away. What is left? End with the number.", 151.75}},
      {{"What is 19 squared? End with the number.", 361},
       {"Add 64 to that. End with the number.", 425},
       {"Divide that by 5. End with the number.", 85},
       {"Multiply that by 12. End with the number.", 1020}},
      {{"A train leaves with 318 passengers. At the first stop 97 get off and 45 get on. How many "
        "are aboard? End with the number.",
        266},
       {"At the second stop half of them get off. How many are aboard? End with the number.", 133},
       {"At the third stop 68 get on. How many are aboard? End with the number.", 201}},
      {{"Start with 1,000 and subtract 7 nine times. What is left? End with the number.", 937},
       {"Add 63 to that. End with the number.", 1000},
       {"Take an eighth of that. End with the number.", 125}},
  };
  Check check = {
      "carried-results", "carries results from step to step over a conversation", {}, {}};
  for (const auto& row : rows) {
    Case item;
    item.id = fmt::format("{}", check.cases.size() + 1);
    item.max_tokens = 400;
    for (const Step& step : row) {
      item.turns.push_back(
          ask(step.question, graders::ends_with_number(step.result, step.question)));
    }
    check.cases.push_back(std::move(item));
  }
  return check;
}

}  // namespace pleiad::eval
