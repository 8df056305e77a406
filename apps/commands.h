#pragma once

#include <functional>

#include "apps/common/cli_names.h"
#include "apps/common/environment.h"

namespace pleiad::apps {

/// Each adds one subcommand; when it is the one that was called, `chosen` is set
/// to what runs it and returns the exit status.
void add_run_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen);
void add_render_command(CLI::App& app, const Environment& environment,
                        std::function<int()>& chosen);
void add_logits_command(CLI::App& app, const Environment& environment,
                        std::function<int()>& chosen);
void add_embed_media_command(CLI::App& app, const Environment& environment,
                             std::function<int()>& chosen);
void add_bench_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen);
void add_eval_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen);
void add_fit_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen);
void add_tokenize_command(CLI::App& app, const Environment& environment,
                          std::function<int()>& chosen);
/// list, show, create, cp, rm and prune: the models at hand.
void add_models_commands(CLI::App& app, const Environment& environment,
                         std::function<int()>& chosen);
/// pull and push: models from and to other machines.
void add_pull_commands(CLI::App& app, const Environment& environment, std::function<int()>& chosen);
void add_serve_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen);
/// ps, stop and health, of a running server.
void add_client_commands(CLI::App& app, const Environment& environment,
                         std::function<int()>& chosen);
void add_verify_command(CLI::App& app, const Environment& environment,
                        std::function<int()>& chosen);
void add_quantize_command(CLI::App& app, const Environment& environment,
                          std::function<int()>& chosen);
void add_convert_command(CLI::App& app, const Environment& environment,
                         std::function<int()>& chosen);
void add_synth_command(CLI::App& app, std::function<int()>& chosen);
/// help, version, completion, and for scripts complete and man: what the others are.
void add_usage_commands(CLI::App& app, const Environment& environment,
                        std::function<int()>& chosen);

}  // namespace pleiad::apps
