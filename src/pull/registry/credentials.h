#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pleiad::pull {

struct Login {
  std::string user, password;

  /// The value of Authorization for it: "Basic ...".
  std::string basic() const;
  bool operator==(const Login&) const = default;
};

/// What `docker login` keeps, by host and port as they were given: "registry.example.com:5000".
struct DockerLogins {
  std::map<std::string, Login> logins;
  std::vector<std::string> elsewhere;  // hosts whose passwords a helper program keeps, or which
                                       // have a token that no password is
  std::string helper;                  // that keeps all others' ("desktop"); empty: none
};

/// Docker's config.json: its "auths", "credHelpers" and "credsStore". Any bytes may be given.
Result<DockerLogins> parse_docker_config(std::string_view text);

/// Who somebody is to registries. Passwords of netrc are not here: they belong to connections
/// (download::Surroundings).
struct Credentials {
  std::map<std::string, Login> named = {};   // by "host" or "host:port"; before all others
  std::filesystem::path docker_config = {};  // its config.json; empty, or not there: none

  /// For a registry's "host[:port]". A Failure says what is wrong with the file.
  Result<std::optional<Login>> find(std::string_view host) const;

  /// Why none was found though Docker has one, as an end of a sentence: "; docker keeps ..."; empty
  /// where there is no such reason.
  std::string why_not(std::string_view host) const;
};

}  // namespace pleiad::pull
