#include "server_bench/connection.h"

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::server_bench {
std::string complaint(const client::HttpAnswer& answer) {
  const Json body = json_or_discarded(answer.body);
  std::string words;
  if (body.is_object() && body.contains("error") && body["error"].is_object()) {
    const Json& message = body["error"].value("message", Json());
    if (message.is_string()) words = printable(message.get<std::string>(), 500);
  }
  if (words.empty()) words = client::error_text(answer);
  if (answer.status == 401 || answer.status == 403) {
    words += " (a key is given with --api-key or PLEIAD_API_KEY)";
  }
  return words;
}

std::string server_address(const std::string& url) {
  std::string address = url;
  if (address.find("://") == std::string::npos && !address.starts_with("unix:")) {
    address = "http://" + address;
  }
  for (const std::string_view tail : {"/", "/v1", "/api", "/"}) {
    if (address.ends_with(tail)) address.erase(address.size() - tail.size());
  }
  const std::size_t host = address.find("://") + 3;
  const bool known = address.starts_with("http://") || address.starts_with("https://");
  if (!address.starts_with("unix:") && (!known || host >= address.size())) {
    throw Error("--server: expected an address as http://127.0.0.1:11434, found \"{}\"",
                printable(url));
  }
  return address;
}

bool is_local(const std::string& address) {
  if (address.starts_with("unix:")) return true;
  const std::string rest = address.substr(address.find("://") + 3);
  if (rest.starts_with("[::1]")) return true;
  const std::string host = rest.substr(0, rest.find_first_of(":/"));
  return host == "localhost" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos);
}

Json Connection::ask_json(const std::string& method, const std::string& path, const Json& body) {
  const client::HttpAnswer answer = ask(method, path, body);
  if (answer.status != 200) {
    throw Error("{} {}{}: {}", method, address(), path, complaint(answer));
  }
  Json json = parse_json(answer.body, address() + path);
  if (!json.is_object()) {
    throw Error("{} {}{}: expected an object, found {}", method, address(), path,
                printable(answer.body));
  }
  return json;
}

}  // namespace pleiad::server_bench
