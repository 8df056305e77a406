#include "apps/command_line.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <sstream>

#include "apps/commands.h"
#include "apps/common/output.h"
#include "apps/common/version.h"
#include "backend/cpu/isa.h"
#include "base/error.h"

namespace pleiad::apps {

int run_command_line(int argc, char** argv) {
  const Environment environment = read_environment();
  CLI::App app(
      "Pleiad runs Google's Gemma 4 models on this machine.\n\n"
      "  pleiad run demo                        chat with the demo model that comes along\n"
      "  pleiad run ~/models/gemma-4-E2B-it     chat with a model of yours\n"
      "  pleiad run model.gguf \"Why is the sky blue?\"\n"
      "  pleiad fit                             which model fits this machine, and how fast it "
      "will be\n"
      "  pleiad serve                           answer Ollama's and OpenAI's clients\n");
  app.name("pleiad");
  app.require_subcommand(0, 1);
  app.set_version_flag(
      "--version", [&] { return version_text(environment.isa); },
      "Print the version, the commit and the instruction set in use");
  // Each command registers its flags now and leaves behind what to do.
  std::function<int()> chosen;
  add_run_command(app, environment, chosen);
  add_models_commands(app, environment, chosen);
  add_serve_command(app, environment, chosen);
  add_client_commands(app, environment, chosen);
  add_render_command(app, environment, chosen);
  add_logits_command(app, environment, chosen);
  add_verify_command(app, environment, chosen);
  add_bench_command(app, environment, chosen);
  add_eval_command(app, environment, chosen);
  add_fit_command(app, environment, chosen);
  add_tokenize_command(app, environment, chosen);
  add_quantize_command(app, environment, chosen);
  add_convert_command(app, environment, chosen);
  add_synth_command(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    constexpr int kUsage = 2;
    std::ostringstream out, err;
    const int status = app.exit(error, out, err);
    print(out.str());
    try {
      print_note(err.str());
    } catch (const Error&) {  // nobody reads it; the status says it
    }
    return status == 0 ? 0 : kUsage;
  }
  if (!chosen) {
    print(app.help());
    return 0;
  }
  // What is asked for must be there, also where a command computes nothing with it.
  if (!environment.isa.empty()) cpu::pick_isa(environment.isa);
  return chosen();
}

}  // namespace pleiad::apps
