#include <unistd.h>

#include "apps/bench/server_bench.h"
#include "apps/commands.h"
#include "apps/logits/prompt_file.h"
#include "apps/media/converter.h"
#include "apps/media/helper.h"
#include "apps/parts.h"
#include "apps/verify/verify_store.h"

namespace pleiad::apps {

std::string about_program() {
  return "Pleiad runs Google's Gemma 4 models on this machine.\n\n"
         "  pleiad run gemma4:e2b                  fetch Gemma 4 E2B once, and chat with it\n"
         "  pleiad run demo                        chat with the demo model that comes along\n"
         "  pleiad run ~/models/gemma-4-E2B-it     chat with a model of yours\n"
         "  pleiad run model.gguf \"Why is the sky blue?\"\n"
         "  pleiad fit                             which model fits this machine, and how fast it "
         "will be\n"
         "  pleiad serve                           answer Ollama's and OpenAI's clients\n";
}

void add_commands(CLI::App& app, const Environment& environment, std::function<int()>& chosen) {
  static constexpr ServerBench kServers = {add_server_flags, run_server_bench};
  add_run_command(app, environment, chosen);
  add_pull_commands(app, environment, chosen);
  add_models_commands(app, environment, chosen);
  add_serve_command(app, environment, chosen);
  add_client_commands(app, environment, chosen);
  add_render_command(app, environment, chosen);
  add_logits_command(app, environment, chosen, read_prompt_file);
  add_embed_media_command(app, environment, chosen);
  add_verify_command(app, environment, chosen, verify_store);
  add_bench_command(app, environment, chosen, &kServers);
  add_eval_command(app, environment, chosen);
  add_fit_command(app, environment, chosen);
  add_tokenize_command(app, environment, chosen);
  add_quantize_command(app, environment, chosen);
  add_convert_command(app, environment, chosen);
  add_synth_command(app, chosen);
  add_usage_commands(app, environment, chosen);
  add_script_commands(app, environment, chosen);
}

LeftOut left_out() { return {}; }

void become_child(int argc, const char* const* argv) {
  if (const auto status = run_as_media_helper(argc, argv)) ::_exit(*status);
  if (const auto status = run_as_document_converter(argc, argv)) ::_exit(*status);
}

}  // namespace pleiad::apps
