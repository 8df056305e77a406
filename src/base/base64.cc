#include "base/base64.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text_format.h"

namespace pleiad {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kBlank = 64;
constexpr std::uint8_t kPadding = 65;
constexpr std::uint8_t kOther = 66;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kOther);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  for (const char blank : {' ', '\t', '\r', '\n'}) {
    values[static_cast<unsigned char>(blank)] = kBlank;
  }
  values['='] = kPadding;
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = make_values();

std::uint8_t value_at(std::string_view text, std::size_t i) {
  return kValues[static_cast<unsigned char>(text[i])];
}

Failure unexpected(std::string_view text, std::size_t at) {
  // Of a character of several bytes, all of them.
  std::size_t end = at + 1;
  while (end < text.size() && end - at < 4 &&
         (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    ++end;
  }
  return Failure{fmt::format("expected base64, found '{}' at character {}",
                             printable(text.substr(at, end - at)), at + 1)};
}

/// What stands behind the first '=': as many as are missing, and nothing else.
bool ends_well(std::string_view rest, std::size_t n_missing) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::uint8_t value = value_at(rest, i);
    if (value == kPadding) {
      ++n;
    } else if (value != kBlank) {
      return false;
    }
  }
  return n == n_missing;
}

}  // namespace

Result<std::string> decode_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  std::size_t n_bytes = 0;
  const auto put = [&](std::uint32_t byte) { bytes[n_bytes++] = static_cast<char>(byte); };
  std::uint32_t group = 0;
  std::size_t n_in_group = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const std::uint8_t value = value_at(text, at);
    if (value < kBlank) {
      group = group << 6U | value;
      if (++n_in_group < 4) continue;
      put(group >> 16U);
      put(group >> 8U);
      put(group);
      group = 0;
      n_in_group = 0;
    } else if (value == kPadding) {
      break;
    } else if (value != kBlank) {
      return unexpected(text, at);
    }
  }
  if (n_in_group == 0 && at == text.size()) {
    bytes.resize(n_bytes);
    return bytes;
  }
  if (n_in_group < 2 || !ends_well(text.substr(at), 4 - n_in_group)) {
    return Failure{
        fmt::format("expected base64, found an end that is none at character {}: "
                    "groups of four characters, the last filled up with '='",
                    at + 1)};
  }
  const std::size_t n_last = n_in_group - 1;
  group <<= 6U * (4 - n_in_group);
  const std::uint32_t stray = n_last == 1 ? group & 0xFFFFU : group & 0xFFU;
  if (stray != 0) {
    return Failure{"expected base64, found bits behind the last byte: it was cut off"};
  }
  put(group >> 16U);
  if (n_last == 2) put(group >> 8U);
  bytes.resize(n_bytes);
  return bytes;
}

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t offset) {
      return i + offset < bytes.size()
                 ? static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + offset]))
                 : 0U;
    };
    const std::uint32_t group = byte(0) << 16U | byte(1) << 8U | byte(2);
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= n ? kAlphabet[group >> (6U * (3 - k)) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace pleiad
