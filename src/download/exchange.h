#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <exception>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/curl.h"
#include "download/session.h"
#include "download/target.h"

namespace pleiad::download {

class Network;

/// What is asked of one host.
struct Question {
  std::string method = "GET";
  std::vector<Header> headers = {};
  std::string authorization = {};  // empty: none
  std::string range = {};          // "0-499", without its unit; empty: all
  std::string body = {};
  std::optional<FilePart> upload = {};
  bool may_use_netrc = false;
  std::function<void(std::uint64_t)> sent = {};
};

/// A header that would be two, or other than it looks.
std::optional<Problem> find_bad_header(const Question& question);

enum class Taken : std::uint8_t {
  all,
  later,   // the transfer pauses, and these bytes come again
  enough,  // nobody needs the rest: the answer counts as whole
  refused  // Exchange::refuse() was told why
};

/// How an answer is taken. What either throws is thrown again by Exchange::end().
struct Receiver {
  /// Status and headers are there. A failure ends the exchange.
  std::function<std::optional<Problem>()> head;
  /// Bytes of the body.
  std::function<Taken(std::string_view)> body;
};

/// One request to one host and its answer, over a handle that may have served others before:
/// neither redirects nor retries. It takes part in a multi handle between begin() and end().
class Exchange {
 public:
  explicit Exchange(Network& network);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void begin(CURLM* multi, Target target, Question question, Receiver receiver);
  /// After libcurl is done with it, or to give it up. Empty: the answer is whole.
  std::optional<Problem> end(CURLcode code);

  /// What end() is to say where the receiver takes no more.
  void refuse(Problem why) { refusal_ = std::move(why); }

  bool is_running() const { return multi_ != nullptr; }
  bool is_paused() const { return paused_; }
  void go_on();

  /// True where it has been slower than RetryPolicy::slowest for stall_seconds. To be asked now and
  /// then; `now` of monotonic_seconds(). A paused one waits for us.
  bool is_stalled(double now);

  CURL* easy() const { return easy_.get(); }
  const Target& target() const { return target_; }
  int status() const { return status_; }
  const std::vector<Header>& headers() const { return headers_; }
  /// The first value of that name, in lower case; empty: there is none.
  std::string_view header(std::string_view name) const;
  /// Where a redirect (301, 302, 303, 307, 308) leads, as a whole URL; empty: it is none.
  std::string location() const;
  /// The address that was asked is of the public internet; behind a proxy: its name may be.
  bool met_public() const { return met_public_; }

 private:
  friend struct ExchangeSteps;
  void set_up();
  void set_method();

  Network& network_;
  client::Easy easy_;
  CURLM* multi_ = nullptr;
  Target target_;
  Question question_;
  Receiver receiver_;
  client::List header_lines_ = client::new_list();
  client::List known_names_ = client::new_list();
  std::ifstream upload_;
  std::uint64_t n_uploaded_ = 0;  // handed to libcurl

  int status_ = 0;
  std::vector<Header> headers_;
  std::size_t n_header_bytes_ = 0;
  bool head_is_whole_ = false;
  bool paused_ = false;
  bool had_enough_ = false;
  bool met_public_ = true;
  std::optional<Problem> refusal_;  // why it was ended from here
  std::exception_ptr thrown_;
  char library_text_[CURL_ERROR_SIZE] = {};

  double measured_since_ = 0;  // for is_stalled()
  std::uint64_t measured_bytes_ = 0;
  std::uint64_t n_bytes_ = 0;  // both ways
};

}  // namespace pleiad::download
