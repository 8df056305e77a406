#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "media/documents/pdf/pdf_info.h"
#include "media/prepare.h"

namespace pleiad::media {

/// Pixels of an inch with which print of the usual sizes is read without effort.
inline constexpr int kPageResolution = 150;

/// The least of kBudgets whose picture has kPageResolution; the largest where none has: 1120 of A4
/// and of letters, 560 of A5, 140 of a business card.
int automatic_page_budget(const PdfPageSize& page);

/// How many pixels the longer side of a page is drawn with, so that no side is shorter than what a
/// picture of that budget is resized to.
int pixels_of_longer_side(const PdfPageSize& page, int budget);

/// More than the file that is then drawn can have: the bytes of a PPM file.
std::size_t most_ppm_bytes(const PdfPageSize& page, int budget);

/// A page that was drawn, a binary PPM file ("P6", 255 levels), as a tower sees it: resized as
/// every picture is. Empty pixels where all of the page has one colour. A Failure where it is no
/// such file, has bytes too many or too few, or a side longer than `max_side`.
Result<PreparedPicture> picture_of_ppm(std::string_view ppm, int budget, int max_side);

}  // namespace pleiad::media
