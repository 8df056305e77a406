#include "media/documents/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "base/text_format.h"
#include "base/utf8.h"

namespace pleiad::media {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::uint8_t kEscape = 0x1B;                     // of text for terminals
constexpr std::size_t kBeginning = std::size_t{64} << 10;

/// 0x80 to 0x9F of Windows-1252, as the encoding standard of the web maps them; all else is
/// Latin-1. The five codes without a character are the controls of that number.
constexpr std::array<char16_t, 32> kWindows1252 = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

/// What becomes of text on its way: appends characters, and counts what does not come along.
class TextCleaner {
 public:
  explicit TextCleaner(std::size_t expected) { out_.reserve(expected); }

  void add(char32_t c) {
    if (after_return_) {
      after_return_ = false;
      if (c == '\n') return;
    }
    if (c == '\r' || c == '\f' || c == '\v' || c == 0x85) {
      after_return_ = c == '\r';
      out_ += '\n';
    } else if ((c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7F && c < 0xA0)) {
      ++n_controls_;
    } else if (c < 0x80) {
      out_ += static_cast<char>(c);
    } else {
      append_utf8(c);
    }
  }

  void replace() {
    after_return_ = false;
    out_ += kReplacement;
    ++n_replaced_;
  }

  std::string take() { return std::move(out_); }
  std::size_t n_controls() const { return n_controls_; }
  std::size_t n_replaced() const { return n_replaced_; }

 private:
  void append_utf8(char32_t c) {
    const auto byte = [this](char32_t value) { out_ += static_cast<char>(value); };
    if (c < 0x800) {
      byte(0xC0 | c >> 6);
    } else {
      if (c < 0x10000) {
        byte(0xE0 | c >> 12);
      } else {
        byte(0xF0 | c >> 18);
        byte(0x80 | (c >> 12 & 0x3F));
      }
      byte(0x80 | (c >> 6 & 0x3F));
    }
    byte(0x80 | (c & 0x3F));
  }

  std::string out_;
  bool after_return_ = false;
  std::size_t n_controls_ = 0;
  std::size_t n_replaced_ = 0;
};

void add_utf8(TextCleaner& cleaner, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      cleaner.replace();
    } else {
      cleaner.add(utf8_code_point(text));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

void add_windows_1252(TextCleaner& cleaner, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    cleaner.add(byte >= 0x80 && byte < 0xA0 ? kWindows1252[byte - 0x80u] : char32_t{byte});
  }
}

void add_utf16(TextCleaner& cleaner, std::string_view text, bool big_endian) {
  const std::size_t n_units = text.size() / 2;
  const auto unit = [&](std::size_t i) -> char32_t {
    const auto first = static_cast<std::uint8_t>(text[2 * i]);
    const auto second = static_cast<std::uint8_t>(text[2 * i + 1]);
    return big_endian ? first << 8 | second : second << 8 | first;
  };
  for (std::size_t i = 0; i < n_units; ++i) {
    const char32_t c = unit(i);
    const bool is_pair = c >= 0xD800 && c < 0xDC00 && i + 1 < n_units && unit(i + 1) >= 0xDC00 &&
                         unit(i + 1) < 0xE000;
    if (is_pair) {
      cleaner.add(0x10000 + ((c - 0xD800) << 10) + (unit(++i) - 0xDC00));
    } else if (c >= 0xD800 && c < 0xE000) {
      cleaner.replace();
    } else {
      cleaner.add(c);
    }
  }
  if (text.size() % 2 != 0) cleaner.replace();
}

/// How text looks as UTF-8.
struct Utf8Count {
  std::size_t n_long = 0;  // characters of more than a byte
  std::size_t n_wrong = 0;
  std::size_t first_wrong = 0;  // its byte, where there is one
  bool has_controls = false;    // that no text has
};

Utf8Count count_utf8(std::string_view text) {
  Utf8Count count;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at, 4));
    if (length > 1) ++count.n_long;
    if (length == 0 && count.n_wrong++ == 0) count.first_wrong = at;
    const auto byte = static_cast<std::uint8_t>(text[at]);
    constexpr std::string_view kOfTexts = "\t\n\r\f\v\b";
    count.has_controls |=
        byte < 0x20 && kOfTexts.find(text[at]) == kOfTexts.npos && byte != kEscape;
    at += std::max<std::size_t>(length, 1);
  }
  return count;
}

enum class Encoding { utf8, utf8_with_mark, damaged_utf8, utf16_little, utf16_big, windows_1252 };

/// A Failure where it is no text.
Result<Encoding> encoding_of(std::string_view text, Utf8Count& count) {
  if (text.starts_with("\xFF\xFE")) {
    const bool is_utf32 = text.substr(2, 2) == std::string_view("\0\0", 2);
    if (is_utf32) return Failure{"is UTF-32 or no text: expected UTF-8 or UTF-16"};
    return Encoding::utf16_little;
  }
  if (text.starts_with("\xFE\xFF")) return Encoding::utf16_big;
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return Failure{fmt::format("is not text: byte {} is 0", format_count(nul))};
  }
  count = count_utf8(text);
  if (count.n_wrong == 0) {
    return text.starts_with("\xEF\xBB\xBF") ? Encoding::utf8_with_mark : Encoding::utf8;
  }
  if (count.has_controls) {
    return Failure{fmt::format("is not text: byte {} is no UTF-8, and there are control characters",
                               format_count(count.first_wrong))};
  }
  return count.n_wrong < count.n_long ? Encoding::damaged_utf8 : Encoding::windows_1252;
}

std::string plural(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", format_count(n), n == 1 ? one : many);
}

}  // namespace

Result<DecodedText> decode_text(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Utf8Count count;
  const auto encoding = encoding_of(text, count);
  if (!encoding) return Failure{encoding.message()};
  TextCleaner cleaner(text.size() + text.size() / 16);
  DecodedText decoded;
  switch (encoding.value()) {
    case Encoding::utf8:
    case Encoding::damaged_utf8:
      add_utf8(cleaner, text);
      break;
    case Encoding::utf8_with_mark:
      add_utf8(cleaner, text.substr(3));
      break;
    case Encoding::utf16_little:
      add_utf16(cleaner, text.substr(2), false);
      break;
    case Encoding::utf16_big:
      add_utf16(cleaner, text.substr(2), true);
      break;
    case Encoding::windows_1252:
      add_windows_1252(cleaner, text);
      decoded.warnings.push_back(fmt::format(
          "is not UTF-8 (byte {} is 0x{:02X}) and was read as Windows-1252: letters "
          "outside ASCII may be wrong",
          format_count(count.first_wrong), static_cast<std::uint8_t>(text[count.first_wrong])));
      break;
  }
  if (cleaner.n_replaced() > 0) {
    decoded.warnings.push_back(
        fmt::format("{} not {} and {} shown as U+FFFD",
                    plural(cleaner.n_replaced(), "character is", "characters are"),
                    encoding.value() == Encoding::damaged_utf8 ? "UTF-8" : "valid",
                    cleaner.n_replaced() == 1 ? "is" : "are"));
  }
  if (cleaner.n_controls() > 0) {
    decoded.warnings.push_back(
        plural(cleaner.n_controls(), "control character was", "control characters were") +
        " left out");
  }
  decoded.text = cleaner.take();
  return decoded;
}

bool begins_as_text(std::span<const std::byte> bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                        std::min(bytes.size(), kBeginning));
  // A character that is cut here is none that is wrong.
  if (bytes.size() > kBeginning) text.remove_suffix(utf8_unfinished(text));
  Utf8Count count;
  return encoding_of(text, count).ok();
}

std::string clean_utf8(std::string_view text, std::size_t& n_controls, std::size_t& n_replaced) {
  TextCleaner cleaner(text.size());
  add_utf8(cleaner, text);
  n_controls += cleaner.n_controls();
  n_replaced += cleaner.n_replaced();
  return cleaner.take();
}

}  // namespace pleiad::media
