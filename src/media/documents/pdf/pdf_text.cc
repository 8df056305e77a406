#include "media/documents/pdf/pdf_text.h"

#include "base/utf8.h"
#include "media/documents/text_encoding.h"

namespace pleiad::media {
namespace {

/// Fewer are a page's number or a stamp: such a page is shown, which loses nothing.
constexpr std::size_t kFewestCharacters = 12;

bool is_unreadable(char32_t c) {
  return c == 0xFFFD || (c >= 0xE000 && c <= 0xF8FF) || c >= 0xF0000;  // private use
}

bool is_visible(char32_t c) {
  const bool is_letter_or_digit =
      (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return c < 0x80 ? is_letter_or_digit : c > 0xA0 && (c < 0x2000 || c > 0x206F);
}

}  // namespace

std::optional<std::vector<std::string_view>> split_pages(std::string_view text,
                                                         std::size_t n_pages) {
  std::vector<std::string_view> pages;
  while (!text.empty()) {
    const std::size_t end = text.find('\f');
    if (end == std::string_view::npos || pages.size() == n_pages) return std::nullopt;
    pages.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (pages.size() != n_pages) return std::nullopt;
  return pages;
}

std::string clean_page(std::string_view text) {
  std::size_t n_controls = 0;
  std::size_t n_replaced = 0;
  const std::string all = clean_utf8(text, n_controls, n_replaced);
  std::string page;
  std::size_t n_ends = 0;
  std::string_view rest = all;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line = line.substr(0, line.find_last_not_of(" \t") + 1);
    if (line.empty()) {
      ++n_ends;
      continue;
    }
    if (!page.empty()) page += n_ends > 0 ? "\n\n" : "\n";
    page += line;
    n_ends = 0;
  }
  return page;
}

bool has_readable_text(std::string_view text) {
  std::size_t n_readable = 0;
  std::size_t n_unreadable = 0;
  while (!text.empty()) {
    const char32_t c = utf8_code_point(text);
    if (is_unreadable(c)) {
      ++n_unreadable;
    } else if (is_visible(c)) {
      ++n_readable;
    }
    const std::size_t length = utf8_length(text);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return n_readable >= kFewestCharacters && n_unreadable < n_readable;
}

}  // namespace pleiad::media
