// pleiad help and version.

#include <CLI/CLI.hpp>

#include <memory>

#include "apps/commands.h"
#include "apps/common/output.h"
#include "apps/common/usage_error.h"
#include "apps/common/version.h"
#include "apps/parts.h"
#include "apps/usage/describe.h"
#include "apps/usage/words.h"

namespace pleiad::apps {
namespace {

int print_help(CLI::App& app, const std::string& command) {
  if (command.empty()) {
    // app.help() would be that of `help`.
    print(app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
    return 0;
  }
  ProgramText program = describe_program(app);
  program.left_out = left_out();
  const CommandText* found = program.find(command);
  if (!found) throw UsageError("{}", unknown_command(program, command));
  print(app.get_subcommand(found->name)->help(app.get_name()));
  return 0;
}

}  // namespace

void add_usage_commands(CLI::App& app, const Environment& environment,
                        std::function<int()>& chosen) {
  const auto name = std::make_shared<std::string>();
  CLI::App* help = app.add_subcommand("help", "Print what a command takes");
  help->add_option("COMMAND", *name, "Which one (default: all of them, briefly)");
  help->footer("Example:\n  pleiad help bench");
  help->callback(
      [&app, name, &chosen] { chosen = [&app, name] { return print_help(app, *name); }; });

  CLI::App* version =
      app.add_subcommand("version", "Print the version, the commit and the instruction set in use");
  version->callback([&environment, &chosen] {
    chosen = [&environment] {
      print(version_text(environment.isa) + "\n");
      return 0;
    };
  });
}

}  // namespace pleiad::apps
