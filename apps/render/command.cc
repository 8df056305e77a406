// pleiad render: what the chat template makes of a conversation.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "apps/commands.h"
#include "apps/common/model_location.h"
#include "apps/common/output.h"
#include "base/ascii.h"
#include "base/error.h"
#include "base/json.h"
#include "engine/loaded_model.h"
#include "text/chat_input.h"
#include "text/chat_template.h"

namespace pleiad::apps {
namespace {

struct RenderFlags {
  std::string model;
  std::string input = "-";
};

std::string read_input(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream file(std::filesystem::path(path), std::ios::binary);
  if (!file) throw Error("{}: cannot open: {}", path, errno_text(errno));
  text << file.rdbuf();
  if (file.bad()) throw Error("{}: cannot read: {}", path, errno_text(errno));
  return text.str();
}

text::TemplateFamily family_of(const std::string& model, const Environment& environment) {
  const std::string lower = ascii_lower(model);
  if (lower == "e2b" || lower == "e4b") return text::TemplateFamily::e_series;
  if (lower == "12b" || lower == "26b" || lower == "26b-a4b" || lower == "31b")
    return text::TemplateFamily::large;
  std::error_code error;
  if (model != "demo" && !std::filesystem::exists(model, error)) {
    throw Error("{}: no such file or folder, and no family name (e2b, e4b, 12b, 26b, 31b)", model);
  }
  return template_family(Checkpoint::open(find_model(model, environment)).config());
}

int render(const RenderFlags& flags, const Environment& environment) {
  const text::TemplateFamily family = family_of(flags.model, environment);
  const std::string name = flags.input == "-" ? "standard input" : flags.input;
  const Json input = parse_json(read_input(flags.input), name);
  const Result<text::ChatInput> chat = text::parse_chat_input(input);
  if (!chat) throw Error("{}: {}", name, chat.message());
  TextOutput out(stdout);
  out.write(text::render_chat(family, chat.value()).str());
  out.finish();
  return 0;
}

}  // namespace

void add_render_command(CLI::App& app, const Environment& environment,
                        std::function<int()>& chosen) {
  auto flags = std::make_shared<RenderFlags>();
  CLI::App* command = app.add_subcommand(
      "render", "Print the prompt that a conversation becomes, exactly and with nothing added");
  command
      ->add_option("MODEL", flags->model,
                   "A model, or a family name: e2b, e4b, 12b, 26b, 31b (no weights needed)")
      ->required();
  command
      ->add_option("--input", flags->input,
                   "A JSON file, or - for standard input: {\"messages\": [...], \"tools\": [...], "
                   "\"enable_thinking\": false, \"add_generation_prompt\": true, "
                   "\"preserve_thinking\": false, \"continue_final_message\": false}")
      ->type_name("FILE");
  command->footer(
      "Example:\n"
      "  echo '{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}],"
      "\"add_generation_prompt\":true}' | pleiad render e2b --input -");
  command->callback([flags, &environment, &chosen] {
    chosen = [flags, &environment] { return render(*flags, environment); };
  });
}

}  // namespace pleiad::apps
