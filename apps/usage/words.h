#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/usage/program_text.h"

namespace pleiad::apps {

/// The words of a command line, told apart by what the flags say. CLI11 does so by itself, and
/// wrongly for a program whose words are prompts: an option of several values takes the prompt
/// as one more, "++" ends the command, and a prompt in brackets is a list, which loses them. It is
/// given these words instead, options first, and checks and converts their values.
struct SortedWords {
  std::vector<std::string> program_options;  // before the command
  const CommandText* command = nullptr;      // null: none was given
  std::string command_word;                  // its name or alias, as typed
  std::vector<std::string> options;          // "--ctx", "100", "--think=high": a value by itself
  std::vector<std::string> positionals;
  bool only_positionals = false;            // "--" came
  const OptionText* wants_value = nullptr;  // the last word was its name
  std::string problem;  // the first word that fits nowhere, and what was expected; "": none

  bool asks_for_help() const;
};

/// Never throws for what was typed; words after a problem are told apart all the same, so that a
/// line can be completed in the middle.
SortedWords sort_words(const ProgramText& program, std::span<const std::string> words);

/// "there is no command 'runn'; did you mean 'run'?"
std::string unknown_command(const ProgramText& program, const std::string& word);

/// What is missing or too much; "": nothing.
std::string count_problem(const SortedWords& sorted);

}  // namespace pleiad::apps
