#include "apps/serve/config.h"

#include <charconv>
#include <cmath>
#include <fstream>
#include <regex>
#include <set>

#include "apps/common/model_flags.h"
#include "base/ascii.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/text_format.h"
#include "http/whence.h"

namespace pleiad::apps {
namespace {

using Settings = std::map<std::string, SettingValue, std::less<>>;

const SettingValue& value_of(const Settings& settings, std::string_view name) {
  const auto found = settings.find(name);
  CHECK(found != settings.end(), "no setting '{}'", name);
  return found->second;
}

template <typename Integer>
Integer integer(const Settings& settings, std::string_view name, Integer least, Integer most) {
  const auto& [text, origin] = value_of(settings, name);
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    refuse_setting(origin, fmt::format("expected an integer from {} to {}, found '{}'", least, most,
                                       printable(text)));
  }
  return value;
}

double seconds(const Settings& settings, std::string_view name) {
  const auto& [text, origin] = value_of(settings, name);
  const Result<double> parsed = parse_duration(text);
  if (!parsed) refuse_setting(origin, parsed.message());
  return parsed.value();
}

/// "8G", "8GiB", "512M", or bytes.
std::uint64_t bytes(const Settings& settings, std::string_view name) {
  const auto& [text, origin] = value_of(settings, name);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit = ascii_upper({end, text.data() + text.size()});
  for (const char* tail : {"IB", "B"}) {
    if (unit.ends_with(tail)) unit.erase(unit.size() - std::string_view(tail).size());
  }
  constexpr std::string_view kUnits = "KMGT";
  int shift = 0;
  bool good = error == std::errc() && number >= 0 && std::isfinite(number) && unit.size() <= 1;
  if (good && unit.size() == 1) {
    const std::size_t place = kUnits.find(unit[0]);
    good = place != kUnits.npos;
    shift = static_cast<int>(place + 1) * 10;
  }
  const double value = std::ldexp(number, shift);
  if (!good || value >= 0x1p62) {
    refuse_setting(origin,
                   fmt::format("expected a size such as 8G or 512M, found '{}'", printable(text)));
  }
  return static_cast<std::uint64_t>(value);
}

bool on(const Settings& settings, std::string_view name) {
  const auto& [text, origin] = value_of(settings, name);
  for (const char* yes : {"on", "1", "true", "yes"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"off", "0", "false", "no"}) {
    if (text == no) return false;
  }
  refuse_setting(origin, fmt::format("expected on or off, found '{}'", printable(text)));
}

std::string choice(const Settings& settings, std::string_view name,
                   std::initializer_list<std::string_view> choices) {
  const auto& [text, origin] = value_of(settings, name);
  std::string all;
  for (const std::string_view candidate : choices) {
    if (text == candidate) return text;
    all += fmt::format("{}{}", all.empty() ? "" : ", ", candidate);
  }
  refuse_setting(origin, fmt::format("expected one of {}, found '{}'", all, printable(text)));
}

/// "0.34.2": three numbers, as clients compare them, and what may follow a "-" or "+".
std::string version(const Settings& settings, std::string_view name) {
  const auto& [text, origin] = value_of(settings, name);
  static const std::regex form(R"(\d{1,9}\.\d{1,9}\.\d{1,9}([-+][0-9A-Za-z.+-]{1,40})?)");
  if (std::regex_match(text, form)) return text;
  refuse_setting(origin,
                 fmt::format("expected a version like 0.34.2, found '{}'", printable(text)));
}

std::vector<std::string> list(const Settings& settings, std::string_view name) {
  std::vector<std::string> items;
  std::string_view rest = value_of(settings, name).text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view item = rest.substr(0, comma);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (!item.empty()) items.emplace_back(item);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return items;
}

std::vector<std::string> keys_in_file(const Settings& settings, std::string_view name) {
  const auto& [path, origin] = value_of(settings, name);
  std::vector<std::string> keys;
  if (path.empty()) return keys;
  std::ifstream file(path);
  if (!file) throw Error("{}: {}: cannot be read", origin, path);
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
    if (!line.empty() && line.front() != '#') keys.push_back(line);
  }
  if (keys.empty()) throw Error("{}: {}: expected a key on a line, found none", origin, path);
  return keys;
}

KvType kv_type(const Settings& settings) {
  const auto& [text, origin] = value_of(settings, "kv-type");
  const auto types = kv_types();
  const auto found = types.find(text);
  if (found == types.end()) {
    refuse_setting(
        origin, fmt::format("expected f32, f16, bf16, q8_0 or q4_0, found '{}'", printable(text)));
  }
  return found->second;
}

cpu::ActivationForm activations(const Settings& settings) {
  const auto& [text, origin] = value_of(settings, "activations");
  if (text.empty()) return cpu::ActivationForm::automatic;
  const auto forms = activation_forms();
  const auto found = forms.find(text);
  if (found == forms.end()) {
    refuse_setting(origin, fmt::format("expected 8 or 16, found '{}'", printable(text)));
  }
  return found->second;
}

std::optional<DType> online(const Settings& settings) {
  const auto& [text, origin] = value_of(settings, "online");
  if (text.empty()) return std::nullopt;
  const auto type = gemma4::online_type_from_name(text);
  if (!type) {
    refuse_setting(origin, fmt::format("expected fp8, q8_0 or q4_0, found '{}'", printable(text)));
  }
  return type;
}

std::vector<std::string> trusted_proxies(const Settings& settings) {
  std::vector<std::string> proxies = list(settings, "trusted-proxy");
  const auto parsed = http::parse_trusted_proxies(proxies);
  if (!parsed) refuse_setting(value_of(settings, "trusted-proxy").origin, parsed.message());
  return proxies;
}

fetch::MediaHosts media_hosts(const Settings& settings) {
  Result<fetch::MediaHosts> hosts = fetch::MediaHosts::parse(list(settings, "media-hosts"));
  if (!hosts) refuse_setting(value_of(settings, "media-hosts").origin, hosts.message());
  return std::move(hosts).value();
}

void check_exposure(const ServeConfig& config, const SettingValue& host,
                    const SettingValue& proxies) {
  if (config.insecure || !config.use_keys.empty() || !config.admin_keys.empty()) return;
  if (!config.trusted_proxies.empty()) {
    throw Error(
        "{} = {} lets other machines in through it, and there is no key. Give --api-key-file FILE "
        "(or PLEIAD_API_KEY), or say --insecure if everybody who reaches the proxy may use it",
        proxies.origin, proxies.text);
  }
  if (config.listen.loopback) return;
  throw Error(
      "{} = {} lets other machines in, and there is no key. Give --api-key-file FILE (or "
      "PLEIAD_API_KEY), or say --insecure if everybody who reaches this port may use it",
      host.origin, host.text);
}

}  // namespace

ServeConfig make_config(const Settings& settings) {
  ServeConfig config;
  const SettingValue& host = value_of(settings, "host");
  config.listen = listen_address(host, value_of(settings, "port"));
  config.parallel = integer(settings, "parallel", 1, 256);
  config.max_queue = integer<std::size_t>(settings, "max-queue", 0, 1'000'000);
  config.context_length = integer<std::int64_t>(settings, "ctx", 0, std::int64_t{1} << 30);
  config.kv_type = kv_type(settings);
  config.activations = activations(settings);
  config.online = online(settings);
  config.kv_bytes = bytes(settings, "kv-memory");
  config.memory_bytes = bytes(settings, "memory");
  config.max_loaded_models = integer(settings, "max-loaded-models", 0, 1000);
  config.keep_alive_seconds = seconds(settings, "keep-alive");
  if (config.keep_alive_seconds < 0) config.keep_alive_seconds = INFINITY;
  config.timeout_seconds = seconds(settings, "timeout");
  config.thinking_budget =
      integer<std::int64_t>(settings, "thinking-budget", 0, std::int64_t{1} << 30);
  config.repetition_guard = on(settings, "repetition-guard");
  config.threads = integer(settings, "threads", 0, 1024);
  config.origins = list(settings, "origins");
  config.hosts = list(settings, "allowed-hosts");
  config.trusted_proxies = trusted_proxies(settings);
  config.connections_per_address =
      integer<std::uint32_t>(settings, "max-connections-per-address", 0, 1'000'000);
  config.media_hosts = media_hosts(settings);
  config.use_keys = keys_in_file(settings, "api-key-file");
  if (const std::string& key = value_of(settings, "api-key").text; !key.empty()) {
    config.use_keys.push_back(key);
  }
  config.admin_keys = keys_in_file(settings, "admin-key-file");
  std::set<std::string_view> keys(config.use_keys.begin(), config.use_keys.end());
  keys.insert(config.admin_keys.begin(), config.admin_keys.end());
  config.n_keys = keys.size();
  const std::string scope = choice(settings, "cache-scope", {"auto", "key", "server"});
  config.cache_per_key = scope == "key" || (scope == "auto" && config.n_keys > 1);
  config.strict_fields = on(settings, "strict-fields");
  config.ollama_version = version(settings, "ollama-version");
  config.no_pull = on(settings, "no-pull");
  config.insecure = on(settings, "insecure");
  config.log_level = choice(settings, "log-level", {"debug", "info", "warn", "error"});
  config.log_json = choice(settings, "log-format", {"text", "json"}) == "json";
  config.log_prompts = on(settings, "log-prompts");
  config.grace_seconds = seconds(settings, "grace");
  check_exposure(config, host, value_of(settings, "trusted-proxy"));
  return config;
}

std::string describe_settings(const Settings& settings) {
  std::string table = fmt::format("{:<28} {:<24} {}\n", "SETTING", "VALUE", "FROM");
  for (const SettingDefinition& definition : setting_definitions()) {
    const auto& [text, origin] = value_of(settings, definition.name);
    const bool secret = definition.name == "api-key" && !text.empty();
    table += fmt::format("{:<28} {:<24} {}\n", definition.name,
                         secret         ? "(set)"
                         : text.empty() ? "-"
                                        : printable(text),
                         origin);
  }
  return table;
}

}  // namespace pleiad::apps
