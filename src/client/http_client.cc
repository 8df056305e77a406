#include "client/http_client.h"

#include <exception>
#include <optional>

#include "base/ascii.h"
#include "base/error.h"
#include "base/text_format.h"
#include "client/curl.h"

namespace pleiad::client {
namespace {

constexpr std::size_t kMaxBody = std::size_t{256} << 20;
constexpr std::size_t kMaxLine = std::size_t{64} << 20;

/// One answer on its way in.
struct Incoming {
  CURL* easy = nullptr;
  const HttpObserver* observer = nullptr;
  HttpAnswer answer;
  std::string unfinished_line;
  std::size_t searched = 0;  // so much of it has no end of a line
  std::size_t n_bytes = 0;
  bool ended_by_caller = false;
  std::exception_ptr failure;  // thrown again when libcurl has returned

  bool take(std::string_view data) {
    n_bytes += data.size();
    if (observer->max_bytes > 0 && n_bytes > observer->max_bytes) {
      throw Error("the answer is longer than {}", format_bytes(observer->max_bytes));
    }
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200 || !observer->on_line) {
      if (answer.body.size() + data.size() > kMaxBody) return false;
      answer.body += data;
      return true;
    }
    unfinished_line += data;
    std::size_t begin = 0;
    for (std::size_t end; (end = unfinished_line.find('\n', searched)) != std::string::npos;
         begin = searched = end + 1) {
      if (!deliver(std::string_view(unfinished_line).substr(begin, end - begin))) return false;
    }
    unfinished_line.erase(0, begin);
    searched = unfinished_line.size();
    if (unfinished_line.size() > kMaxLine) {
      throw Error("a line of the answer is longer than {}", format_bytes(kMaxLine));
    }
    return true;
  }

  bool deliver(std::string_view line) {
    if (line.empty() || observer->on_line(line)) return true;
    ended_by_caller = true;
    return false;
  }
};

/// Runs what libcurl called: no exception may pass through its frames.
template <typename Take>
std::size_t guarded(void* incoming, std::size_t size, const Take& take) {
  Incoming& in = *static_cast<Incoming*>(incoming);
  try {
    return take(in) ? size : 0;
  } catch (...) {
    in.failure = std::current_exception();
    return 0;
  }
}

std::size_t on_data(char* data, std::size_t size, std::size_t count, void* incoming) {
  const std::string_view piece(data, size * count);
  return guarded(incoming, piece.size(), [&](Incoming& in) { return in.take(piece); });
}

void take_header(Incoming& incoming, std::string_view line) {
  constexpr std::string_view kServer = "server:";
  if (ascii_lower(line.substr(0, kServer.size())) == kServer) {
    line.remove_prefix(kServer.size());
    while (line.starts_with(' ')) line.remove_prefix(1);
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    incoming.answer.server = line;
  }
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* incoming) {
  const std::string_view line(data, size * count);
  return guarded(incoming, line.size(), [&](Incoming& in) {
    take_header(in, line);
    return true;
  });
}

}  // namespace

struct HttpClient::Handles {
  Multi multi = new_multi();
  Easy easy = new_easy();
};

HttpClient::HttpClient(const std::string& address, const std::string& api_key,
                       const std::filesystem::path& certificates)
    : address_(address), api_key_(api_key), handles_(std::make_unique<Handles>()) {
  if (address_.starts_with("https:")) certificates_ = trusted_certificates(certificates);
}

HttpClient::~HttpClient() = default;

HttpAnswer HttpClient::request(const std::string& method, const std::string& path, const Json& body,
                               const HttpObserver& observer, double connect_seconds) {
  CURL* easy = handles_->easy.get();
  curl_easy_reset(easy);
  std::string url = address_ + path;
  if (constexpr std::string_view kUnix = "unix:"; address_.starts_with(kUnix)) {
    curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, address_.c_str() + kUnix.size());
    url = "http://localhost" + path;
  }
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  if (!certificates_.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, certificates_.c_str());
  curl_easy_setopt(easy, CURLOPT_PROXY, "");  // a server on this machine needs none
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(connect_seconds));
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  if (method == "HEAD") curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);

  List headers = new_list();
  if (!api_key_.empty()) append(headers, "Authorization: Bearer " + api_key_);
  std::string payload;
  if (!body.is_null()) {
    payload = to_text(body);
    append(headers, "Content-Type: application/json");
    append(headers, "Expect:");
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, payload.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(payload.size()));
  }
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());

  Incoming incoming;
  incoming.easy = easy;
  incoming.observer = &observer;
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_data);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &incoming);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &incoming);

  const InMulti added(handles_->multi.get(), easy);
  const std::optional<CURLcode> result =
      run_one(handles_->multi.get(), [&] { return observer.wants_more && !observer.wants_more(); });
  if (!result) incoming.ended_by_caller = true;
  if (incoming.failure) std::rethrow_exception(incoming.failure);
  if (!incoming.ended_by_caller && *result != CURLE_OK) {
    throw Error("no answer from {}: {}", address_, curl_easy_strerror(*result));
  }
  if (!incoming.ended_by_caller && !incoming.unfinished_line.empty()) {
    incoming.deliver(incoming.unfinished_line);
  }
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  incoming.answer.status = static_cast<int>(status);
  return std::move(incoming.answer);
}

std::string error_text(const HttpAnswer& answer) {
  const Json body = json_or_discarded(answer.body);
  if (body.is_object() && body.contains("error") && body["error"].is_string()) {
    return printable(body["error"].get<std::string>(), 1000);
  }
  return fmt::format("the server answered {}", answer.status);
}

}  // namespace pleiad::client
