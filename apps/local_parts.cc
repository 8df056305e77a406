#include "apps/commands.h"
#include "apps/logits/prompt_file.h"
#include "apps/parts.h"

namespace pleiad::apps {

std::string about_program() {
  return "Pleiad measures Google's Gemma 4 models on this machine, and makes files of them. This\n"
         "build does not chat, serve or fetch.\n\n"
         "  pleiad fit                             which model fits this machine, and how fast it "
         "will be\n"
         "  pleiad bench model.gguf                how fast is one?\n"
         "  pleiad quantize gemma-4-E2B-it small.gguf --type q4_0\n";
}

void add_commands(CLI::App& app, const Environment& environment, std::function<int()>& chosen) {
  add_render_command(app, environment, chosen);
  add_logits_command(app, environment, chosen, {});
  add_verify_command(app, environment, chosen, {});
  add_bench_command(app, environment, chosen, nullptr);
  add_fit_command(app, environment, chosen);
  add_tokenize_command(app, environment, chosen);
  add_quantize_command(app, environment, chosen);
  add_convert_command(app, environment, chosen);
  add_synth_command(app, chosen);
  add_usage_commands(app, environment, chosen);
}

LeftOut left_out() {
  return {"the program for Windows",
          {"run", "pull", "push", "list", "ls", "show", "create", "cp", "rm", "prune", "serve",
           "start", "ps", "stop", "health", "eval", "embed-media", "completion"}};
}

void become_child(int, const char* const*) {}

}  // namespace pleiad::apps
