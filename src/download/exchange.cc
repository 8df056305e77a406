#include "download/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/text_format.h"
#include "download/exchange_callbacks.h"
#include "download/exchange_failure.h"
#include "download/network.h"

namespace pleiad::download {
namespace {

constexpr long kReadAtOnceBytes = 256L << 10;  // that libcurl reads at a time

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

}  // namespace

std::optional<Problem> find_bad_header(const Question& question) {
  const auto bad = [](std::string_view name) {
    return Problem{Trouble::not_allowed,
                   fmt::format("the header {} holds a line break or another control character",
                               printable(name))};
  };
  if (has_control_character(question.authorization)) return bad("Authorization");
  for (const Header& header : question.headers) {
    if (header.name.empty() || has_control_character(header.name) ||
        has_control_character(header.value)) {
      return bad(header.name);
    }
  }
  return std::nullopt;
}

Exchange::Exchange(Network& network) : network_(network), easy_(client::new_easy()) {}

Exchange::~Exchange() {
  if (multi_) curl_multi_remove_handle(multi_, easy());
}

void Exchange::begin(CURLM* multi, Target target, Question question, Receiver receiver) {
  target_ = std::move(target);
  question_ = std::move(question);
  receiver_ = std::move(receiver);
  status_ = 0;
  headers_.clear();
  n_header_bytes_ = 0;
  head_is_whole_ = paused_ = had_enough_ = false;
  met_public_ = true;
  refusal_.reset();
  thrown_ = nullptr;
  library_text_[0] = '\0';
  n_uploaded_ = n_bytes_ = measured_bytes_ = 0;
  measured_since_ = monotonic_seconds();
  set_up();
  multi_ = multi;
  curl_multi_add_handle(multi_, easy());
}

void Exchange::set_up() {
  CURL* const handle = easy();
  const auto set = [handle](CURLoption option, auto value) {
    client::set_option(handle, option, value);
  };
  curl_easy_reset(handle);
  set(CURLOPT_CURLU, target_.url->parts.get());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_HTTP09_ALLOWED, 0L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, target_.proxy.c_str());
  set(CURLOPT_NOPROXY, "");  // who needs no proxy was decided before
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS,
      client::milliseconds(network_.surroundings().retry.connect_seconds));
  set(CURLOPT_BUFFERSIZE, kReadAtOnceBytes);
  set(CURLOPT_USERAGENT, "pleiad");
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  const std::string certificates = network_.certificates().string();
  if (!certificates.empty()) {
    set(CURLOPT_CAINFO, certificates.c_str());
    set(CURLOPT_PROXY_CAINFO, certificates.c_str());
  }
  if (target_.named_insecure) {
    set(CURLOPT_SSL_VERIFYPEER, 0L);
    set(CURLOPT_SSL_VERIFYHOST, 0L);
  }
  const std::string netrc = network_.surroundings().netrc.string();
  if (question_.may_use_netrc && question_.authorization.empty() && !netrc.empty()) {
    set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    set(CURLOPT_NETRC_FILE, netrc.c_str());
  }
#if LIBCURL_VERSION_NUM >= 0x075700
  // Who stops waiting for a name waits for nobody: its thread ends when the system is done.
  set(CURLOPT_QUICK_EXIT, 1L);
#endif
  set(CURLOPT_ERRORBUFFER, library_text_);
  set(CURLOPT_OPENSOCKETFUNCTION, ExchangeCallbacks::open_socket);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_PREREQFUNCTION, ExchangeCallbacks::before_request);
  set(CURLOPT_PREREQDATA, this);
  set(CURLOPT_WRITEFUNCTION, ExchangeCallbacks::on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_HEADERFUNCTION, ExchangeCallbacks::on_header);
  set(CURLOPT_HEADERDATA, this);
  known_names_ = client::new_list();
  for (const std::string& name : network_.surroundings().known_names) {
    client::append(known_names_, name);
  }
  set(CURLOPT_RESOLVE, known_names_.get());
  set_method();
}

void Exchange::set_method() {
  CURL* const handle = easy();
  const auto set = [handle](CURLoption option, auto value) {
    client::set_option(handle, option, value);
  };
  const std::string& method = question_.method;
  header_lines_ = client::new_list();
  bool has_type = false;
  for (const Header& header : question_.headers) {
    has_type = has_type || ascii_lower(header.name) == "content-type";
    client::append(header_lines_, header.name + ": " + header.value);
  }
  client::append(header_lines_, "Accept-Encoding: identity");
  if (!question_.authorization.empty()) {
    client::append(header_lines_, "Authorization: " + question_.authorization);
  }
  if (!question_.range.empty()) set(CURLOPT_RANGE, question_.range.c_str());
  if (question_.upload) {
    upload_ = std::ifstream(question_.upload->path, std::ios::binary);
    upload_.seekg(static_cast<std::streamoff>(question_.upload->offset));
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(question_.upload->size));
    set(CURLOPT_READFUNCTION, ExchangeCallbacks::on_read);
    set(CURLOPT_READDATA, this);
    set(CURLOPT_SEEKFUNCTION, ExchangeCallbacks::on_seek);
    set(CURLOPT_SEEKDATA, this);
  } else if (!question_.body.empty() || method == "POST" || method == "PUT" || method == "PATCH") {
    client::append(header_lines_, "Expect:");
    if (!has_type) client::append(header_lines_, "Content-Type:");
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(question_.body.size()));
    set(CURLOPT_POSTFIELDS, question_.body.c_str());
  } else if (method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  }
  set(CURLOPT_CUSTOMREQUEST, method.c_str());
  set(CURLOPT_HTTPHEADER, header_lines_.get());
}

std::optional<Problem> Exchange::end(CURLcode code) {
  if (multi_) curl_multi_remove_handle(multi_, easy());
  multi_ = nullptr;
  paused_ = false;
  upload_ = std::ifstream();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  if (code == CURLE_OK || had_enough_) return std::nullopt;
  if (refusal_) return refusal_;
  return failure_of(code, target_, network_.surroundings().retry, library_text_);
}

void Exchange::go_on() {
  if (!std::exchange(paused_, false)) return;
  measured_since_ = monotonic_seconds();
  measured_bytes_ = n_bytes_;
  curl_easy_pause(easy(), CURLPAUSE_CONT);  // may call on_body, and pause again
}

bool Exchange::is_stalled(double now) {
  const RetryPolicy& retry = network_.surroundings().retry;
  const double enough = retry.slowest * retry.stall_seconds;
  if (paused_ || static_cast<double>(n_bytes_ - measured_bytes_) >= enough) {
    measured_since_ = now;
    measured_bytes_ = n_bytes_;
    return false;
  }
  // Who was sent something may think about it.
  const bool is_asking = question_.method == "GET" || question_.method == "HEAD";
  const bool is_sending = question_.upload && n_uploaded_ < question_.upload->size;
  const double patience = is_asking || is_sending
                              ? retry.stall_seconds
                              : std::max(retry.stall_seconds, retry.answer_seconds);
  return now - measured_since_ >= patience;
}

std::string_view Exchange::header(std::string_view name) const {
  for (const Header& header : headers_) {
    if (ascii_lower(header.name) == name) return header.value;
  }
  return {};
}

std::string Exchange::location() const {
  const std::string given(header("location"));
  constexpr int kRedirects[] = {301, 302, 303, 307, 308};
  if (given.empty() || std::ranges::find(kRedirects, status_) == std::end(kRedirects)) return {};
  const Result<client::Url> url = target_.url->resolved(given);
  return url ? url.value().text() : given;  // which whoever follows it refuses
}

}  // namespace pleiad::download
