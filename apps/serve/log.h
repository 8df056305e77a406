#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace spdlog {
class logger;
}

namespace pleiad::apps {

/// The server's log: one line an event on the error output, as key=value or JSON.
/// Threads may share it.
class Log {
 public:
  enum class Level { debug, info, warn, error };
  using Fields = std::vector<std::pair<std::string_view, Json>>;

  Log(std::string_view least_level, bool as_json);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void write(Level level, std::string_view message, const Fields& fields = {});
  bool writes(Level level) const;

 private:
  std::shared_ptr<spdlog::logger> logger_;
  bool as_json_;
};

/// The text after the time: `level=info msg="..." key=value ...`. Values with blanks,
/// quotes or control characters are quoted as JSON, so that nobody can forge a line.
std::string format_fields(std::string_view level, std::string_view message,
                          const Log::Fields& fields);

}  // namespace pleiad::apps
