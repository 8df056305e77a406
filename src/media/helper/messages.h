#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "media/prepare.h"

// What goes through the pipes between this program and the helper that it starts from its own file:
// numbers in the machine's order, then bytes. The helper is not believed (answer.h).
namespace pleiad::media {

/// One question, and then its n_bytes.
struct Question {
  std::uint64_t begin = kBegin;
  std::uint64_t n_bytes = 0;
  std::uint64_t max_pixels = 0;
  std::uint32_t max_side = 0;
  std::uint32_t max_scans = 0;
  std::uint64_t budget = 0;  // 0: automatic

  static constexpr std::uint64_t kBegin = 0x50'4c'45'49'41'44'3f'31;
};
static_assert(sizeof(Question) == 40, "no padding, which would be memory of ours");

enum class MessageKind : std::uint32_t { ready = 1, not_confined = 2, picture = 3, failure = 4 };

/// What the helper says: once that it is ready or why not, then the answer. Its n_bytes follow: a
/// text of not_confined and of failure, pixels of picture. Numbers that a kind does not name are 0.
struct Message {
  std::uint64_t begin = kBegin;
  MessageKind kind = MessageKind::failure;
  std::uint32_t confined = 0;  // ready: Confinement::bits()
  std::uint32_t original_width = 0;
  std::uint32_t original_height = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t budget = 0;
  std::uint32_t n_soft_tokens = 0;
  std::uint64_t n_bytes = 0;

  static constexpr std::uint64_t kBegin = 0x50'4c'45'49'41'44'21'31;
};
static_assert(sizeof(Message) == 48, "no padding, which would be memory of ours");

/// More of a text is not read.
inline constexpr std::size_t kMaxMessageText = 1000;

Question make_question(std::span<const std::byte> bytes, const PictureOptions& options,
                       const DecodeLimits& limits);

/// What the helper does with it.
DecodeLimits limits_of(const Question& question);
PictureOptions options_of(const Question& question);

/// As it goes through the pipe.
template <typename T>
std::span<std::byte> bytes_of(T& message) {
  return std::as_writable_bytes(std::span<T, 1>(&message, 1));
}

}  // namespace pleiad::media
