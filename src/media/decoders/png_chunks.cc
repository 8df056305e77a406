#include "media/decoders/png_chunks.h"

#include <algorithm>
#include <string_view>

#include "base/text_format.h"
#include "media/byte_reader.h"

namespace pleiad::media {

Orientation png_orientation(Bytes png) {
  using namespace std::string_view_literals;
  constexpr std::uint64_t kSignature = 8;
  constexpr std::uint64_t kAroundData = 12;  // length and name before, a checksum behind
  int xmp = 0;
  for (std::uint64_t at = kSignature; at + kAroundData <= png.size();) {
    const std::uint64_t length = read_u32_big(png, at);
    if (length > png.size() - at - kAroundData) break;  // behind the end
    const Bytes data = png.subspan(at + 8, length);
    const std::string_view name(reinterpret_cast<const char*>(png.data()) + at + 4, 4);
    const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
    if (name == "eXIf") {
      const int value = orientation_in_exif(data);
      if (value != 0) return orientation_of_tag(value);
    } else if (name == "iTXt" && xmp == 0 && text.starts_with("XML:com.adobe.xmp\0\0"sv)) {
      xmp = orientation_in_xmp(data);
    } else if (name == "IEND") {
      return orientation_of_tag(xmp);
    }
    at += length + kAroundData;
  }
  throw BadPicture("ends early, after {} bytes", format_count(png.size()));
}

}  // namespace pleiad::media
