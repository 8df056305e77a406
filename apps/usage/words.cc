#include "apps/usage/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "apps/usage/suggestion.h"
#include "base/text_format.h"

namespace pleiad::apps {

namespace {

/// Words of other programs for what is called otherwise here.
constexpr auto kOtherWords = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"chat", "run"},
    {"generate", "run"},
    {"remove", "rm"},
    {"delete", "rm"},
    {"copy", "cp"},
    {"unload", "stop"},
    {"models", "list"},
    {"info", "show"},
    {"inspect", "show"},
    {"server", "serve"},
    {"benchmark", "bench"},
    {"perplexity", "eval"},
    {"completions", "completion"},
});

bool looks_like_a_model(const std::string& word) {
  return word == "demo" || word.ends_with(".gguf") || word.find_first_of("/:") != word.npos;
}

class Sorter {
 public:
  explicit Sorter(const ProgramText& program) : program_(program) {}

  void take(const std::string& word) {
    if (sorted_.wants_value) {
      options().push_back(word);
      sorted_.wants_value = nullptr;
    } else if (!sorted_.only_positionals && word == "--") {
      sorted_.only_positionals = true;
    } else if (!sorted_.only_positionals && word.starts_with("--")) {
      take_long(word);
    } else if (!sorted_.only_positionals && is_short(word)) {
      take_short(word);
    } else if (!sorted_.command) {
      take_command(word);
    } else {
      sorted_.positionals.push_back(word);
    }
  }

  SortedWords finish() && { return std::move(sorted_); }

 private:
  const std::vector<OptionText>& known() const {
    return sorted_.command ? sorted_.command->options : program_.options;
  }
  std::vector<std::string>& options() {
    return sorted_.command ? sorted_.options : sorted_.program_options;
  }

  /// "-n", "-n5"; not "-", "-5" and "- a list", which are prompts.
  bool is_short(const std::string& word) const {
    if (word.size() < 2 || word[0] != '-') return false;
    return find_option(known(), word.substr(0, 2)) ||
           (static_cast<unsigned char>(word[1]) > ' ' && word.find_first_of("0123456789.") != 1);
  }

  void note(std::string problem) {
    if (sorted_.problem.empty()) sorted_.problem = std::move(problem);
  }

  void note_unknown(const std::string& name) {
    std::vector<std::string> names;
    for (const OptionText& option : known()) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
    std::string text =
        sorted_.command
            ? fmt::format("{} has no option '{}'", sorted_.command->name, printable(name))
            : fmt::format("there is no option '{}' before a command", printable(name));
    if (name.find(' ') != name.npos) {
      text += "; text that begins with a dash comes after --";
    } else {
      text += did_you_mean(name, names);
    }
    note(std::move(text));
  }

  void take_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const OptionText* option = find_option(known(), name);
    if (!option) return note_unknown(name);
    const bool has_value = equals != word.npos;
    const std::string spelled = known_name(*option, name);
    if (option->value.kind == ValueText::Kind::none || option->value.is_optional) {
      options().push_back(has_value ? spelled + word.substr(equals) : spelled);
      return;
    }
    options().push_back(spelled);
    if (has_value) {
      options().push_back(word.substr(equals + 1));
    } else {
      sorted_.wants_value = option;
    }
  }

  /// "-iv" is "-i -v"; "-n5" is "-n 5".
  void take_short(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string name = {'-', word[i]};
      const OptionText* option = find_option(known(), name);
      if (!option) return note_unknown(i == 1 ? word : name);
      options().push_back(name);
      if (option->value.kind == ValueText::Kind::none || option->value.is_optional) continue;
      if (i + 1 < word.size()) {
        options().push_back(word.substr(i + 1));
      } else {
        sorted_.wants_value = option;
      }
      return;
    }
  }

  void take_command(const std::string& word) {
    sorted_.command = program_.find(word);
    sorted_.command_word = word;
    if (!sorted_.command) note(unknown_command(program_, word));
  }

  const ProgramText& program_;
  SortedWords sorted_;
};

std::string positional_names(const CommandText& command) {
  std::string text;
  for (const PositionalText& positional : command.positionals) {
    text += (text.empty() ? "" : " ") + positional.name;
  }
  return text;
}

/// "bench, fit"
std::string command_names(const ProgramText& program) {
  std::string text;
  for (const CommandText& command : program.commands) {
    if (!command.hidden) text += (text.empty() ? "" : ", ") + command.name;
  }
  return text;
}

}  // namespace

std::string unknown_command(const ProgramText& program, const std::string& word) {
  const std::string shown = printable(word);
  const LeftOut& left_out = program.left_out;
  const auto is_left_out = [&](std::string_view name) {
    return std::ranges::find(left_out.commands, name) != left_out.commands.end();
  };
  if (is_left_out(word)) {
    return fmt::format("{} has no command '{}'; it has {}", left_out.build, shown,
                       command_names(program));
  }
  if (looks_like_a_model(word) && !is_left_out("run")) {
    return fmt::format("there is no command '{}'; to chat with a model: pleiad run {}", shown,
                       shown);
  }
  for (const auto& [other, ours] : kOtherWords) {
    if (word == other && !is_left_out(ours)) {
      return fmt::format("there is no command '{}'; did you mean '{}'?", shown, ours);
    }
  }
  std::vector<std::string> names;
  for (const CommandText& command : program.commands) {
    if (command.hidden) continue;
    names.push_back(command.name);
    names.insert(names.end(), command.aliases.begin(), command.aliases.end());
  }
  return fmt::format("there is no command '{}'{}", shown, did_you_mean(word, names));
}

bool SortedWords::asks_for_help() const {
  const auto is_help = [](const std::string& word) { return word == "-h" || word == "--help"; };
  return std::ranges::any_of(options, is_help) || std::ranges::any_of(program_options, is_help);
}

SortedWords sort_words(const ProgramText& program, std::span<const std::string> words) {
  Sorter sorter(program);
  for (const std::string& word : words) sorter.take(word);
  return std::move(sorter).finish();
}

std::string count_problem(const SortedWords& sorted) {
  if (const OptionText* option = sorted.wants_value) {
    return fmt::format("{}: expected {} after it, found nothing", option->names.front(),
                       option->value.name);
  }
  if (!sorted.command) return "";
  const CommandText& command = *sorted.command;
  std::size_t room = 0;
  for (const PositionalText& positional : command.positionals) {
    if (positional.required && sorted.positionals.size() <= room) {
      return fmt::format("{}: expected {}, found nothing: {}", command.name, positional.name,
                         positional.about);
    }
    room = positional.most == PositionalText::kAnyNumber ? positional.most : room + positional.most;
  }
  if (sorted.positionals.size() <= room) return "";
  const std::string expected = positional_names(command);
  return fmt::format("{} takes {}, and '{}' is too much", command.name,
                     expected.empty() ? "no arguments" : expected,
                     printable(sorted.positionals[room]));
}

}  // namespace pleiad::apps
