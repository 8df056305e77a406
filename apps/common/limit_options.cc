#include "apps/common/limit_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/error.h"

namespace pleiad::apps {

cpu::LimitOptions limit_options(const Environment& environment) {
  constexpr std::string_view kVariable = "PLEIAD_READ_BUFFER_MIB";
  cpu::LimitOptions options;
  const auto found = environment.variables.find(kVariable);
  if (found == environment.variables.end() || found->second.empty()) return options;
  const std::string& text = found->second;
  std::int64_t mebibytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mebibytes);
  if (error != std::errc() || end != text.data() + text.size() || mebibytes < 16 ||
      mebibytes > 65'536) {
    throw Error(fmt::format("{}: expected a whole number of MiB from 16 to 65,536, found \"{}\"",
                            kVariable, text));
  }
  options.read_buffer_bytes = mebibytes << 20;
  return options;
}

}  // namespace pleiad::apps
