#include "pull/registry/credentials.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text_format.h"
#include "store/small_file.h"

namespace pleiad::pull {
namespace {

constexpr std::size_t kLongestConfig = 1 << 20;

/// "https://index.docker.io/v1/" -> "docker.io", "registry.example.com:5000/v2/" without its path.
std::string host_of_entry(std::string_view key) {
  if (const std::size_t scheme = key.find("://"); scheme != std::string_view::npos) {
    key.remove_prefix(scheme + 3);
  }
  std::string host = ascii_lower(key.substr(0, key.find('/')));
  if (host == "index.docker.io" || host == "registry-1.docker.io") return "docker.io";
  return host;
}

/// Throws Error; caught in parse_docker_config.
std::optional<Login> read_login(const std::string& key, const Json& entry) {
  if (!entry.is_object()) throw Error("auths: {}: expected an object", printable(key));
  Login login{text_member(entry, "username"), text_member(entry, "password")};
  if (const std::string encoded = text_member(entry, "auth"); !encoded.empty()) {
    const auto decoded = decode_base64(encoded);
    const std::size_t colon = decoded ? decoded.value().find(':') : std::string::npos;
    if (colon == std::string::npos) {
      throw Error("auths: {}: auth: expected user:password in base64", printable(key));
    }
    login.user = decoded.value().substr(0, colon);
    login.password = decoded.value().substr(colon + 1);
    // Docker pads some with zeros.
    login.password.erase(login.password.find_last_not_of('\0') + 1);
  }
  if (login.user.empty() || login.password.empty()) return std::nullopt;
  return login;
}

DockerLogins read_docker_config(std::string_view text) {
  const Json json = parse_json(text, "it");
  if (!json.is_object()) throw Error("expected an object");
  DockerLogins result;
  if (const Json* auths = find_member(json, "auths")) {
    if (!auths->is_object()) throw Error("auths: expected an object");
    for (const auto& [key, entry] : auths->items()) {
      if (auto login = read_login(key, entry)) {
        result.logins.emplace(host_of_entry(key), std::move(*login));
      } else {
        result.elsewhere.push_back(host_of_entry(key));
      }
    }
  }
  if (const Json* helpers = find_member(json, "credHelpers"); helpers != nullptr) {
    if (!helpers->is_object()) throw Error("credHelpers: expected an object");
    for (const auto& [key, helper] : helpers->items()) {
      result.elsewhere.push_back(host_of_entry(key));
    }
  }
  result.helper = text_member(json, "credsStore");
  return result;
}

/// Nothing where there is no such file.
Result<std::optional<DockerLogins>> load_docker_config(const std::filesystem::path& path) {
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) {
    return std::optional<DockerLogins>();
  }
  const auto text = store::read_small_file(path, kLongestConfig);
  if (!text) return Failure{text.message()};
  auto logins = parse_docker_config(text.value());
  if (!logins) return Failure{fmt::format("{}: {}", path.string(), logins.message())};
  return std::optional<DockerLogins>(std::move(logins).value());
}

}  // namespace

std::string Login::basic() const { return "Basic " + encode_base64(user + ":" + password); }

Result<DockerLogins> parse_docker_config(std::string_view text) {
  try {
    return read_docker_config(text);
  } catch (const Error& error) {
    return Failure{error.what()};
  }
}

Result<std::optional<Login>> Credentials::find(std::string_view host) const {
  const std::string wanted = host_of_entry(host);
  for (const auto& [name, login] : named) {
    if (host_of_entry(name) == wanted) return std::optional<Login>(login);
  }
  const auto docker = load_docker_config(docker_config);
  if (!docker) return Failure{docker.message()};
  if (!docker.value()) return std::optional<Login>();
  const auto found = docker.value()->logins.find(wanted);
  if (found == docker.value()->logins.end()) return std::optional<Login>();
  return std::optional<Login>(found->second);
}

std::string Credentials::why_not(std::string_view host) const {
  const auto docker = load_docker_config(docker_config);
  if (!docker || !docker.value()) return {};
  const std::string wanted = host_of_entry(host);
  const bool kept =
      std::ranges::find(docker.value()->elsewhere, wanted) != docker.value()->elsewhere.end();
  if (!kept) return {};
  return fmt::format("; {} leaves its password to {}, which is not asked", docker_config.string(),
                     docker.value()->helper.empty()
                         ? "a helper program or a token"
                         : "docker-credential-" + printable(docker.value()->helper, 40));
}

}  // namespace pleiad::pull
