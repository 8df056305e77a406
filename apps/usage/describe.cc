#include "apps/usage/describe.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

namespace pleiad::apps {

namespace {

/// Options of the command and of the groups in it, which CLI11 keeps as commands without a name.
std::vector<CLI::Option*> all_options(CLI::App& command) {
  std::vector<CLI::Option*> options = command.get_options();
  for (CLI::App* group : command.get_subcommands({})) {
    if (!group->get_name().empty()) continue;
    const std::vector<CLI::Option*> more = all_options(*group);
    options.insert(options.end(), more.begin(), more.end());
  }
  return options;
}

/// Without what CLI11 adds of the validators: "N" of "N:INT in [1 - 1024]".
std::string value_name(CLI::Option& option) {
  if (!option.get_option_text().empty()) return option.get_option_text();
  std::string name = option.get_type_name();
  std::string added;
  try {
    for (int i = 0;; ++i) {
      const std::string about = option.get_validator(i)->get_description();
      if (!about.empty()) added += ":" + about;
    }
  } catch (const CLI::OptionNotFound&) {  // the end of them
  }
  if (name.ends_with(added)) name.erase(name.size() - added.size());
  return name;
}

std::vector<std::string> split_choices(const std::string& text) {
  std::vector<std::string> choices;
  std::istringstream stream(text);
  for (std::string choice; std::getline(stream, choice, '|');) choices.push_back(choice);
  return choices;
}

ValueText::Kind kind_named(const std::string& name) {
  using Kind = ValueText::Kind;
  if (name.find('|') != name.npos) return Kind::choice;
  if (name.starts_with("FILE") || name == "OUT") return Kind::file;
  if (name == "FOLDER") return Kind::folder;
  if (name == "MODEL" || name == "SOURCE" || name == "IN") return Kind::model;
  if (name == "LOADED") return Kind::loaded_model;
  if (name == "COMMAND") return Kind::command;
  return Kind::text;
}

ValueText value_named(std::string name) {
  ValueText value;
  value.name = name;
  if (name.starts_with("[=") && name.ends_with("]")) {
    value.is_optional = true;
    name = name.substr(2, name.size() - 3);
  }
  constexpr std::string_view kList = ",...";
  if (name.ends_with(kList)) {
    value.is_list = true;
    name.erase(name.size() - kList.size());
  }
  // "FILE|json": a file, or a word that says something else.
  constexpr std::string_view kFileOr = "FILE|";
  const bool file_or_word = name.starts_with(kFileOr);
  value.kind = file_or_word ? ValueText::Kind::file : kind_named(name);
  if (file_or_word) name.erase(0, kFileOr.size());
  if (file_or_word || value.kind == ValueText::Kind::choice) value.choices = split_choices(name);
  return value;
}

OptionText describe_option(CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  const bool is_flag = option.get_items_expected_max() == 0;
  if (!is_flag || option.get_option_text().starts_with("[=")) {
    text.value = value_named(value_name(option));
  }
  text.required = option.get_required();
  text.about = option.get_description();
  text.group = option.get_group();
  return text;
}

PositionalText describe_positional(CLI::Option& option) {
  PositionalText text;
  text.name = option.get_name(true);
  const std::string name = value_name(option);
  // CLI11's own names of types say nothing here.
  const bool says_nothing = name.empty() || name == "TEXT";
  text.value = value_named(says_nothing ? text.name : name);
  text.required = option.get_required();
  const int most = option.get_items_expected_max();
  text.most = most >= CLI::detail::expected_max_vector_size ? PositionalText::kAnyNumber
                                                            : static_cast<std::size_t>(most);
  text.about = option.get_description();
  return text;
}

CommandText describe_command(CLI::App& command) {
  CommandText text;
  text.name = command.get_name();
  text.aliases = command.get_aliases();
  text.about = command.get_description();
  text.footer = command.get_footer();
  text.hidden = command.get_group().empty();
  for (CLI::Option* option : all_options(command)) {
    if (option->get_positional()) {
      text.positionals.push_back(describe_positional(*option));
    } else {
      text.options.push_back(describe_option(*option));
    }
  }
  return text;
}

}  // namespace

ProgramText describe_program(CLI::App& app) {
  ProgramText program;
  program.name = app.get_name();
  program.about = app.get_description();
  for (CLI::Option* option : all_options(app)) program.options.push_back(describe_option(*option));
  for (CLI::App* command : app.get_subcommands({})) {
    program.commands.push_back(describe_command(*command));
  }
  return program;
}

void take_one_word_each(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : all_options(*command)) {
      if (option->get_positional()) continue;
      // Only where there is no limit CLI11 heeds the next line; expected(1, 64) is one.
      if (option->get_items_expected_max() > 1) option->expected(1, -1);
      option->allow_extra_args(false);
    }
  }
}

void expect_positionals(CLI::App& command, std::size_t n_words) {
  std::size_t before = 0;
  for (CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    if (option->get_items_expected_max() > 1 && n_words > before) {
      option->expected(static_cast<int>(n_words - before));
    }
    // A value in brackets would be a list, of which CLI11 takes the brackets away.
    option->allow_extra_args(false);
    ++before;
  }
}

}  // namespace pleiad::apps
