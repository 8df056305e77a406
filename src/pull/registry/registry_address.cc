#include "pull/registry/registry_address.h"

#include "base/ascii.h"
#include "http/authority.h"
#include "http/ip_address.h"

namespace pleiad::pull {

RegistryAddress::RegistryAddress(const store::ModelName& name)
    : host(ascii_lower(name.host)),
      api_host(host),
      repository(name.space + "/" + name.model),
      tag(name.tag) {
  // Docker Hub answers under another name than its models have.
  if (host == "docker.io" || host == "index.docker.io") api_host = "registry-1.docker.io";
}

bool is_token_host_of(const std::string& registry, const std::string& token_host) {
  // Without the port: whoever has a host has all of its ports.
  const auto name = http::parse_authority(registry);
  if (!name) return false;
  if (name->host == token_host) return true;
  if (name->host == "registry-1.docker.io") return token_host == "auth.docker.io";
  // Whoever has gitlab.com has registry.gitlab.com.
  return !http::parse_ip(name->host) && token_host.find('.') != std::string::npos &&
         name->host.ends_with("." + token_host);
}

bool is_ollama(const RegistryAddress& address) {
  return address.host == "registry.ollama.ai" || address.host == "ollama.com";
}

}  // namespace pleiad::pull
