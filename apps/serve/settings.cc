#include "apps/serve/settings.h"

#include <algorithm>
#include <array>

#include "api/ollama/routes.h"
#include "apps/common/usage_error.h"

namespace pleiad::apps {
namespace {

constexpr auto kDefinitions = std::to_array<SettingDefinition>({
    {"host", "HOST", true, "127.0.0.1:11434", "ADDRESS",
     "Where to listen: ADDRESS, ADDRESS:PORT, :PORT or unix:PATH"},
    {"port", "", false, "", "N",
     "The port of --host, where that names none (default: 11434); 0: any that is free"},
    {"parallel", "NUM_PARALLEL", true, "32", "N", "Answers that a model generates together"},
    {"max-queue", "MAX_QUEUE", true, "512", "N",
     "Requests that may wait for each model; more are answered with 503"},
    {"ctx", "CONTEXT_LENGTH", true, "0", "N",
     "Longest context in tokens (0: what the model supports)", "-c,--ctx-size,--num-ctx"},
    {"kv-type", "KV_CACHE_TYPE", true, "bf16", "bf16|f16|f32|q4_0|q8_0",
     "How keys and values are cached: f32, f16, bf16, q8_0 or q4_0"},
    {"activations", "ACTIVATIONS", false, "", "8|16",
     "Bits of what quantized weights are multiplied with: 16 is slower and more precise (default: "
     "8; with AMX 16 for generated tokens and bf16 for prompts)"},
    {"online", "ONLINE", false, "", "fp8|q4_0|q8_0",
     "Quantize BF16, F16 and F32 models to fp8, q8_0 or q4_0 while they load; others stay as "
     "they are"},
    {"kv-memory", "KV_MEMORY", false, "0", "SIZE",
     "Memory for keys and values of each model, cached prompts included (0: by what is free)"},
    {"memory", "MEMORY", false, "0", "SIZE",
     "Memory for all loaded models together (0: by what is free)"},
    {"max-loaded-models", "MAX_LOADED_MODELS", true, "0", "N",
     "Models in memory at a time (0: as many as fit)"},
    {"keep-alive", "KEEP_ALIVE", true, "5m", "DURATION",
     "How long an idle model stays loaded: 5m, 1h30m, seconds; negative: for ever", "--keepalive"},
    {"timeout", "TIMEOUT", false, "0", "DURATION",
     "Longest time for one answer, waiting included (0: no limit)"},
    {"thinking-budget", "THINKING_BUDGET", false, "0", "N",
     "Most tokens of thinking of requests that name none: then the thought is ended, and the "
     "answer "
     "follows (0: no limit)"},
    {"repetition-guard", "REPETITION_GUARD", false, "on", "on|off",
     "End answers, and thoughts, that repeat themselves without end; requests may say otherwise"},
    {"threads", "THREADS", false, "0", "N", "Threads to compute with (0: all physical cores)",
     "-t"},
    {"origins", "ORIGINS", true, "", "LIST",
     "Web pages of other hosts that may call: origins with commas, or *"},
    {"allowed-hosts", "ALLOWED_HOSTS", false, "", "LIST",
     "Further names that this server is called by, with commas"},
    {"trusted-proxy", "TRUSTED_PROXY", false, "", "LIST",
     "Proxies that are believed when they say for whom they ask: addresses, networks (10.0.0.0/8) "
     "or unix, with commas"},
    {"max-connections-per-address", "MAX_CONNECTIONS_PER_ADDRESS", false, "1024", "N",
     "Connections of one address; trusted proxies have no limit (0: no limit)"},
    {"api-key", "API_KEY", false, "", "KEY", "Key that callers must send (better: --api-key-file)"},
    {"api-key-file", "API_KEY_FILE", false, "", "FILE", "File with such keys, one a line"},
    {"admin-key-file", "ADMIN_KEY_FILE", false, "", "FILE",
     "File with keys that may create, copy, delete, pull and push models as well"},
    {"cache-scope", "CACHE_SCOPE", false, "auto", "auto|key|server",
     "Whose prompts are found in the cache: those of the same key (key) or all (server); auto: key "
     "where there are several keys"},
    {"strict-fields", "STRICT_FIELDS", false, "off", "",
     "Refuse requests in OpenAI's and Anthropic's forms that have fields without effect here, "
     "instead of naming these in the answer"},
    {"ollama-version", "OLLAMA_VERSION", false, api::ollama::kOllamaVersion, "VERSION",
     "The version of Ollama that clients are told: some leave where it is too old"},
    {"media-hosts", "MEDIA_HOSTS", false, "", "LIST",
     "Hosts whose pictures are fetched when a request has their URL: cdn.example.com, "
     "*.example.org, with commas"},
    {"no-pull", "NO_PULL", false, "off", "",
     "Neither fetch models for those who ask nor send any elsewhere"},
    {"insecure", "INSECURE", false, "off", "", "Listen beyond this machine without any key"},
    {"log-level", "LOG_LEVEL", false, "info", "debug|info|warn|error", "What is logged"},
    {"log-format", "LOG_FORMAT", false, "text", "text|json", "How: text is key=value"},
    {"log-prompts", "LOG_PROMPTS", false, "off", "", "Write prompts to the log"},
    {"grace", "GRACE", false, "30s", "DURATION",
     "How long running answers may go on after SIGTERM"},
});

/// Ollama's variables that tune what does not exist here.
constexpr auto kMeaningless = std::to_array<std::string_view>({
    "FLASH_ATTENTION",
    "GPU_OVERHEAD",
    "SCHED_SPREAD",
    "LLM_LIBRARY",
    "VULKAN",
    "LOAD_TIMEOUT",
    "NOPRUNE",
    "REMOTES",
    "IGPU_ENABLE",
    "DEBUG",
    "DEBUG_LOG_REQUESTS",
    "GO_TEMPLATE",
    "MAX_TRANSFER_STREAMS",
});

}  // namespace

void refuse_setting(const std::string& origin, const std::string& why) {
  if (origin.starts_with("--")) throw UsageError("{}: {}", origin, why);
  throw Error("{}: {}", origin, why);
}

std::span<const SettingDefinition> setting_definitions() { return kDefinitions; }

std::map<std::string, SettingValue, std::less<>> resolve_settings(
    const std::map<std::string, std::string, std::less<>>& flags,
    const std::map<std::string, std::string, std::less<>>& variables) {
  const auto set = [&](const std::string& name) -> const std::string* {
    const auto found = variables.find(name);
    return found == variables.end() || found->second.empty() ? nullptr : &found->second;
  };
  std::map<std::string, SettingValue, std::less<>> values;
  for (const SettingDefinition& setting : kDefinitions) {
    SettingValue value = {std::string(setting.default_value), "default"};
    const std::string variable(setting.variable);
    const std::string own = "PLEIAD_" + variable, theirs = "OLLAMA_" + variable;
    if (const auto flag = flags.find(setting.name); flag != flags.end()) {
      value = {flag->second, "--" + std::string(setting.name)};
    } else if (const std::string* text = variable.empty() ? nullptr : set(own)) {
      value = {*text, own};
    } else if (const std::string* other = setting.ollama ? set(theirs) : nullptr) {
      value = {*other, theirs};
    }
    values.emplace(setting.name, std::move(value));
  }
  return values;
}

std::vector<std::string> unused_variables(
    const std::map<std::string, std::string, std::less<>>& variables) {
  std::vector<std::string> unused;
  for (const std::string_view name : kMeaningless) {
    const std::string variable = "OLLAMA_" + std::string(name);
    const auto found = variables.find(variable);
    if (found != variables.end() && !found->second.empty()) unused.push_back(variable);
  }
  return unused;
}

}  // namespace pleiad::apps
