#include "media/helper/answer.h"

#include <algorithm>
#include <utility>

#include "base/text_format.h"
#include "media/budget.h"

namespace pleiad::media {
namespace {

/// The text of a message, fit to be shown; empty where it ends early or is longer than texts are.
std::string read_text(const ReadExactly& read, const Message& message) {
  if (message.n_bytes == 0 || message.n_bytes > kMaxMessageText) return {};
  std::string text(static_cast<std::size_t>(message.n_bytes), '\0');
  if (!read(std::as_writable_bytes(std::span(text)))) return {};
  return printable(text, kMaxMessageText);
}

/// The sizes are those that such a question leads to, and no others.
bool fits(const Message& answer, const PictureOptions& options, const DecodeLimits& limits) {
  const auto most = static_cast<std::uint32_t>(std::max(limits.max_side, 0));
  const std::uint64_t pixels = std::uint64_t{answer.original_width} * answer.original_height;
  if (pixels == 0 || answer.original_width > most || answer.original_height > most ||
      pixels > limits.max_pixels) {
    return false;
  }
  const PictureSize original = {static_cast<int>(answer.original_width),
                                static_cast<int>(answer.original_height)};
  const int budget = options.budget.value_or(automatic_budget(original));
  const PictureSize target = target_size(original, budget);
  const auto is = [](std::uint32_t found, int expected) { return std::cmp_equal(found, expected); };
  return is(answer.budget, budget) && is(answer.width, target.width) &&
         is(answer.height, target.height) && is(answer.n_soft_tokens, soft_tokens(target)) &&
         answer.n_bytes == std::uint64_t{answer.width} * answer.height * 3;
}

}  // namespace

std::variant<std::uint32_t, Failure, NoAnswer> read_ready(const ReadExactly& read) {
  Message message;
  if (!read(bytes_of(message))) return NoAnswer::ended;
  if (message.begin != Message::kBegin) return NoAnswer::nonsense;
  if (message.kind == MessageKind::ready && message.n_bytes == 0) return message.confined;
  if (message.kind != MessageKind::not_confined) return NoAnswer::nonsense;
  std::string text = read_text(read, message);
  if (text.empty()) return NoAnswer::nonsense;
  return Failure{std::move(text)};
}

std::variant<PreparedPicture, Failure, NoAnswer> read_answer(const ReadExactly& read,
                                                             const PictureOptions& options,
                                                             const DecodeLimits& limits) {
  Message message;
  if (!read(bytes_of(message))) return NoAnswer::ended;
  if (message.begin != Message::kBegin) return NoAnswer::nonsense;
  if (message.kind == MessageKind::failure) {
    std::string text = read_text(read, message);
    if (text.empty()) return NoAnswer::nonsense;
    return Failure{std::move(text)};
  }
  if (message.kind != MessageKind::picture || !fits(message, options, limits)) {
    return NoAnswer::nonsense;
  }
  PreparedPicture picture;
  picture.original = {static_cast<int>(message.original_width),
                      static_cast<int>(message.original_height)};
  picture.pixels.size = {static_cast<int>(message.width), static_cast<int>(message.height)};
  picture.pixels.rgb.resize(static_cast<std::size_t>(message.n_bytes));
  picture.budget = static_cast<int>(message.budget);
  picture.n_soft_tokens = static_cast<int>(message.n_soft_tokens);
  if (!read(std::as_writable_bytes(std::span(picture.pixels.rgb)))) return NoAnswer::ended;
  return picture;
}

}  // namespace pleiad::media
