#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace pleiad::apps {

// What the program's commands and flags are, as text: taken from CLI11's tree once (describe.h),
// read by what tells words apart, suggests, completes and writes manual pages, which know no CLI11.

/// What stands behind an option's name, or in the place of a positional.
struct ValueText {
  enum class Kind { none, text, choice, file, folder, model, loaded_model, command };

  Kind kind = Kind::none;            // none: a flag
  std::string name;                  // "N", "FILE", "f32|f16", "TYPE,..."
  std::vector<std::string> choices;  // of Kind::choice, and words that a file's name may be instead
  bool is_list = false;              // several, with commas between them
  bool is_optional = false;          // given as --think=VALUE alone; --think says something too
};

struct OptionText {
  std::vector<std::string> names;  // as typed, the usual one first: "--num-predict", "-n"
  ValueText value;
  bool required = false;
  std::string about;
  std::string group;  // the heading that it stands under; "Options" unless the flag has another
};

struct PositionalText {
  static constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

  std::string name;  // "MODEL"
  ValueText value;
  bool required = false;
  std::size_t most = 1;  // words that it takes
  std::string about;
};

struct CommandText {
  std::string name;
  std::vector<std::string> aliases;
  std::string about;
  std::string footer;  // prose, and examples moved to the right
  std::vector<OptionText> options;
  std::vector<PositionalText> positionals;
  bool hidden = false;  // for scripts, not for people
};

/// What other builds of the program can do, and this one cannot.
struct LeftOut {
  std::string build;                  // what this one is: "the program for Windows"
  std::vector<std::string> commands;  // names and aliases
};

struct ProgramText {
  std::string name;
  std::string about;  // as CommandText::footer
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
  LeftOut left_out;

  /// By its name or an alias; null where there is none.
  const CommandText* find(const std::string& command) const;
};

/// By a name of it; underscores count as dashes. Null where there is none.
const OptionText* find_option(const std::vector<OptionText>& options, const std::string& name);

/// The option's name that `name` spells, with dashes: what the flags know.
std::string known_name(const OptionText& option, const std::string& name);

}  // namespace pleiad::apps
