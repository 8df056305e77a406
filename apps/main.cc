#include <langinfo.h>

#include <CLI/CLI.hpp>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <string_view>

#include "apps/commands.h"
#include "apps/common/version.h"
#include "base/error.h"

namespace {

using namespace pleiad::apps;

/// Typing works in UTF-8 also where no language is set, as in a container.
void use_utf8() {
  std::setlocale(LC_CTYPE, "");
  if (std::string_view(::nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
}

int run_program(int argc, char** argv) {
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
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (!chosen) {
    std::fputs(app.help().c_str(), stdout);
    return 0;
  }
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  use_utf8();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error like any other
  try {
    return run_program(argc, argv);
  } catch (const pleiad::Error& error) {
    fmt::print(stderr, "pleiad: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fputs("pleiad: there is not enough memory\n", stderr);
  } catch (const std::exception& error) {
    fmt::print(stderr, "pleiad: {}\nThis is a mistake in Pleiad; please report it.\n",
               error.what());
  }
  return 1;
}
