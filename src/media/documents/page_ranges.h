#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"

namespace pleiad::media {

/// From first to last, both included; numbers from 1.
struct PageRange {
  int first = 1;
  int last = 1;  // kLastPage: up to the document's last

  static constexpr int kLastPage = 0;
};

/// "3-7,9", "12-": as the words say, whatever pages a document has. Nothing at all is all pages. A
/// Failure says what is wrong: "expected pages such as 3-7,9, found '7-3'".
Result<std::vector<PageRange>> parse_page_ranges(std::string_view text);

/// The pages that these are in a document of so many, ascending, each once. A Failure where one
/// lies behind the last: "has 12 pages, so that there is no page 13".
Result<std::vector<int>> pages_of(const std::vector<PageRange>& ranges, int n_pages);

}  // namespace pleiad::media
