#include "pull/registry/authorizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/text_format.h"

namespace pleiad::pull {

using download::Outcome;
using download::Reply;
using download::Trouble;

namespace {

constexpr std::size_t kLongestTokenAnswer = 256 << 10;
constexpr std::size_t kLongestToken = 32 << 10;
constexpr double kUsualSeconds = 60;  // where a token server does not say (distribution's protocol)
constexpr double kMargin = 0.2;       // of its time in which a token is renewed already
constexpr int kUnauthorized = 401;
constexpr int kOk = 200;

/// All values of a header that may come more than once.
std::string all_values(const Reply& reply, std::string_view name) {
  std::string result;
  for (const download::Header& header : reply.headers) {
    if (ascii_lower(header.name) != name) continue;
    if (!result.empty()) result += ", ";
    result += header.value;
  }
  return result;
}

const Challenge* find_challenge(const std::vector<Challenge>& challenges, std::string_view scheme) {
  const auto found = std::ranges::find(challenges, scheme, &Challenge::scheme);
  return found == challenges.end() ? nullptr : &*found;
}

}  // namespace

Result<Token> parse_token(std::string_view text) {
  const auto json = read_json(text, {});
  if (!json) return Failure{json.message()};
  if (!json.value().is_object()) return Failure{"is no object"};
  Token token;
  for (const char* key : {"token", "access_token"}) {
    if (token.value.empty()) token.value = text_member(json.value(), key);
  }
  if (token.value.empty()) return Failure{"has no token"};
  // It becomes part of a header.
  const bool plain = std::ranges::all_of(token.value, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!plain || token.value.size() > kLongestToken) {
    return Failure{"has a token that no header can carry"};
  }
  token.seconds = kUsualSeconds;
  const Json* seconds = find_member(json.value(), "expires_in");
  if (seconds != nullptr && seconds->is_number()) {
    // Less than what the protocol grants at least is not believed; neither is forever.
    token.seconds = std::clamp(seconds->get<double>(), kUsualSeconds, 86400.0);
  }
  return token;
}

Authorizer::Authorizer(download::Session& session, RegistryAddress address, Credentials credentials,
                       Access access)
    : session_(session),
      address_(std::move(address)),
      credentials_(std::move(credentials)),
      access_(access) {}

Outcome<Reply> Authorizer::call(download::Call call, const client::Url& registry,
                                const download::Stop& stop) {
  auto known = authorization(false, stop);
  if (!known) return {Trouble::refused, known.message()};
  call.authorization = std::move(known).value();
  auto reply = session_.call(call, stop);
  if (!reply || reply.value().status != kUnauthorized) return reply;
  auto answered = answer(reply.value(), registry, call.authorization, stop);
  if (!answered) return {Trouble::refused, answered.message(), kUnauthorized};
  call.authorization = std::move(answered).value();
  reply = session_.call(call, stop);
  if (!reply || reply.value().status != kUnauthorized) return reply;
  return {Trouble::refused,
          fmt::format("{}: access to {} is refused ({}){}", address_.host, address_.repository,
                      refusal_text(reply.value()), advice()),
          kUnauthorized};
}

Result<std::string> Authorizer::authorization(bool renew, const download::Stop& stop) {
  const std::lock_guard lock(mutex_);
  const bool expired = expires_ > 0 && monotonic_seconds() >= expires_;
  if (!renew && !expired) return current_;
  if (challenge_.scheme.empty()) {
    return Failure{
        fmt::format("{}: access to {} is refused{}", address_.host, address_.repository, advice())};
  }
  return fetch_token(stop);
}

Result<std::string> Authorizer::answer(const Reply& reply, const client::Url& registry,
                                       const std::string& refused, const download::Stop& stop) {
  const auto from = client::parse_url(reply.url);
  if (!from || from.value().origin() != registry.origin()) {
    return Failure{fmt::format("{}: leads to {}, which asks for a password and gets none",
                               address_.host, from ? from.value().origin() : printable(reply.url))};
  }
  const auto challenges = parse_challenges(all_values(reply, "www-authenticate"));
  if (!challenges) {
    return Failure{fmt::format("{}: asks for a login; its WWW-Authenticate {}", address_.host,
                               challenges.message())};
  }
  const std::lock_guard lock(mutex_);
  if (!current_.empty() && current_ != refused) return current_;  // another thread was faster
  registry_url_ = reply.url;
  if (const Challenge* bearer = find_challenge(challenges.value(), "bearer")) {
    challenge_ = *bearer;
    return fetch_token(stop);
  }
  if (find_challenge(challenges.value(), "basic") != nullptr) {
    auto login = basic();
    if (login) current_ = login.value();
    return login;
  }
  return Failure{fmt::format("{}: asks for a login by '{}'; expected Bearer or Basic",
                             address_.host, printable(challenges.value()[0].scheme))};
}

Result<std::string> Authorizer::basic() const {
  const auto login = credentials_.find(address_.host);
  if (!login) return Failure{login.message()};
  if (login.value()) return login.value()->basic();
  return Failure{fmt::format("{}: asks for a user and a password{}", address_.host, advice())};
}

Result<std::string> Authorizer::fetch_token(const download::Stop& stop) {
  const std::string who = fmt::format("{}: its token server", address_.host);
  const std::string_view realm = challenge_.parameter("realm");
  const auto parsed = client::parse_url(realm);
  if (!parsed) {
    return Failure{fmt::format("{} '{}' is {}", who, printable(realm), parsed.message())};
  }
  const client::Url& base = parsed.value();
  std::string_view service = challenge_.parameter("service");
  // Never the challenge's: a registry could have itself a token made for another's repository.
  const std::string scope = fmt::format("repository:{}:{}", address_.repository,
                                        access_ == Access::push ? "pull,push" : "pull");
  client::Url url = service.empty()
                        ? base.with_query("scope", scope)
                        : base.with_query("service", service).with_query("scope", scope);
  download::Call call;
  call.url = url.text();
  call.led_by = registry_url_;
  call.max_bytes = kLongestTokenAnswer;
  note_.clear();
  auto login = credentials_.find(address_.host);
  if (!login) return Failure{login.message()};
  if (login.value() && !is_token_host_of(address_.api_host, base.host)) {
    login = std::optional<Login>();
    note_ = fmt::format("; the password was not sent, since tokens come from another host, {}",
                        base.host);
  }
  if (login.value()) call.authorization = login.value()->basic();
  const auto reply = session_.call(call, stop);
  if (!reply) return Failure{reply.message()};
  if (reply.value().status != kOk) {
    return Failure{fmt::format("{} {} gives none for {} ({}){}", who, base.host, scope,
                               refusal_text(reply.value()), advice())};
  }
  const auto token = parse_token(reply.value().body);
  if (!token) return Failure{fmt::format("{} {}: its answer {}", who, base.host, token.message())};
  current_ = "Bearer " + token.value().value;
  expires_ = monotonic_seconds() + token.value().seconds * (1 - kMargin);
  return current_;
}

std::string Authorizer::advice() const {
  if (is_ollama(address_)) {
    return access_ == Access::push
               ? "; it takes models only with the key of an Ollama account: `ollama push` sends "
                 "them"
               : "; if the model is private, `ollama pull` fetches it with the key of your account";
  }
  if (!note_.empty()) return note_;
  return fmt::format("; store a user and a password with `docker login {}` or in ~/.netrc{}",
                     address_.host, credentials_.why_not(address_.host));
}

std::string refusal_text(const Reply& reply) {
  const Json json = json_or_discarded(reply.body);
  const auto said = [&](const std::string& text) {
    return fmt::format("{}, HTTP status {}", printable(text, 200), reply.status);
  };
  const Json* errors = find_member(json, "errors");
  if (errors != nullptr && errors->is_array() && !errors->empty()) {
    for (const char* key : {"message", "code"}) {
      const std::string text = text_member(errors->front(), key);
      if (!text.empty()) return said(text);
    }
  }
  for (const char* key : {"error", "details", "message"}) {
    if (const std::string* text = find_text_member(json, key)) return said(*text);
  }
  return fmt::format("HTTP status {}", reply.status);
}

}  // namespace pleiad::pull
