#pragma once

#include <string>
#include <vector>

#include "apps/common/cli_names.h"
#include "apps/usage/program_text.h"

namespace pleiad::apps {

/// What CLI11's tree of commands and flags says, as text.
///
/// What a value is follows from how the flag calls it (type_name or option_text; for positionals
/// the name, where there is none of these): FILE..., FOLDER, MODEL, LOADED (a model of the
/// server), COMMAND; "a|b|c" are choices, "FILE|a" is a file or a word, "[=a|b]" are choices of an
/// option that needs none, and what ends with ",..." is a list.
ProgramText describe_program(CLI::App& app);

/// No option takes more than one word at a time; one of several values is given several times.
/// Without this CLI11's options of several values take all words that follow.
void take_one_word_each(CLI::App& app);

/// Makes room for so many words in the command's positional of several words.
void expect_positionals(CLI::App& command, std::size_t n_words);

}  // namespace pleiad::apps
