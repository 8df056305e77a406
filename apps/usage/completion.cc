#include "apps/usage/completion.h"

#include <algorithm>

#include "apps/usage/words.h"

namespace pleiad::apps {

namespace {

using Kind = ValueText::Kind;

class Completer {
 public:
  Completer(const ProgramText& program, const NameSources& names)
      : program_(program), names_(names) {}

  Completion complete(const SortedWords& before, const std::string& current) {
    if (before.wants_value) {
      add_values(before.wants_value->value, "", current);
    } else if (!before.only_positionals && current.starts_with("-")) {
      add_options(before.command ? before.command->options : program_.options, current);
    } else if (!before.command) {
      if (before.command_word.empty()) add_commands(current);
    } else {
      add_positional(*before.command, before.positionals.size(), current);
    }
    return std::move(completion_);
  }

 private:
  void add(const std::string& word, const std::string& start, const std::string& about) {
    // What ends a line or begins a description would be read as something else.
    if (word.find_first_of("\t\r\n") != word.npos || !word.starts_with(start)) return;
    completion_.candidates.push_back({word, about});
  }

  void add_commands(const std::string& current) {
    for (const CommandText& command : program_.commands) {
      if (!command.hidden) add(command.name, current, command.about);
    }
  }

  /// One name of each option: the usual one, else a synonym that begins like this.
  void add_options(const std::vector<OptionText>& options, const std::string& current) {
    const std::size_t equals = current.find('=');
    if (equals != current.npos) {
      if (const OptionText* option = find_option(options, current.substr(0, equals))) {
        add_values(option->value, current.substr(0, equals + 1), current.substr(equals + 1));
      }
      return;
    }
    for (const OptionText& option : options) {
      const auto fits = [&](const std::string& name) { return name.starts_with(current); };
      const auto found = std::ranges::find_if(option.names, fits);
      if (found != option.names.end()) add(*found, current, option.about);
    }
  }

  void add_positional(const CommandText& command, std::size_t place, const std::string& current) {
    for (const PositionalText& positional : command.positionals) {
      if (place < positional.most) {
        add_values(positional.value, "", current);
        return;
      }
      place -= positional.most;
    }
  }

  /// `before`: what of the word stands before the value, "--chat=".
  void add_values(const ValueText& value, std::string before, std::string current) {
    if (value.is_list) {
      const std::size_t comma = current.rfind(',');
      const std::size_t start = comma == current.npos ? 0 : comma + 1;
      before += current.substr(0, start);
      current.erase(0, start);
    }
    const std::string whole = before + current;
    const auto add_all = [&](const std::vector<std::string>& words) {
      for (const std::string& word : words) add(before + word, whole, "");
    };
    switch (value.kind) {
      case Kind::choice:
        add_all(value.choices);
        break;
      case Kind::model:
        // A path is completed as one; names of models begin otherwise.
        if (current.find_first_of("./~") != 0) add_all(names_.models());
        completion_.paths = Completion::Paths::files;
        break;
      case Kind::loaded_model:
        add_all(names_.loaded_models());
        break;
      case Kind::file:
        add_all(value.choices);
        completion_.paths = Completion::Paths::files;
        break;
      case Kind::folder:
        completion_.paths = Completion::Paths::folders;
        break;
      case Kind::command:
        add_commands(current);
        break;
      case Kind::none:
      case Kind::text:
        break;
    }
  }

  const ProgramText& program_;
  const NameSources& names_;
  Completion completion_;
};

}  // namespace

Completion complete_words(const ProgramText& program, std::span<const std::string> words,
                          const NameSources& names) {
  const std::string current = words.empty() ? "" : words.back();
  if (!words.empty()) words = words.first(words.size() - 1);
  return Completer(program, names).complete(sort_words(program, words), current);
}

std::string to_lines(const Completion& completion) {
  std::string text = completion.paths == Completion::Paths::files     ? "files\n"
                     : completion.paths == Completion::Paths::folders ? "folders\n"
                                                                      : "none\n";
  for (const Candidate& candidate : completion.candidates) {
    text += candidate.word;
    if (!candidate.about.empty()) text += "\t" + candidate.about;
    text += "\n";
  }
  return text;
}

}  // namespace pleiad::apps
