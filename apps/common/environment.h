#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace pleiad::apps {

/// How other hosts are reached, and what they know this user by.
struct NetworkEnvironment {
  std::string http_proxy;               // http_proxy; HTTP_PROXY is left alone, as curl does
  std::string https_proxy;              // https_proxy, HTTPS_PROXY, else all_proxy, ALL_PROXY
  std::string no_proxy;                 // no_proxy, NO_PROXY
  std::filesystem::path netrc;          // NETRC, else ~/.netrc; it need not be there
  std::filesystem::path docker_config;  // DOCKER_CONFIG/config.json, else below ~/.docker; likewise
  std::string hub_endpoint;             // HF_ENDPOINT: a mirror of Hugging Face
  std::string hub_token;                // HF_TOKEN, HUGGING_FACE_HUB_TOKEN
  std::filesystem::path hub_token_file;  // HF_TOKEN_PATH, HF_HOME/token, or the usual place
  bool hub_offline = false;              // HF_HUB_OFFLINE, TRANSFORMERS_OFFLINE
};

/// What the program takes from its surroundings, read once in main().
struct Environment {
  std::string isa;                     // PLEIAD_ISA: force an instruction set
  bool colour = true;                  // NO_COLOR unset, terminal not dumb
  bool dumb_terminal = false;          // TERM "dumb" or unset: it obeys no sequences
  std::filesystem::path executable;    // this program's file
  std::filesystem::path home;          // HOME, or what the system calls it
  std::filesystem::path state_folder;  // XDG_STATE_HOME/pleiad; empty: none known
  std::filesystem::path certificates;  // SSL_CERT_FILE; empty: as the system trusts
  std::string notify_socket;           // NOTIFY_SOCKET: the service manager's; empty: none
  std::map<std::string, std::string, std::less<>> variables;  // PLEIAD_* and OLLAMA_*
  std::filesystem::path own_models;  // PLEIAD_MODELS, XDG_DATA_HOME/pleiad/models; empty: none
  std::vector<std::filesystem::path> ollama_models;  // OLLAMA_MODELS, or where Ollama has them
  std::vector<std::filesystem::path> hugging_face;  // HF_HUB_CACHE, HF_HOME/hub, or the usual place
  std::vector<std::filesystem::path> model_folders;  // PLEIAD_MODEL_FOLDERS: a list as PATH is one
  NetworkEnvironment network;
};

Environment read_environment();

}  // namespace pleiad::apps
