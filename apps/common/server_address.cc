#include "apps/common/server_address.h"

#include "apps/serve/config.h"
#include "base/error.h"

namespace pleiad::apps {

std::unique_ptr<client::HttpClient> make_client(const Environment& environment) {
  const auto settings = resolve_settings({}, environment.variables);
  const SettingValue& host = settings.at("host");
  ListenAddress address = parse_listen_address(host.text, host.origin);
  const std::string& key = settings.at("api-key").text;
  if (address.host.starts_with("unix:")) {
    return std::make_unique<client::HttpClient>(address.host, key);
  }
  // Where a server listens everywhere, this machine reaches it here.
  if (address.host == "0.0.0.0" || address.host == "*") address.host = "127.0.0.1";
  if (address.host == "::") address.host = "::1";
  const bool v6 = address.host.find(':') != std::string::npos;
  const std::string name = v6 ? "[" + address.host + "]" : address.host;
  return std::make_unique<client::HttpClient>(fmt::format("http://{}:{}", name, address.port), key);
}

std::unique_ptr<client::HttpClient> find_server(const Environment& environment) {
  constexpr double kMoment = 0.3;  // seconds
  auto client = make_client(environment);
  client::HttpAnswer answer;
  try {
    answer = client->request("GET", "/api/version", nullptr, {}, kMoment);
  } catch (const Error&) {  // nobody listens there
    return nullptr;
  }
  if (!answer.server.starts_with("pleiad")) return nullptr;
  if (answer.status != 200) {
    throw ServerRefusal("{}", refusal_text(*client, answer, environment));
  }
  return client;
}

std::string refusal_text(const client::HttpClient& server, const client::HttpAnswer& answer,
                         const Environment& environment) {
  if (answer.status != 401) {
    return fmt::format("the server at {}: {}", server.address(), client::error_text(answer));
  }
  const SettingValue key = resolve_settings({}, environment.variables).at("api-key");
  if (key.text.empty()) {
    return fmt::format(
        "the server at {} asks for a key, and none is set: it is taken from "
        "PLEIAD_API_KEY",
        server.address());
  }
  return fmt::format("the server at {} does not know the key in {}", server.address(), key.origin);
}

}  // namespace pleiad::apps
