#include "download/session.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/text_format.h"
#include "download/exchange.h"
#include "download/network.h"
#include "download/redirect.h"
#include "download/retry.h"

namespace pleiad::download {
namespace {

constexpr std::size_t kMostOfARedirect = std::size_t{64} << 10;  // bytes of a text for people

Problem stopped() { return {Trouble::stopped, "was given up"}; }

/// A call on its way, over one line.
class Calling {
 public:
  Calling(Network& network, Line& line, const Call& call, const Stop& stop)
      : network_(network), line_(line), call_(call), stop_(stop) {}

  Outcome<Reply> run() {
    const Result<Target> first = first_target();
    if (!first) return Problem{Trouble::not_allowed, first.message()};
    const bool may_repeat = call_.method == "GET" || call_.method == "HEAD";
    Backoff backoff(network_.surroundings().retry);
    for (int n_failures = 1;; ++n_failures) {
      const bool was_reached = network_.was_reached(first.value());
      Outcome<Reply> reply = follow(first.value());
      if (!may_repeat || n_failures >= network_.surroundings().retry.attempts) return reply;
      std::string retry_after;
      if (reply) {
        if (!is_temporary(reply.value().status)) return reply;
        retry_after = reply.value().header("Retry-After");
      } else if (reply.trouble() != Trouble::unreachable || !(was_reached || reached_)) {
        return reply;
      }
      const std::optional<double> wait = backoff.wait_after(n_failures, retry_after);
      if (!wait) return reply;
      if (!wait_for(*wait, stop_)) return stopped();
    }
  }

 private:
  /// Somebody named the host, and not an answer of another one.
  bool is_named(const Target& target) const {
    if (call_.led_by.empty()) return true;
    const Result<Target> from = network_.rules().first(call_.led_by);
    return from && target.has_origin_of(from.value());
  }

  Result<Target> first_target() const {
    const TargetRules& rules = network_.rules();
    if (call_.led_by.empty()) return rules.first(call_.url);
    const Result<Target> from = rules.first(call_.led_by);
    if (!from) return from;
    return rules.next(from.value(), network_.met_public(from.value()), call_.url);
  }

  /// Once, through all redirects.
  Outcome<Reply> follow(const Target& first) {
    Target target = first;
    Question question = {.method = call_.method,
                         .headers = call_.headers,
                         .body = call_.body,
                         .upload = call_.upload,
                         .sent = call_.sent};
    for (int n_redirects = 0;; ++n_redirects) {
      const bool is_home = target.has_origin_of(first);
      question.authorization = is_home ? call_.authorization : std::string();
      question.may_use_netrc = is_home && is_named(target);
      if (auto problem = find_bad_header(question)) return *problem;
      if (auto problem = ask(target, question)) return *problem;
      const Exchange& exchange = line_.exchange;
      const std::string location = exchange.location();
      if (location.empty() || !call_.follow_redirects) return reply(target);
      if (n_redirects == kMaxRedirects) return too_many_redirects(first);
      Result<Target> next = network_.rules().next(target, exchange.met_public(), location);
      if (!next) return Problem{Trouble::not_allowed, next.message()};
      target = std::move(next.value());
      if (turns_into_get(exchange.status(), question.method)) {
        question = {.method = "GET", .headers = without_body_headers(call_.headers)};
      }
    }
  }

  std::optional<Problem> ask(const Target& target, const Question& question) {
    Exchange& exchange = line_.exchange;
    body_.clear();
    n_dropped_ = 0;
    exchange.begin(line_.multi.get(), target, question,
                   {.head = [] { return std::optional<Problem>(); },
                    .body = [this](std::string_view piece) { return take(piece); }});
    bool stalled = false;
    const std::optional<CURLcode> code = client::run_one(line_.multi.get(), [&] {
      stalled = exchange.is_stalled(monotonic_seconds());
      return stalled || (stop_ && stop_());
    });
    std::optional<Problem> problem = exchange.end(code.value_or(CURLE_ABORTED_BY_CALLBACK));
    reached_ = reached_ || exchange.status() > 0;
    if (code) return problem;
    if (!stalled) return stopped();
    return Problem{Trouble::unreachable,
                   fmt::format("{}: sends nothing any more, or as good as nothing", target.host())};
  }

  Taken take(std::string_view piece) {
    Exchange& exchange = line_.exchange;
    if (call_.follow_redirects && !exchange.location().empty()) {
      n_dropped_ += piece.size();
      return n_dropped_ > kMostOfARedirect ? Taken::enough : Taken::all;
    }
    if (body_.size() + piece.size() > call_.max_bytes) {
      exchange.refuse({Trouble::wrong_bytes,
                       fmt::format("{}: answers with more than {}, the most that is read here",
                                   exchange.target().text(), format_bytes(call_.max_bytes))});
      return Taken::refused;
    }
    body_ += piece;
    return Taken::all;
  }

  Reply reply(const Target& target) {
    return {.status = line_.exchange.status(),
            .headers = line_.exchange.headers(),
            .body = std::move(body_),
            .url = target.url->text()};
  }

  Network& network_;
  Line& line_;
  const Call& call_;
  const Stop& stop_;
  std::string body_;
  std::size_t n_dropped_ = 0;
  bool reached_ = false;
};

}  // namespace

std::string_view Reply::header(std::string_view name) const {
  const std::string wanted = ascii_lower(name);
  for (const Header& header : headers) {
    if (ascii_lower(header.name) == wanted) return header.value;
  }
  return {};
}

Session::Session(Surroundings surroundings)
    : network_(std::make_unique<Network>(std::move(surroundings))) {}

Session::~Session() = default;

const Surroundings& Session::surroundings() const { return network_->surroundings(); }

bool Session::is_insecure(const http::Authority& host) const {
  return network_->rules().is_insecure(host);
}

Outcome<Reply> Session::call(const Call& call, const Stop& stop) {
  std::unique_ptr<Line> line = network_->take_line();
  Outcome<Reply> reply = Calling(*network_, *line, call, stop).run();
  network_->give_back(std::move(line));
  return reply;
}

}  // namespace pleiad::download
