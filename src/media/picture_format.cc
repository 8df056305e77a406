#include "media/picture_format.h"

#include <algorithm>

#include "media/byte_reader.h"

namespace pleiad::media {
namespace {

/// The format by the brands of a file of ISO/IEC 14496-12: a box `ftyp` with one brand that is the
/// best use of the file and a list of those that it is compatible with.
std::optional<PictureFormat> format_by_brands(std::span<const std::byte> bytes) {
  const std::uint64_t box_size = read_u32_big(bytes, 0);
  const auto box =
      bytes.first(std::min<std::uint64_t>(bytes.size(), std::min<std::uint64_t>(box_size, 1024)));
  bool heic = false;
  bool avif = false;
  for (std::size_t at = 8; at + 4 <= box.size(); at += 4) {
    if (at == 12) continue;  // a version
    avif = avif || begins_with(box, "avif", at) || begins_with(box, "avis", at);
    for (const std::string_view brand :
         {"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"}) {
      heic = heic || begins_with(box, brand, at);
    }
  }
  if (avif) return PictureFormat::avif;
  if (heic) return PictureFormat::heic;
  return std::nullopt;
}

}  // namespace

std::string_view format_name(PictureFormat format) {
  switch (format) {
    case PictureFormat::jpeg:
      return "JPEG";
    case PictureFormat::png:
      return "PNG";
    case PictureFormat::webp:
      return "WebP";
    case PictureFormat::gif:
      return "GIF";
    case PictureFormat::bmp:
      return "BMP";
    case PictureFormat::tiff:
      return "TIFF";
    case PictureFormat::heic:
      return "HEIC";
    case PictureFormat::avif:
      return "AVIF";
  }
  return "picture";
}

std::optional<PictureFormat> sniff_picture(std::span<const std::byte> bytes) {
  using namespace std::string_view_literals;
  if (begins_with(bytes, "\xFF\xD8\xFF"sv)) return PictureFormat::jpeg;
  if (begins_with(bytes, "\x89PNG\r\n\x1A\n"sv)) return PictureFormat::png;
  if (begins_with(bytes, "RIFF"sv) && begins_with(bytes, "WEBP"sv, 8)) return PictureFormat::webp;
  if (begins_with(bytes, "GIF87a"sv) || begins_with(bytes, "GIF89a"sv)) return PictureFormat::gif;
  if (begins_with(bytes, "II*\0"sv) || begins_with(bytes, "MM\0*"sv)) return PictureFormat::tiff;
  if (begins_with(bytes, "II+\0"sv) || begins_with(bytes, "MM\0+"sv)) return PictureFormat::tiff;
  if (begins_with(bytes, "ftyp"sv, 4)) return format_by_brands(bytes);
  if (begins_with(bytes, "BM"sv) && bytes.size() >= 18) return PictureFormat::bmp;
  return std::nullopt;
}

}  // namespace pleiad::media
