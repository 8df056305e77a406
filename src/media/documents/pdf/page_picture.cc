#include "media/documents/pdf/page_picture.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "media/budget.h"
#include "media/decoders/row_writer.h"
#include "media/pick_kernels.h"
#include "media/row_resizer.h"

namespace pleiad::media {
namespace {

/// Pixels of a point for the sides of a page as numbers that target_size() can take.
constexpr double kFine = 8;

/// With so many pixels of a point.
PictureSize shape_of(const PdfPageSize& page, double pixels) {
  // A page that is very long is as thin as its shorter side is to it, and no thinner than a pixel.
  const double scale = std::min(pixels, 60'000 / std::max(page.width, page.height));
  const auto side = [scale](double points) {
    return std::max(1, static_cast<int>(std::lround(points * scale)));
  };
  return {side(page.width), side(page.height)};
}

bool take_ppm_number(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 1) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_ppm_separator(std::string_view& text, char separator) {
  if (!text.starts_with(separator)) return false;
  text.remove_prefix(1);
  return true;
}

/// Whether all pixels are the first one.
bool is_of_one_colour(std::string_view rgb) {
  return rgb.size() <= 3 || std::memcmp(rgb.data(), rgb.data() + 3, rgb.size() - 3) == 0;
}

}  // namespace

int automatic_page_budget(const PdfPageSize& page) {
  constexpr double kPointsOfAnInch = 72;
  return automatic_budget(shape_of(page, kPageResolution / kPointsOfAnInch));
}

int pixels_of_longer_side(const PdfPageSize& page, int budget) {
  const PictureSize target = target_size(shape_of(page, kFine), budget);
  const double scale = std::max(target.width / page.width, target.height / page.height);
  const double longer = std::max(page.width, page.height) * scale;
  return static_cast<int>(std::ceil(std::clamp(longer, 1.0, 60'000.0)));
}

std::size_t most_ppm_bytes(const PdfPageSize& page, int budget) {
  const double longer = pixels_of_longer_side(page, budget);
  const double shorter =
      longer * std::min(page.width, page.height) / std::max(page.width, page.height);
  // Sides are rounded up, and a header stands before them.
  return static_cast<std::size_t>((longer + 2) * (shorter + 2) * 3) + 100;
}

Result<PreparedPicture> picture_of_ppm(std::string_view ppm, int budget, int max_side) {
  const Failure damaged = {"made poppler draw what is no picture"};
  std::string_view rest = ppm;
  PictureSize size;
  int most = 0;
  if (!rest.starts_with("P6\n")) return damaged;
  rest.remove_prefix(3);
  if (!take_ppm_number(rest, size.width) || !take_ppm_separator(rest, ' ') ||
      !take_ppm_number(rest, size.height) || !take_ppm_separator(rest, '\n') ||
      !take_ppm_number(rest, most) || most != 255 || !take_ppm_separator(rest, '\n') ||
      size.width > max_side || size.height > max_side) {
    return damaged;
  }
  const auto width = static_cast<std::size_t>(size.width);
  if (rest.size() != width * static_cast<std::size_t>(size.height) * 3) return damaged;
  PreparedPicture picture;
  picture.original = size;
  picture.budget = budget;
  if (is_of_one_colour(rest)) return picture;
  RowResizer resizer([budget](PictureSize upright) { return target_size(upright, budget); },
                     best_kernels());
  RowWriter writer(resizer, size, Orientation{});
  for (int y = 0; y < size.height; ++y) {
    const char* from = rest.data() + static_cast<std::size_t>(y) * width * 3;
    std::uint8_t* to = writer.next_row();
    for (std::size_t x = 0; x < width; ++x) std::memcpy(to + 4 * x, from + 3 * x, 3);
  }
  writer.finish();
  picture.pixels = resizer.take();
  picture.n_soft_tokens = soft_tokens(picture.pixels.size);
  return picture;
}

}  // namespace pleiad::media
