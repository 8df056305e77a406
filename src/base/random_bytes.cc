#include "base/random_bytes.h"

#include <array>
#include <cerrno>

#include "base/error.h"
#include "base/os/random.h"

namespace pleiad {

void fill_random(std::span<std::byte> bytes) {
  if (!os::fill_random(bytes)) {
    throw Error("the system gives no random bytes: {}", errno_text(errno));
  }
}

std::string random_name(std::string_view prefix, int length) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  // Bytes from here on would make the first letters likelier than the last ones.
  constexpr std::size_t kFair = 256 / kLetters.size() * kLetters.size();
  std::string name(prefix);
  const std::size_t whole = prefix.size() + static_cast<std::size_t>(length);
  name.reserve(whole);
  while (name.size() < whole) {
    std::array<std::byte, 64> bytes;
    fill_random(bytes);
    for (const std::byte byte : bytes) {
      const auto value = std::to_integer<std::size_t>(byte);
      if (name.size() < whole && value < kFair) name += kLetters[value % kLetters.size()];
    }
  }
  return name;
}

}  // namespace pleiad
