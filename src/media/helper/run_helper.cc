#include "media/helper/run_helper.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text_format.h"
#include "media/decode.h"
#include "media/helper/messages.h"

namespace pleiad::media {
namespace {

constexpr int kInput = 0;
constexpr int kOutput = 1;

bool read_whole(std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t n = ::read(kInput, into.data(), into.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

bool write_whole(std::span<const std::byte> from) {
  while (!from.empty()) {
    const ssize_t n = ::write(kOutput, from.data(), from.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from = from.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

bool say_text(MessageKind kind, std::string_view text) {
  text = text.substr(0, kMaxMessageText);
  Message message;
  message.kind = kind;
  message.n_bytes = text.size();
  return write_whole(bytes_of(message)) && write_whole(std::as_bytes(std::span(text)));
}

bool say_picture(const PreparedPicture& picture) {
  Message message;
  message.kind = MessageKind::picture;
  message.original_width = static_cast<std::uint32_t>(picture.original.width);
  message.original_height = static_cast<std::uint32_t>(picture.original.height);
  message.width = static_cast<std::uint32_t>(picture.pixels.size.width);
  message.height = static_cast<std::uint32_t>(picture.pixels.size.height);
  message.budget = static_cast<std::uint32_t>(picture.budget);
  message.n_soft_tokens = static_cast<std::uint32_t>(picture.n_soft_tokens);
  message.n_bytes = picture.pixels.rgb.size();
  return write_whole(bytes_of(message)) &&
         write_whole(std::as_bytes(std::span(picture.pixels.rgb)));
}

/// Reads the picture and answers; false where the parent is gone.
bool answer_question(const Prepare& prepare, const HelperLimits& limits) {
  Question question;
  if (!read_whole(bytes_of(question)) || question.begin != Question::kBegin) return false;
  try {
    std::vector<std::byte> bytes(static_cast<std::size_t>(question.n_bytes));
    if (!read_whole(bytes)) return false;
    const Result<PreparedPicture> picture =
        prepare(bytes, options_of(question), limits_of(question));
    return picture ? say_picture(picture.value())
                   : say_text(MessageKind::failure, picture.message());
  } catch (const std::bad_alloc&) {
    return say_text(MessageKind::failure, fmt::format("takes more than {} of memory to be read",
                                                      format_bytes(limits.memory_bytes)));
  } catch (const std::length_error&) {
    return say_text(MessageKind::failure, "takes more memory to be read than there can be");
  }
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

std::vector<std::string> helper_arguments(const HelperLimits& limits) {
  return {fmt::format("{}", limits.memory_bytes), fmt::format("{}", limits.cpu_seconds)};
}

HelperLimits helper_limits(std::span<const char* const> arguments) {
  if (arguments.size() < 2) throw Error("expected limits of memory and time, found nothing");
  arguments = arguments.last(2);
  return {number_of_argument(arguments[0]), number_of_argument(arguments[1])};
}

bool is_started_as_helper() {
  struct stat input = {};
  struct stat output = {};
  return ::fstat(kInput, &input) == 0 && ::fstat(kOutput, &output) == 0 &&
         S_ISFIFO(input.st_mode) && S_ISFIFO(output.st_mode);
}

int run_helper(const HelperLimits& limits, const Prepare& prepare) noexcept {
  try {
    load_decoders();
    Message ready;
    ready.kind = MessageKind::ready;
    ready.confined = confine_helper(limits).bits();
    if (!write_whole(bytes_of(ready))) return 1;
  } catch (const std::exception& error) {
    say_text(MessageKind::not_confined, error.what());
    return 1;
  }
  return answer_question(prepare, limits) ? 0 : 1;
}

}  // namespace pleiad::media
