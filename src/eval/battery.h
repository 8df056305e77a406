#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/pictures/scene.h"
#include "eval/sandbox/sandbox.h"
#include "eval/sounds/played_sound.h"
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
  std::int64_t max_tokens = 256;  // of one reply
  // What parts {"type": "image", "media": N} of the turns show, or {"type": "audio", ...} play: a
  // case has pictures or sounds, not both.
  std::vector<Scene> pictures = {};
  std::vector<PlayedSound> sounds = {};
  // Beside them: a short reply that is right, and what cases have in common whose right replies are
  // of one kind, so that a guesser gives one to all of them.
  std::string answer = {};
  std::string kind = {};
};

/// Cases that ask for the same ability.
struct Check {
  std::string name;
  std::string what;     // for people
  std::string skipped;  // why it cannot run here; empty when it can
  std::vector<Case> cases;

  bool has_pictures() const;
  bool has_sounds() const;

  /// Of a check with pictures or sounds: how many cases somebody has right who sees and hears
  /// nothing, and gives one answer to all that are of a kind, that which is right most often.
  std::optional<std::int64_t> right_by_guessing() const;
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
Check words_in_sounds_check();
Check several_words_check();
Check tones_check();
Check two_sounds_check();
Check count_to_fifty_check();
Check long_answer_check();
Check arithmetic_check();
Check carried_results_check();
Check json_schema_check();
Check language_check();
Check tool_choice_check();
Check code_check(const std::optional<Sandbox>& sandbox);

}  // namespace pleiad::eval
