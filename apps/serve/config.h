#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/serve/settings.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/kv_view.h"
#include "fetch/media_hosts.h"
#include "tensor/dtype.h"

namespace pleiad::apps {

/// Where the server listens.
struct ListenAddress {
  std::string host;  // "127.0.0.1", "::", "unix:/run/pleiad.sock"
  std::uint16_t port = 11434;
  bool names_port = false;  // the text said so; otherwise the port is Ollama's
  bool loopback = true;     // a Unix socket counts as well
};

/// Reads the forms of OLLAMA_HOST: "host", "host:port", ":port", "[::1]:port",
/// "http://host:port/", and "unix:PATH". Throws Error with `origin` in front.
ListenAddress parse_listen_address(const std::string& text, const std::string& origin);

/// The host's address with the port that --port gives, if any. Throws Error where they contradict
/// each other: a port of its own in --host that is another one, a Unix socket. What --host does not
/// say but a variable does gives way.
ListenAddress listen_address(const SettingValue& host, const SettingValue& port);

/// The settings of the server, checked.
struct ServeConfig {
  ListenAddress listen;
  int parallel = 0;
  std::size_t max_queue = 0;
  std::int64_t context_length = 0;
  KvType kv_type = KvType::bf16;
  cpu::ActivationForm activations = cpu::ActivationForm::automatic;
  std::optional<DType> online;  // what plain floats are quantized to while they load
  std::uint64_t kv_bytes = 0;
  std::uint64_t memory_bytes = 0;
  int max_loaded_models = 0;
  double keep_alive_seconds = 0;     // infinity: for ever
  double timeout_seconds = 0;        // 0: none
  std::int64_t thinking_budget = 0;  // of requests that name none; 0: no limit
  bool repetition_guard = true;      // likewise
  int threads = 0;
  std::vector<std::string> origins;
  std::vector<std::string> hosts;
  std::vector<std::string> trusted_proxies;
  std::uint32_t connections_per_address = 0;  // 0: no limit
  fetch::MediaHosts media_hosts;              // whose pictures are fetched; empty: nobody's
  std::vector<std::string> use_keys;
  std::vector<std::string> admin_keys;
  std::size_t n_keys = 0;      // of both kinds, without repetitions
  bool cache_per_key = false;  // prompts are found in the cache by their own key alone
  bool strict_fields = false;  // of OpenAI's and Anthropic's APIs
  std::string ollama_version;
  bool no_pull = false;  // models are neither pulled nor pushed
  bool insecure = false;
  std::string log_level;
  bool log_json = false;
  bool log_prompts = false;
  double grace_seconds = 0;
};

/// Throws Error that names where the bad value came from; also where the server
/// would be open to other machines without a key. Reads the key files.
ServeConfig make_config(const std::map<std::string, SettingValue, std::less<>>& settings);

/// A table for --print-config; keys are not shown.
std::string describe_settings(const std::map<std::string, SettingValue, std::less<>>& settings);

}  // namespace pleiad::apps
