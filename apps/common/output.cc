#include "apps/common/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <span>

#include "apps/common/terminal.h"
#include "base/error.h"
#include "base/os/file.h"
#include "base/os/terminal.h"

namespace pleiad::apps {
namespace {

void write_bytes(std::FILE* file, std::string_view text) {
  std::fflush(file);
  if (!os::write(os::descriptor_of(file), std::as_bytes(std::span(text)))) {
    throw Error("cannot write the output: {}", errno_text(errno));
  }
}

std::string_view sequence_of(Style style) { return style == Style::dim ? "\x1b[2m" : "\x1b[0m"; }

}  // namespace

void print(std::string_view text) { write_bytes(stdout, terminal_text(text)); }

void print(const terminal::TerminalBytes& made) { write_bytes(stdout, made.bytes); }

void print_note(std::string_view text, Style style) {
  const std::string filtered = terminal_text(text);
  if (style == Style::plain) return write_bytes(stderr, filtered);
  const bool ends_line = filtered.ends_with('\n');
  const std::string_view line(filtered.data(), filtered.size() - (ends_line ? 1 : 0));
  write_bytes(stderr, fmt::format("{}{}{}{}", sequence_of(style), line, sequence_of(Style::plain),
                                  ends_line ? "\n" : ""));
}

void print_failure(std::string_view message) noexcept {
  try {
    print_note(fmt::format("pleiad: {}\n", indent_later_lines(message)));
  } catch (const std::bad_alloc&) {
    std::fputs("pleiad: there is not enough memory\n", stderr);
  } catch (const std::exception&) {  // there is nobody left to tell
  }
}

std::string indent_later_lines(std::string_view text) {
  constexpr std::string_view kIndent = "  ";
  std::string indented;
  while (!text.empty()) {
    if (!indented.empty() && !text.starts_with(kIndent)) indented += kIndent;
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    indented += text.substr(0, end);
    text.remove_prefix(end);
  }
  return indented;
}

TextOutput::TextOutput(std::FILE* file)
    : file_(file), filters_(file == stderr || is_terminal(file)) {}

void TextOutput::write(std::string_view piece) {
  if (filters_) {
    write_bytes(file_, stream_.push(piece));
  } else {
    write_bytes(file_, piece);
  }
}

void TextOutput::set_style(Style style) {
  finish();
  write_bytes(file_, sequence_of(style));
}

void TextOutput::finish() {
  if (filters_) write_bytes(file_, stream_.finish());
}

}  // namespace pleiad::apps
