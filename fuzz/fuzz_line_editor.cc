// Any bytes as what a terminal sends while a line is edited, and as a file of the history: nothing
// comes out that a terminal obeys but our own sequences, the text stays well-formed, and a paste
// stays whole. The first byte chooses the terminal's size.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/terminal_text.h"
#include "base/utf8.h"
#include "terminal/editor/line_editor.h"

namespace {

using namespace pleiad;
using terminal::LineEditor;

bool is_well_formed(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// What is sent: text, CR, LF, BEL, and the sequences that draw.
void check_drawn(std::string_view bytes) {
  while (!bytes.empty()) {
    if (bytes[0] == '\x1b') {
      CHECK(bytes.size() > 2 && bytes[1] == '[');
      const std::size_t end = bytes.find_first_not_of("0123456789", 2);
      CHECK(end != std::string_view::npos);
      CHECK(std::string_view("ACHJK").find(bytes[end]) != std::string_view::npos);
      bytes.remove_prefix(end + 1);
      continue;
    }
    if (bytes[0] == '\r' || bytes[0] == '\n' || bytes[0] == '\a') {
      bytes.remove_prefix(1);
      continue;
    }
    const TerminalCharacter character = first_terminal_character(bytes);
    CHECK(character.is_safe);
    bytes.remove_prefix(character.length);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const terminal::LineHistory history(terminal::decode_history(input.substr(0, 200)));
  for (const std::string& entry : history.entries()) {
    CHECK(is_well_formed(entry));
    CHECK(terminal::decode_history_line(terminal::encode_history_line(entry)) == entry);
  }
  LineEditor editor(history, [](std::string_view before) {
    return terminal::Completions{0, {std::string(before) + "x", "/other"}};
  });
  terminal::KeyReader keys;
  check_drawn(editor.resize(2 + data[0] % 50, 1 + data[0] % 7).bytes);
  editor.begin({"> ", ". "});
  std::string_view rest = input;
  while (!rest.empty()) {
    const std::size_t length = std::min<std::size_t>(rest.size(), 1 + data[0] % 11);
    keys.push(rest.substr(0, length));
    rest.remove_prefix(length);
    if (rest.empty()) keys.stop_waiting();
    while (const auto key = keys.next()) {
      if (key->kind == terminal::Key::Kind::paste) CHECK(is_well_formed(key->text));
      if (editor.handle(*key) == LineEditor::Event::none) continue;
      check_drawn(editor.leave().bytes);
      editor.begin({"> ", ". "});
    }
    CHECK(is_well_formed(editor.text()));
    check_drawn(editor.draw().bytes);
    if (length % 3 == 0)
      check_drawn(editor.resize(2 + static_cast<int>(rest.size() % 40), 5).bytes);
  }
  check_drawn(editor.leave().bytes);
  return 0;
}
