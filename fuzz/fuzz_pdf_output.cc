// Any bytes at all, as what poppler's programs write that a hostile PDF took over: pages and their
// sizes, text with form feeds, a picture of a page, what a converter answers. The first byte says
// which.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "media/budget.h"
#include "media/documents/markup/converted_text.h"
#include "media/documents/pdf/page_picture.h"
#include "media/documents/pdf/pdf_info.h"
#include "media/documents/pdf/pdf_text.h"
#include "media/documents/process/confined_program.h"

namespace {

using namespace pleiad::media;

void require(bool holds) {
  if (!holds) std::abort();
}

void read_info(std::string_view said) {
  if (const auto n_pages = pages_of_info(said)) require(*n_pages >= 0);
  for (const PdfPageSize& page : page_sizes_of_info(said)) {
    require(page.number >= 1 && page.width > 0 && page.height > 0);
    for (const int budget : kBudgets) {
      const int longer = pixels_of_longer_side(page, budget);
      require(longer >= 1 && longer <= 60'000);
      require(most_ppm_bytes(page, budget) < std::size_t{1} << 30);
    }
  }
}

void read_picture(std::string_view said) {
  const auto picture = picture_of_ppm(said, 70, 4000);
  if (!picture) return require(!picture.message().empty());
  const PictureSize size = picture.value().pixels.size;
  if (size.width == 0) return;  // of one colour
  require(size == target_size(picture.value().original, 70));
  require(picture.value().n_soft_tokens <= 70);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view said(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      read_info(said);
      break;
    case 1:
      read_picture(said);
      break;
    case 2:
      if (const auto pages = split_pages(said, 3)) require(pages->size() == 3);
      break;
    default: {
      if (const auto converted = from_wire(said)) {
        require(converted.value().warnings.size() <= 20 &&
                converted.value().text.size() <= said.size());
      }
      std::string errors(said);
      ProgramConfinement confinement;
      take_announcement(errors, confinement);
    }
  }
  return 0;
}
