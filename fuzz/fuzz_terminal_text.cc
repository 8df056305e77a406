// Any bytes, shown at a terminal: none that it obeys comes out, what is safe stays, and it does not
// matter how the text was cut. The first byte chooses the cuts.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/terminal_text.h"
#include "base/text_format.h"
#include "base/utf8.h"

namespace {

using namespace pleiad;

std::string in_pieces(std::string_view text, std::uint8_t step) {
  TerminalTextStream stream;
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::min<std::size_t>(text.size(), 1 + step % 8);
    out += stream.push(text.substr(0, length));
    text.remove_prefix(length);
    step = static_cast<std::uint8_t>(step * 5 + 3);
  }
  return out + stream.finish();
}

/// By its bytes alone.
void check_safe(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const auto byte = static_cast<unsigned char>(rest[0]);
    const bool ends_line = rest.starts_with("\r\n");
    CHECK(byte >= 0x20 || byte == '\n' || byte == '\t' || ends_line);
    CHECK(byte != 0x7F);
    CHECK(byte != 0xC2 || static_cast<unsigned char>(rest[1]) >= 0xA0);
    for (const char* bad : {"\u2028", "\u2029", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e",
                            "\u2066", "\u2067", "\u2068", "\u2069"}) {
      CHECK(!rest.starts_with(bad));
    }
  }
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    CHECK(length > 0);
    text.remove_prefix(length);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string shown = terminal_text(text);
  check_safe(shown);
  CHECK(terminal_text(shown) == shown);
  CHECK(in_pieces(text, data[0]) == shown);
  const std::string line = printable(text, std::string::npos);
  check_safe(line);
  CHECK(line.find_first_of("\t\n\r") == std::string::npos);
  CHECK(printable(text, 40).size() <= 40 + 6 + std::string_view("…").size());
  return 0;
}
