#include "server_bench/connection.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::server_bench {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64}
                                   << 20;  // of an answer: none has a reason for more
constexpr double kLongest = 3600;          // seconds of one answer

/// Sends a request whose answer must come in time.
client::HttpAnswer in_time(client::HttpClient& client, const Peer& peer, const std::string& method,
                           const std::string& path, const Json& body,
                           const std::function<void(std::string_view, double)>& on_line) {
  const double began = monotonic_seconds();
  double last = began;
  enum class End { answered, stopped, silent, endless } end = End::answered;
  client::HttpObserver observer;
  observer.max_bytes = kMostBytes;
  observer.wants_more = [&] {
    const double now = monotonic_seconds();
    if (peer.stop && peer.stop()) {
      end = End::stopped;
    } else if (now - last > peer.patience_seconds) {
      end = End::silent;
    } else if (now - began > kLongest) {
      end = End::endless;
    }
    return end == End::answered;
  };
  if (on_line) {
    observer.on_line = [&](std::string_view line) {
      last = monotonic_seconds();
      on_line(line, last - began);
      return true;
    };
  }
  const client::HttpAnswer answer = client.request(method, path, body, observer);
  switch (end) {
    case End::answered:
      return answer;
    case End::stopped:
      throw Stopped{};
    case End::silent:
      throw Error("nothing came for {} (--timeout)", format_seconds(peer.patience_seconds));
    case End::endless:
      break;
  }
  throw Error("the answer did not end within {}", format_seconds(kLongest));
}

/// What the answer says went wrong.
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

}  // namespace

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

client::HttpAnswer Connection::ask(const std::string& method, const std::string& path,
                                   const Json& body) {
  try {
    return in_time(client_, peer_, method, path, body, {});
  } catch (const Error& error) {
    throw Error("{} {}{}: {}", method, peer_.address, path, error.what());
  }
}

Json Connection::ask_json(const std::string& method, const std::string& path, const Json& body) {
  const client::HttpAnswer answer = ask(method, path, body);
  if (answer.status != 200) {
    throw Error("{} {}{}: {}", method, peer_.address, path, complaint(answer));
  }
  Json json = parse_json(answer.body, peer_.address + path);
  if (!json.is_object()) {
    throw Error("{} {}{}: expected an object, found {}", method, peer_.address, path,
                printable(answer.body));
  }
  return json;
}

client::HttpAnswer Connection::stream(
    const std::string& path, const Json& body,
    const std::function<void(std::string_view, double)>& on_line) {
  try {
    client::HttpAnswer answer = in_time(client_, peer_, "POST", path, body, on_line);
    if (answer.status != 200) answer.body = complaint(answer);
    return answer;
  } catch (const Error& error) {
    throw Error("POST {}{}: {}", peer_.address, path, error.what());
  }
}

}  // namespace pleiad::server_bench
