#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace pleiad::media {

/// A page as it is seen: turned as it says, in points (1/72 inch).
struct PdfPageSize {
  int number = 1;
  double width = 0;
  double height = 0;
};

/// How many pages pdfinfo says that there are. Its output names them once, behind texts of the
/// document's own; nothing where it does not.
std::optional<int> pages_of_info(std::string_view info);

/// The sizes that pdfinfo says with -f and -l, of those pages that have one that can be drawn.
std::vector<PdfPageSize> page_sizes_of_info(std::string_view info);

}  // namespace pleiad::media
