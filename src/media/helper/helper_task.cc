#include "media/helper/helper_task.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::media {
namespace {

constexpr std::string_view kKindNames[kHelperKinds] = {"picture", "stream"};

HelperKind kind_of_argument(std::string_view text) {
  for (int i = 0; i < kHelperKinds; ++i) {
    if (text == kKindNames[i]) return static_cast<HelperKind>(i);
  }
  throw Error("expected what to read, found '{}'", printable(text));
}

std::uint64_t number_of_argument(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error("expected a number, found '{}'", printable(text));
  }
  return number;
}

}  // namespace

std::vector<std::string> helper_arguments(const HelperTask& task) {
  return {std::string(kKindNames[static_cast<int>(task.kind)]),
          fmt::format("{}", task.limits.memory_bytes), fmt::format("{}", task.limits.cpu_seconds)};
}

HelperTask helper_task(std::span<const char* const> arguments) {
  if (arguments.size() < 3) throw Error("expected limits of memory and time, found nothing");
  arguments = arguments.last(3);
  return {kind_of_argument(arguments[0]),
          {number_of_argument(arguments[1]), number_of_argument(arguments[2])}};
}

}  // namespace pleiad::media
