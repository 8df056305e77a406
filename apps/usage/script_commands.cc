// pleiad completion; for scripts complete and man.

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <span>
#include <system_error>

#include "apps/commands.h"
#include "apps/common/catalog.h"
#include "apps/common/output.h"
#include "apps/common/server_address.h"
#include "apps/common/usage_error.h"
#include "apps/common/version.h"
#include "apps/serve/settings.h"
#include "apps/usage/completion.h"
#include "apps/usage/completion_scripts.h"
#include "apps/usage/describe.h"
#include "apps/usage/man_page.h"
#include "apps/usage/words.h"
#include "base/error.h"
#include "base/json.h"
#include "base/output_file.h"

namespace pleiad::apps {
namespace {

namespace fs = std::filesystem;

/// "demo" of "demo:latest": what people type.
std::vector<std::string> names_at_hand(const Environment& environment) {
  constexpr std::string_view kLatest = ":latest";
  std::vector<std::string> names;
  for (const store::ModelEntry& entry : store::Catalog(catalog_options(environment)).list()) {
    if (!entry.problem.empty()) continue;
    names.push_back(entry.name);
    if (entry.name.ends_with(kLatest)) {
      names.back().erase(entry.name.size() - kLatest.size());
    }
  }
  return names;
}

std::vector<std::string> names_loaded(const Environment& environment) {
  const auto server = find_server(environment);
  if (!server) return {};
  const client::HttpAnswer answer = server->request("GET", "/api/ps");
  if (answer.status != 200) return {};
  std::vector<std::string> names;
  const Json parsed = parse_json(answer.body, server->address());
  for (const Json& model : parsed.value("models", Json::array())) {
    names.push_back(model.value("name", ""));
  }
  return names;
}

int complete(CLI::App& app, const std::vector<std::string>& words, const Environment& environment) {
  const NameSources names = {[&] { return names_at_hand(environment); },
                             [&] { return names_loaded(environment); }};
  print(to_lines(complete_words(describe_program(app), words, names)));
  return 0;
}

int print_completion(const std::string& shell) {
  std::string known;
  for (const CompletionScript& script : completion_scripts()) {
    if (script.shell == shell) {
      print(script.text);
      return 0;
    }
    known += (known.empty() ? "" : ", ") + std::string(script.shell);
  }
  throw UsageError("completion: expected one of {}, found '{}'", known, shell);
}

std::vector<NamedText> setting_texts() {
  std::vector<NamedText> texts;
  for (const SettingDefinition& setting : setting_definitions()) {
    if (setting.variable.empty()) continue;
    const std::string variable(setting.variable);
    texts.push_back({"PLEIAD_" + variable + (setting.ollama ? ", OLLAMA_" + variable : ""),
                     fmt::format("As `--{}`.", setting.name)});
  }
  return texts;
}

void write_text(const fs::path& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) throw Error("{}: cannot be made: {}", path.parent_path().string(), error.message());
  OutputFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.finish();
}

int man(CLI::App& app, const std::string& command, const std::string& folder) {
  const ProgramText program = describe_program(app);
  const auto pages = man_pages(program, {program_version(), commit_date()}, setting_texts());
  if (!folder.empty()) {
    for (const ManPage& page : pages)
      write_text(fs::path(folder) / "man/man1" / page.file, page.text);
    for (const CompletionScript& script : completion_scripts()) {
      write_text(fs::path(folder) / script.place, script.text);
    }
    return 0;
  }
  const std::string file = app.get_name() + (command.empty() ? "" : "-" + command) + ".1";
  for (const ManPage& page : pages) {
    if (page.file != file) continue;
    print(page.text);
    return 0;
  }
  throw UsageError("{}", unknown_command(program, command));
}

}  // namespace

void add_script_commands(CLI::App& app, const Environment& environment,
                         std::function<int()>& chosen) {
  struct Flags {
    std::string command, shell, folder;
    std::vector<std::string> words;
  };
  auto flags = std::make_shared<Flags>();
  CLI::App* completion =
      app.add_subcommand("completion", "Print what makes a shell complete commands and flags");
  completion->add_option("SHELL", flags->shell, "bash, zsh or fish")
      ->required()
      ->type_name("bash|zsh|fish");
  completion->footer(
      "An installed Pleiad has these where the shells look for them. Examples:\n"
      "  source <(pleiad completion bash)         in ~/.bashrc\n"
      "  source <(pleiad completion zsh)          in ~/.zshrc, after compinit\n"
      "  pleiad completion fish | source          in ~/.config/fish/config.fish");
  completion->callback(
      [flags, &chosen] { chosen = [flags] { return print_completion(flags->shell); }; });

  CLI::App* words = app.add_subcommand("complete", "Print what may stand at the end of a line");
  words->group("");
  words->add_option("WORDS", flags->words, "Those behind the program's name, after --");
  words->callback([&app, flags, &environment, &chosen] {
    chosen = [&app, flags, &environment] { return complete(app, flags->words, environment); };
  });

  CLI::App* pages = app.add_subcommand("man", "Print a manual page in roff");
  pages->group("");
  pages->add_option("COMMAND", flags->command, "Which one (default: of the program)");
  pages
      ->add_option("--out", flags->folder,
                   "Write all pages and the shells' completions below this folder instead")
      ->type_name("FOLDER");
  pages->callback([&app, flags, &chosen] {
    chosen = [&app, flags] { return man(app, flags->command, flags->folder); };
  });
}

}  // namespace pleiad::apps
