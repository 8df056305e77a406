#pragma once

#include <string>

#include "store/model_name.h"

namespace pleiad::pull {

/// Where the protocol's requests of a model go.
struct RegistryAddress {
  std::string host;        // as the name has it: "docker.io", "localhost:5000"
  std::string api_host;    // that is asked: "registry-1.docker.io"
  std::string repository;  // "library/gemma4"
  std::string tag;

  explicit RegistryAddress(const store::ModelName& name);
};

/// A token server that may have a registry's ("host[:port]") password: on its own host, whatever
/// the port, on one that its name lies below, or Docker Hub's.
bool is_token_host_of(const std::string& registry, const std::string& token_host);

/// Ollama's registry, which knows people by keys alone.
bool is_ollama(const RegistryAddress& address);

}  // namespace pleiad::pull
