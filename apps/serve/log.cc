#include "apps/serve/log.h"

#include <fmt/chrono.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <chrono>

#include "base/terminal_text.h"
#include "base/text_format.h"

namespace pleiad::apps {
namespace {

constexpr std::string_view kNames[] = {"debug", "info", "warn", "error"};

spdlog::level::level_enum to_spdlog(Log::Level level) {
  switch (level) {
    case Log::Level::debug:
      return spdlog::level::debug;
    case Log::Level::info:
      return spdlog::level::info;
    case Log::Level::warn:
      return spdlog::level::warn;
    case Log::Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

/// JSON on one line that does nothing to a terminal.
std::string dump(const Json& value) { return terminal_text(to_text(value)); }

bool is_plain(const std::string& text) {
  return !text.empty() && text.find_first_of(" \"=\\") == std::string::npos &&
         printable(text, std::string::npos) == text;
}

std::string field_text(const Json& value) {
  if (!value.is_string()) return dump(value);
  const auto& text = value.get_ref<const std::string&>();
  const std::string quoted = dump(value);
  // Bytes that are not UTF-8 come out of dump() as the replacement character.
  return is_plain(text) ? quoted.substr(1, quoted.size() - 2) : quoted;
}

std::string utc_now() {
  const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const auto millis = now.time_since_epoch().count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), millis);
}

}  // namespace

std::string format_fields(std::string_view level, std::string_view message,
                          const Log::Fields& fields) {
  std::string line = fmt::format("level={} msg={}", level, dump(Json(message)));
  for (const auto& [key, value] : fields) line += fmt::format(" {}={}", key, field_text(value));
  return line;
}

Log::Log(std::string_view least_level, bool as_json)
    : logger_(std::make_shared<spdlog::logger>("pleiad",
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>())),
      as_json_(as_json) {
  logger_->set_pattern("%v");
  logger_->flush_on(spdlog::level::debug);
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == least_level) logger_->set_level(to_spdlog(static_cast<Level>(i)));
  }
}

Log::~Log() = default;

bool Log::writes(Level level) const { return logger_->should_log(to_spdlog(level)); }

void Log::write(Level level, std::string_view message, const Fields& fields) {
  if (!writes(level)) return;
  const std::string_view name = kNames[static_cast<std::size_t>(level)];
  std::string line;
  if (as_json_) {
    Json object = {{"time", utc_now()}, {"level", name}, {"msg", message}};
    for (const auto& [key, value] : fields) object[std::string(key)] = value;
    line = dump(object);
  } else {
    line = fmt::format("time={} {}", utc_now(), format_fields(name, message, fields));
  }
  logger_->log(to_spdlog(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace pleiad::apps
