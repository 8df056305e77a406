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
  try {
    const client::HttpAnswer answer = client->request("GET", "/api/version", nullptr, {}, kMoment);
    if (answer.status == 200 && answer.server.starts_with("pleiad")) return client;
  } catch (const Error&) {  // nobody listens there
  }
  return nullptr;
}

}  // namespace pleiad::apps
