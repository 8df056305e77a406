#include "media/documents/pdf/pdf_info.h"

#include <charconv>
#include <cmath>
#include <map>
#include <utility>

namespace pleiad::media {
namespace {

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

bool take_word(std::string_view& text, std::string_view word) {
  text = skip_blanks(text);
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  text = skip_blanks(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

template <typename Act>
void for_each_line(std::string_view text, const Act& act) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    act(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

/// PDF's own limits are 3 to 14,400 points; what is far outside of them is no page.
bool is_length(double points) { return std::isfinite(points) && points >= 0.1 && points <= 1e6; }

}  // namespace

std::optional<int> pages_of_info(std::string_view info) {
  std::optional<int> n_pages;
  // A title may have lines of its own: the last one that says so is pdfinfo's.
  for_each_line(info, [&](std::string_view line) {
    int number = 0;
    if (line.starts_with("Pages:") && take_word(line, "Pages:") && take_number(line, number) &&
        number >= 0) {
      n_pages = number;
    }
  });
  return n_pages;
}

std::vector<PdfPageSize> page_sizes_of_info(std::string_view info) {
  std::map<int, PdfPageSize> sizes;
  // "Page    3 size:  595.276 x 841.89 pts (A4)", as it lies, and then "Page    3 rot:   90".
  for_each_line(info, [&](std::string_view line) {
    PdfPageSize page;
    int turn = 0;
    if (!line.starts_with("Page ") || !take_word(line, "Page ") ||
        !take_number(line, page.number) || page.number < 1) {
      return;
    }
    if (take_word(line, "size:") && take_number(line, page.width) && take_word(line, "x") &&
        take_number(line, page.height) && is_length(page.width) && is_length(page.height)) {
      sizes[page.number] = page;
    } else if (take_word(line, "rot:") && take_number(line, turn) && turn % 180 != 0) {
      if (const auto at = sizes.find(page.number); at != sizes.end()) {
        std::swap(at->second.width, at->second.height);
      }
    }
  });
  std::vector<PdfPageSize> all;
  for (const auto& [number, page] : sizes) all.push_back(page);
  return all;
}

}  // namespace pleiad::media
