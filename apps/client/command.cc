// pleiad ps, pleiad stop: what a running server holds; pleiad health: whether it answers.

#include <CLI/CLI.hpp>
#include <ctime>

#include "apps/commands.h"
#include "apps/common/output.h"
#include "apps/common/server_address.h"
#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

Json ask(client::HttpClient& server, const std::string& method, const std::string& path,
         const Environment& environment, const Json& body = nullptr) {
  const client::HttpAnswer answer = server.request(method, path, body);
  if (answer.status != 200) throw Error("{}", refusal_text(server, answer, environment));
  return parse_json(answer.body, server.address());
}

/// "in 4.2 min", "never", of a model in /api/ps.
std::string until_text(const Json& model) {
  std::tm time = {};
  const std::string text = model.value("expires_at", "");
  if (!strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &time)) return "-";
  const double left = std::difftime(timegm(&time), std::time(nullptr));
  constexpr double kYear = 365 * 86400.0;
  if (left > 10 * kYear) return "never";
  return left <= 0 ? "when it is idle" : "in " + format_seconds(left);
}

std::string state_text(const Json& model) {
  const std::string state = model.value("state", "ready");
  const auto total = model.value("total_bytes", std::uint64_t{0});
  if (state != "loading" || total == 0) return printable(state);
  const auto done = model.value("loaded_bytes", std::uint64_t{0});
  return fmt::format("loading {} %", done * 100 / total);
}

int ps(bool json, const Environment& environment) {
  const auto server = make_client(environment);
  const Json answer = ask(*server, "GET", "/api/ps", environment);
  if (json) {
    print(to_text(answer, 2) + "\n");
    return 0;
  }
  const Json models = answer.value("models", Json::array());
  std::string table = fmt::format("{:<28} {:<14} {:>10} {:>9}  {:<14} {}\n", "NAME", "ID", "SIZE",
                                  "CONTEXT", "STATE", "UNLOADS");
  for (const Json& model : models) {
    table += fmt::format(
        "{:<28} {:<14} {:>10} {:>9}  {:<14} {}\n", printable(model.value("name", "")),
        printable(model.value("digest", "").substr(0, 12)),
        format_bytes(model.value("size", std::uint64_t{0})),
        model.value("context_length", std::int64_t{0}), state_text(model), until_text(model));
  }
  print(table);
  return 0;
}

int stop(const std::string& model, const Environment& environment) {
  const auto server = make_client(environment);
  ask(*server, "POST", "/api/generate", environment,
      {{"model", model}, {"prompt", ""}, {"keep_alive", 0}, {"stream", false}});
  return 0;
}

/// For health checks of containers and the like: /health needs no key.
int health(const Environment& environment) {
  const auto server = make_client(environment);
  const client::HttpAnswer answer = server->request("GET", "/health");
  if (answer.status != 200 && answer.status != 503) {
    throw Error("{}", refusal_text(*server, answer, environment));
  }
  const Json body = parse_json(answer.body, server->address());
  const auto status = body.find("status");
  if (status == body.end() || !status->is_string()) {
    throw Error("{}: expected an answer with \"status\", found none: is it a server of Pleiad's?",
                server->address());
  }
  const std::string text = printable(status->get<std::string>());
  if (answer.status != 200) throw Error("the server at {} is {}", server->address(), text);
  print(text + "\n");
  return 0;
}

}  // namespace

void add_client_commands(CLI::App& app, const Environment& environment,
                         std::function<int()>& chosen) {
  CLI::App* list = app.add_subcommand("ps", "Models that the running server holds in memory");
  auto json = std::make_shared<bool>(false);
  list->add_flag("--json", *json, "Print the server's answer, as JSON");
  list->footer("Example:\n  pleiad ps");
  list->callback([json, &environment, &chosen] {
    chosen = [json, &environment] { return ps(*json, environment); };
  });

  auto model = std::make_shared<std::string>();
  CLI::App* unload = app.add_subcommand("stop", "Unload a model of the running server");
  unload->add_option("MODEL", *model, "As `pleiad ps` names it")->required()->type_name("LOADED");
  unload->footer("Example:\n  pleiad stop gemma4:e2b");
  unload->callback([model, &environment, &chosen] {
    chosen = [model, &environment] { return stop(*model, environment); };
  });

  CLI::App* check = app.add_subcommand("health", "Whether the running server can answer");
  check->footer(
      "Exit status 0 and \"ok\", or 1 while it loads its first model, while it shuts down, and "
      "where\n"
      "there is none. No key is needed. Example:\n"
      "  pleiad health");
  check->callback(
      [&environment, &chosen] { chosen = [&environment] { return health(environment); }; });
}

}  // namespace pleiad::apps
