#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/pictures/scene.h"
#include "eval/sandbox/sandbox.h"
#include "eval/verdict.h"

namespace pleiad::eval {

/// What is asked in one go, and how the reply is judged.
struct Turn {
  Json messages = Json::array();  // what is added to the conversation
  Grader grade;
};

/// A conversation. It is right when every reply is; the first wrong one ends it.
struct Case {
  std::string id;  // within its check
  std::string system = {};
  Json tools = Json::array();
  std::vector<Turn> turns;
  std::int64_t max_tokens = 256;     // of one reply
  std::vector<Scene> pictures = {};  // what parts {"type": "image", "media": N} of the turns show
};

/// Cases that ask for the same ability.
struct Check {
  std::string name;
  std::string what;     // for people
  std::string skipped;  // why it cannot run here; empty when it can
  std::vector<Case> cases;

  bool has_pictures() const;
};

struct BatteryOptions {
  /// What runs code; without it the check of code is skipped.
  std::optional<Sandbox> sandbox;
};

/// Every check, in the order of the table. The same at every call.
std::vector<Check> make_battery(const BatteryOptions& options);

/// Those that are named; throws Error that lists the names where there is no such check.
std::vector<Check> choose_checks(std::vector<Check> checks, const std::vector<std::string>& names);

/// A user's turn.
Turn ask(std::string_view text, Grader grade);

// One a check, in checks/: small ones first, which toys can pass, then those of real models.
Check count_to_ten_check();
Check small_sums_check();
Check carried_sums_check();
Check calendar_check();
Check reversing_check();
Check spelling_check();
Check upper_case_check();
Check small_json_check();
Check simple_tools_check();
Check shapes_in_pictures_check();
Check text_in_pictures_check();
Check two_pictures_check();
Check count_to_fifty_check();
Check long_answer_check();
Check arithmetic_check();
Check carried_results_check();
Check json_schema_check();
Check language_check();
Check tool_choice_check();
Check code_check(const std::optional<Sandbox>& sandbox);

}  // namespace pleiad::eval
