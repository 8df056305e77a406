// Any bytes as a model's reply at a terminal: nothing comes out that a terminal obeys but our own
// styles, every line ends plain, and it does not matter how the text was cut. The first byte
// chooses the cuts, the second the columns and whether Markdown is shown.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/terminal_text.h"
#include "terminal/markdown/markdown_text.h"

namespace {

using namespace pleiad;
using terminal::MarkdownText;

std::string in_pieces(std::string_view text, std::uint8_t step, terminal::TextLook look) {
  MarkdownText shown(look);
  std::string out;
  while (!text.empty()) {
    const std::size_t length = std::min<std::size_t>(text.size(), 1 + step % 8);
    out += shown.push(text.substr(0, length)).bytes;
    text.remove_prefix(length);
    step = static_cast<std::uint8_t>(step * 5 + 3);
  }
  return out + shown.finish().bytes;
}

/// Without the styles, which are checked: ESC [ digits and semicolons m; none is on at an end of
/// line.
std::string without_styles(std::string_view text) {
  std::string rest;
  bool styled = false;
  while (!text.empty()) {
    if (text[0] == '\x1b') {
      CHECK(text.starts_with("\x1b[0"));
      const std::size_t end = text.find_first_not_of("0123456789;", 2);
      CHECK(end != std::string_view::npos && text[end] == 'm');
      styled = end != 3;
      text.remove_prefix(end + 1);
      continue;
    }
    CHECK(text[0] != '\n' || !styled);
    rest += text[0];
    text.remove_prefix(1);
  }
  CHECK(!styled);
  return rest;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  terminal::TextLook look;
  look.markdown = (data[1] & 1) != 0;
  look.columns = data[1] >> 1;
  MarkdownText whole(look);
  std::string shown = whole.push(text).bytes;
  shown += whole.finish().bytes;
  const std::string plain = without_styles(shown);
  CHECK(terminal_text(plain) == plain);
  CHECK(in_pieces(text, data[0], look) == shown);
  if (!look.markdown && look.columns == 0) {
    std::string same = terminal_text(text);
    for (std::size_t at = 0; (at = same.find("\r\n", at)) != std::string::npos;) same.erase(at, 1);
    CHECK(plain == same);
  }
  return 0;
}
