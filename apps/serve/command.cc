// pleiad serve: answers over HTTP, as Ollama, OpenAI and Anthropic do.

#include <CLI/CLI.hpp>

#include "apps/commands.h"
#include "apps/common/catalog.h"
#include "apps/common/output.h"
#include "apps/media/converter.h"
#include "apps/media/helper.h"
#include "apps/serve/program.h"

namespace pleiad::apps {
namespace {

struct ServeFlags {
  std::map<std::string, std::string, std::less<>> settings;  // those that were given
  std::vector<std::string> models;
  bool print_config = false;
};

/// Where models are looked for, as rows of --print-config.
std::string describe_places(const store::CatalogOptions& places) {
  std::string table;
  const auto row = [&](std::string_view name, const std::filesystem::path& path) {
    table += fmt::format("{:<28} {}\n", name, path.empty() ? "-" : path.string());
  };
  row("models", places.own);
  for (const auto& path : places.ollama) row("ollama's models", path);
  for (const auto& path : places.hugging_face) row("hugging face", path);
  for (const auto& path : places.folders) row("model folder", path);
  row("demo model", places.demo);
  return table;
}

int serve(const ServeFlags& flags, const Environment& environment) {
  const auto settings = resolve_settings(flags.settings, environment.variables);
  if (flags.print_config) {
    print(describe_settings(settings) + describe_places(catalog_options(environment)));
  }
  const ServeConfig config = make_config(settings);
  if (flags.print_config) return 0;
  const StopSignals signals;  // before any thread
  return ServeProgram(config, environment, {own_media_helper(), own_document_converter()})
      .run(flags.models, signals);
}

}  // namespace

void add_serve_command(CLI::App& app, const Environment& environment,
                       std::function<int()>& chosen) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* command =
      app.add_subcommand("serve", "Answer over HTTP: Ollama's, OpenAI's and Anthropic's API");
  command->alias("start");
  command->add_option("MODEL", flags->models, "Models to load now; others are when asked for");
  for (const SettingDefinition& setting : setting_definitions()) {
    const std::string name(setting.name);
    const std::string flag =
        "--" + name + (setting.synonyms.empty() ? "" : "," + std::string(setting.synonyms));
    std::string about(setting.about);
    if (!setting.default_value.empty() && !setting.type_name.empty()) {
      about += fmt::format(" [{}]", setting.default_value);
    }
    if (setting.type_name.empty()) {
      command->add_flag_callback(
          flag, [flags, name] { flags->settings[name] = "on"; }, about);
    } else if (setting.type_name == "LIST") {
      command
          ->add_option_function<std::vector<std::string>>(
              flag,
              [flags, name](const std::vector<std::string>& texts) {
                flags->settings[name] = fmt::format("{}", fmt::join(texts, ","));
              },
              about + "; may be given several times")
          ->type_name("LIST");
    } else {
      command
          ->add_option_function<std::string>(
              flag, [flags, name](const std::string& text) { flags->settings[name] = text; }, about)
          ->type_name(std::string(setting.type_name));
    }
  }
  command->add_flag("--print-config", flags->print_config,
                    "Show every setting, its value and where it came from, and leave");
  command->footer(
      "Each setting can also be given as PLEIAD_<NAME>; Ollama's variables (OLLAMA_HOST, ...) are\n"
      "honoured. Examples:\n"
      "  pleiad serve\n"
      "  pleiad serve demo --keep-alive -1\n"
      "  pleiad serve --port 8080\n"
      "  pleiad serve --host 0.0.0.0 --api-key-file keys.txt\n"
      "  pleiad serve --host unix:/run/user/1000/pleiad.sock\n"
      "  pleiad serve --trusted-proxy 127.0.0.1 --allowed-hosts ai.example.com --api-key-file "
      "keys.txt");
  command->callback([flags, &environment, &chosen] {
    chosen = [flags, &environment] { return serve(*flags, environment); };
  });
}

}  // namespace pleiad::apps
