#pragma once

#include <filesystem>
#include <functional>

#include "apps/common/cli_names.h"
#include "apps/common/environment.h"

namespace pleiad {
class Checkpoint;
}

namespace pleiad::apps {

struct PromptFileTokens;
struct ServerBench;

/// Each adds one subcommand; when it is the one that was called, `chosen` is set
/// to what runs it and returns the exit status.
void add_run_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen);
void add_render_command(CLI::App& app, const Environment& environment,
                        std::function<int()>& chosen);
/// `read_prompt`: as read_prompt_file() of logits/prompt_file.h; empty: there is no --input.
void add_logits_command(
    CLI::App& app, const Environment& environment, std::function<int()>& chosen,
    std::function<PromptFileTokens(const std::filesystem::path&, const Checkpoint&)> read_prompt);
void add_embed_media_command(CLI::App& app, const Environment& environment,
                             std::function<int()>& chosen);
/// `servers`: what --server does; null: there is no such flag.
void add_bench_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen,
                       const ServerBench* servers);
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
/// `check_store`: as verify_store() of verify/verify_store.h; empty: there is no --store.
void add_verify_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen,
                        std::function<int(const Environment&, bool json)> check_store);
void add_quantize_command(CLI::App& app, const Environment& environment,
                          std::function<int()>& chosen);
void add_convert_command(CLI::App& app, const Environment& environment,
                         std::function<int()>& chosen);
void add_synth_command(CLI::App& app, std::function<int()>& chosen);
/// help and version.
void add_usage_commands(CLI::App& app, const Environment& environment,
                        std::function<int()>& chosen);
/// completion, and for scripts complete and man: what the others are.
void add_script_commands(CLI::App& app, const Environment& environment,
                         std::function<int()>& chosen);

}  // namespace pleiad::apps
