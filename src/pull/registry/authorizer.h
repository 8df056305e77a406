#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/url.h"
#include "download/session.h"
#include "pull/registry/challenge.h"
#include "pull/registry/credentials.h"
#include "pull/registry/registry_address.h"

namespace pleiad::pull {

/// What somebody wants to do to a repository.
enum class Access : std::uint8_t { pull, push };

/// A token server's answer. Any bytes may be given.
struct Token {
  std::string value;   // printable characters of ASCII without blanks
  double seconds = 0;  // from its making on that it is good
};
Result<Token> parse_token(std::string_view text);

/// Makes requests of one repository, and is let in: it answers a registry's challenges (Basic, and
/// tokens of the server that Bearer names), keeps what it was given, and asks again when that ends.
/// A password goes to the registry itself and to a token server that is_token_host_of it, never
/// elsewhere; a token is asked for this repository alone, whatever the challenge says. Any number
/// of threads may use it.
class Authorizer {
 public:
  Authorizer(download::Session& session, RegistryAddress address, Credentials credentials,
             Access access);

  /// `origin_of` is the registry's own origin: a challenge of another host is not answered. A
  /// refusal (401) that stays is a Failure that says what to do; all else is a Reply.
  download::Outcome<download::Reply> call(download::Call call, const client::Url& registry,
                                          const download::Stop& stop);

  /// The value of Authorization that the registry wanted last; "": none so far. With `renew` a new
  /// one: a Failure where there is nothing new to be had.
  Result<std::string> authorization(bool renew, const download::Stop& stop);

  const RegistryAddress& address() const { return address_; }

 private:
  Result<std::string> answer(const download::Reply& reply, const client::Url& registry,
                             const std::string& refused, const download::Stop& stop);
  Result<std::string> fetch_token(const download::Stop& stop);
  Result<std::string> basic() const;
  std::string advice() const;

  download::Session& session_;
  const RegistryAddress address_;
  const Credentials credentials_;
  const Access access_;

  std::mutex mutex_;
  std::string registry_url_;  // that gave the challenge
  Challenge challenge_;       // of the scheme bearer; its scheme is empty where none came
  std::string current_;       // Authorization
  double expires_ = 0;        // of monotonic_seconds(); 0: it does not
  std::string note_;          // why no password was sent, for the message of a refusal
};

/// What an answer that refuses something says: Docker's list of errors, Ollama's error, or its
/// status.
std::string refusal_text(const download::Reply& reply);

}  // namespace pleiad::pull
