#include "media/documents/page_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text_format.h"

namespace pleiad::media {
namespace {

constexpr std::size_t kMaxRanges = 1000;

std::string_view without_spaces_around(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// A number from 1 of at most nine digits.
std::optional<int> page_number(std::string_view text) {
  text = without_spaces_around(text);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

std::optional<PageRange> page_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = page_number(text.substr(0, dash));
  if (!first) return std::nullopt;
  if (dash == std::string_view::npos) return PageRange{*first, *first};
  const std::string_view rest = without_spaces_around(text.substr(dash + 1));
  if (rest.empty()) return PageRange{*first, PageRange::kLastPage};
  const auto last = page_number(rest);
  if (!last || *last < *first) return std::nullopt;
  return PageRange{*first, *last};
}

}  // namespace

Result<std::vector<PageRange>> parse_page_ranges(std::string_view text) {
  if (without_spaces_around(text).empty()) return std::vector{PageRange{1, PageRange::kLastPage}};
  std::vector<PageRange> ranges;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const auto range = page_range(word);
    if (!range) {
      return Failure{fmt::format("expected pages such as 3-7,9 or 12-, found '{}'",
                                 printable(without_spaces_around(word), 40))};
    }
    if (ranges.size() == kMaxRanges) {
      return Failure{fmt::format("names more than {} ranges of pages", format_count(kMaxRanges))};
    }
    ranges.push_back(*range);
    if (comma == std::string_view::npos) return ranges;
    rest.remove_prefix(comma + 1);
  }
}

Result<std::vector<int>> pages_of(const std::vector<PageRange>& ranges, int n_pages) {
  std::vector<bool> wanted(static_cast<std::size_t>(n_pages) + 1);
  for (const PageRange& range : ranges) {
    const int last = range.last == PageRange::kLastPage ? n_pages : range.last;
    if (std::max(range.first, last) > n_pages) {
      return Failure{fmt::format("has {} {}, so that there is no page {}", format_count(n_pages),
                                 n_pages == 1 ? "page" : "pages",
                                 format_count(std::max(range.first, last)))};
    }
    std::fill(wanted.begin() + range.first, wanted.begin() + last + 1, true);
  }
  std::vector<int> pages;
  for (int page = 1; page <= n_pages; ++page) {
    if (wanted[static_cast<std::size_t>(page)]) pages.push_back(page);
  }
  return pages;
}

}  // namespace pleiad::media
