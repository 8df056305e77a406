#include "apps/common/environment.h"

#include <initializer_list>
#include <sstream>
#include <string_view>

#include "base/ascii.h"
#include "base/os/program.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

std::string value_in(const Variables& variables, std::string_view name) {
  const auto found = variables.find(name);
  return found == variables.end() ? "" : found->second;
}

/// The first of them that is set to something.
std::string first_of(const Variables& variables, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (std::string value = value_in(variables, name); !value.empty()) return value;
  }
  return {};
}

/// As the hub's own tools read it: 1, true, yes or on, in any case of letters.
bool is_on(const std::string& text) {
  const std::string lower = ascii_lower(text);
  return lower == "1" || lower == "true" || lower == "yes" || lower == "on";
}

std::vector<fs::path> split_paths(const std::string& text) {
  std::vector<fs::path> paths;
  std::istringstream stream(text);
  for (std::string path; std::getline(stream, path, os::path_separator());) {
    if (!path.empty()) paths.emplace_back(path);
  }
  return paths;
}

/// The folder of `name` that the XDG variable gives, else below the home folder.
fs::path xdg_folder(const Variables& variables, std::string_view name, const fs::path& home,
                    const fs::path& below_home) {
  if (const std::string folder = value_in(variables, name); !folder.empty()) return folder;
  return home.empty() ? fs::path() : home / below_home;
}

void read_model_places(Environment& environment, const Variables& variables) {
  const auto variable = [&](std::string_view name) { return value_in(variables, name); };
  const fs::path& home = environment.home;
  environment.own_models = variable("PLEIAD_MODELS");
  const fs::path data = xdg_folder(variables, "XDG_DATA_HOME", home, ".local/share");
  if (environment.own_models.empty() && !data.empty()) {
    environment.own_models = data / "pleiad" / "models";
  }
  if (const std::string ollama = variable("OLLAMA_MODELS"); !ollama.empty()) {
    environment.ollama_models = {ollama};
  } else {
    if (!home.empty()) environment.ollama_models.push_back(home / ".ollama" / "models");
    environment.ollama_models.emplace_back("/usr/share/ollama/.ollama/models");  // its service's
  }
  const fs::path cache = xdg_folder(variables, "XDG_CACHE_HOME", home, ".cache");
  if (const std::string hub = variable("HF_HUB_CACHE"); !hub.empty()) {
    environment.hugging_face = {hub};
  } else if (const std::string own = variable("HF_HOME"); !own.empty()) {
    environment.hugging_face = {fs::path(own) / "hub"};
  } else if (!cache.empty()) {
    environment.hugging_face = {cache / "huggingface" / "hub"};
  }
  environment.model_folders = split_paths(variable("PLEIAD_MODEL_FOLDERS"));
}

NetworkEnvironment read_network(const fs::path& home, const Variables& variables) {
  const auto variable = [&](std::string_view name) { return value_in(variables, name); };
  const auto first_variable = [&](std::initializer_list<std::string_view> names) {
    return first_of(variables, names);
  };
  NetworkEnvironment network;
  network.http_proxy = variable("http_proxy");
  network.https_proxy = first_variable({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
  if (network.http_proxy.empty()) network.http_proxy = first_variable({"all_proxy", "ALL_PROXY"});
  network.no_proxy = first_variable({"no_proxy", "NO_PROXY"});
  network.netrc = variable("NETRC");
  if (network.netrc.empty() && !home.empty()) network.netrc = home / ".netrc";
  if (const std::string docker = variable("DOCKER_CONFIG"); !docker.empty()) {
    network.docker_config = fs::path(docker) / "config.json";
  } else if (!home.empty()) {
    network.docker_config = home / ".docker" / "config.json";
  }
  network.hub_endpoint = variable("HF_ENDPOINT");
  network.hub_token = first_variable({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"});
  network.hub_token_file = variable("HF_TOKEN_PATH");
  if (network.hub_token_file.empty()) {
    const fs::path cache = xdg_folder(variables, "XDG_CACHE_HOME", home, ".cache");
    if (const std::string own = variable("HF_HOME"); !own.empty()) {
      network.hub_token_file = fs::path(own) / "token";
    } else if (!cache.empty()) {
      network.hub_token_file = cache / "huggingface" / "token";
    }
  }
  network.hub_offline =
      is_on(variable("HF_HUB_OFFLINE")) || is_on(variable("TRANSFORMERS_OFFLINE"));
  return network;
}

}  // namespace

Environment read_environment() {
  const Variables variables = os::variables();
  const auto variable = [&](std::string_view name) { return value_in(variables, name); };
  Environment environment;
  environment.isa = variable("PLEIAD_ISA");
  const std::string terminal = variable("TERM");
  environment.dumb_terminal = terminal.empty() || terminal == "dumb";
  environment.colour = variable("NO_COLOR").empty() && !environment.dumb_terminal;
  environment.home = variable(os::home_variable());
  environment.certificates = variable("SSL_CERT_FILE");
  environment.notify_socket = variable("NOTIFY_SOCKET");
  environment.executable = os::executable();
  if (const std::string state = variable("XDG_STATE_HOME"); !state.empty()) {
    environment.state_folder = std::filesystem::path(state) / "pleiad";
  } else if (!environment.home.empty()) {
    environment.state_folder = environment.home / ".local" / "state" / "pleiad";
  }
  for (const auto& [name, value] : variables) {
    if (name.starts_with("PLEIAD_") || name.starts_with("OLLAMA_")) {
      environment.variables.emplace(name, value);
    }
  }
  read_model_places(environment, variables);
  environment.network = read_network(environment.home, variables);
  return environment;
}

}  // namespace pleiad::apps
