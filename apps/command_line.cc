#include "apps/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/common/output.h"
#include "apps/common/usage_error.h"
#include "apps/common/version.h"
#include "apps/parts.h"
#include "apps/usage/describe.h"
#include "apps/usage/words.h"
#include "backend/cpu/isa.h"

namespace pleiad::apps {

namespace {

/// "...\nsee `pleiad help run`"
UsageError usage_error(const std::string& problem, const CommandText* command) {
  const std::string which = command && !command->hidden ? " " + command->name : "";
  return UsageError("{}\nsee `pleiad help{}`", problem, which);
}

/// The words for CLI11, which takes the last one first.
std::vector<std::string> for_cli11(const SortedWords& sorted) {
  std::vector<std::string> words = sorted.program_options;
  if (sorted.command) words.push_back(sorted.command->name);
  words.insert(words.end(), sorted.options.begin(), sorted.options.end());
  if (!sorted.positionals.empty()) words.push_back("--");
  words.insert(words.end(), sorted.positionals.begin(), sorted.positionals.end());
  return {words.rbegin(), words.rend()};
}

/// "--format: expected once, found 2 times"; else in CLI11's own words.
std::string in_plain_words(const CLI::ParseError& error) {
  constexpr std::string_view kTooOften = ": At Most 1 required but received ";
  const std::string text = error.what();
  const std::size_t at = text.find(kTooOften);
  if (at == std::string::npos) return text;
  return fmt::format("{}: expected once, found {} times", text.substr(0, at),
                     text.substr(at + kTooOften.size()));
}

/// Checks the words and gives them to the flags; true where that was all, as for --help.
bool parse_words(CLI::App& app, std::span<const std::string> words) {
  ProgramText program = describe_program(app);
  program.left_out = left_out();
  const SortedWords sorted = sort_words(program, words);
  if (!sorted.problem.empty()) throw usage_error(sorted.problem, sorted.command);
  if (!sorted.asks_for_help()) {
    const std::string problem = count_problem(sorted);
    if (!problem.empty()) throw usage_error(problem, sorted.command);
  }
  if (sorted.command) {
    expect_positionals(*app.get_subcommand(sorted.command->name), sorted.positionals.size());
  }
  try {
    app.parse(for_cli11(sorted));
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return true;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return true;
  } catch (const CLI::ParseError& error) {
    const std::string command = sorted.command ? sorted.command->name + ": " : "";
    throw usage_error(command + in_plain_words(error), sorted.command);
  }
  return false;
}

}  // namespace

int run_command_line(std::span<const std::string> arguments) {
  const Environment environment = read_environment();
  CLI::App app(about_program());
  app.name("pleiad");
  app.require_subcommand(0, 1);
  app.set_version_flag(
      "--version,-v,-V", [&] { return version_text(environment.isa); },
      "Print the version, the commit and the instruction set in use");
  // Each command registers its flags now and leaves behind what to do.
  std::function<int()> chosen;
  add_commands(app, environment, chosen);
  take_one_word_each(app);
  const std::size_t n_names = std::min<std::size_t>(arguments.size(), 1);  // the program's own
  if (parse_words(app, arguments.subspan(n_names))) return 0;
  if (!chosen) {
    print(app.help());
    return 0;
  }
  // What is asked for must be there, also where a command computes nothing with it.
  if (!environment.isa.empty()) cpu::pick_isa(environment.isa);
  return chosen();
}

}  // namespace pleiad::apps
