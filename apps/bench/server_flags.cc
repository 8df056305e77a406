#include <CLI/CLI.hpp>
#include <map>

#include "apps/bench/server_bench.h"
#include "apps/common/choices.h"
#include "apps/common/number_range.h"

namespace pleiad::apps {

std::vector<CLI::Option*> add_server_flags(CLI::App& command, ServerFlags& flags) {
  constexpr const char* kGroup = "A server instead of a model";
  std::vector<CLI::Option*> added;
  const auto add = [&](const char* flag, auto& value, const char* type, const std::string& help) {
    CLI::Option* option = command.add_option(flag, value, help)->type_name(type)->group(kGroup);
    added.push_back(option);
    return option;
  };
  const auto list = [&](const char* flag, auto& values, const char* type, const std::string& help) {
    return add(flag, values, type, help)->delimiter(',')->expected(1, 64);
  };
  add("--server", flags.url, "URL",
      "Measure a server, ours or any with Ollama's or OpenAI's API: its address");
  add("--model", flags.models, "NAME", "A model of the server; may be given several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  const std::map<std::string, server_bench::Api> apis = {{"ollama", server_bench::Api::ollama},
                                                         {"openai", server_bench::Api::openai}};
  choose_among(add("--api", flags.api, "API", "ollama or openai (default: found out)"), apis);
  add("--api-key", flags.api_key, "KEY", "The server's key (default: PLEIAD_API_KEY)");
  list("--shapes", flags.shapes, "P:G,...",
       "Tokens of the prompts and generated ones (default: 26:256,104:512)");
  list("--parallel", flags.parallel, "N,...", "Then so many requests at the same time")
      ->check(CLI::Range(2, 256));
  add("--context", flags.context, "N", "Load models with this context (num_ctx; Ollama's API only)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
  add("--timeout", flags.patience_seconds, "SECONDS",
      "A server that sends nothing for so long has failed (default: 300)")
      ->check(number_between(0.1, 86400));
  added.push_back(command
                      .add_flag("--keep-loaded", flags.keep_loaded,
                                "Leave loaded what is loaded (by default all is unloaded "
                                "before and after each model, where the API can)")
                      ->group(kGroup));
  add("--chart", flags.chart, "FILE", "Write a chart of the models beside each other, as SVG");
  return added;
}

}  // namespace pleiad::apps
