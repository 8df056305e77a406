#include "media/decoders/tiff_layout.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "media/decoders/colours.h"

namespace pleiad::media {
namespace {

template <typename T>
T tiff_field(TIFF* tiff, std::uint32_t tag, T otherwise) {
  T value = otherwise;
  return TIFFGetFieldDefaulted(tiff, tag, &value) != 0 ? value : otherwise;
}

Orientation tiff_orientation(TIFF* tiff) {
  std::uint16_t value = 0;
  if (TIFFGetField(tiff, TIFFTAG_ORIENTATION, &value) != 0) return orientation_of_tag(value);
  std::uint32_t n = 0;
  const void* xmp = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_XMLPACKET, &n, &xmp) == 0 || xmp == nullptr) return {};
  return orientation_of_tag(orientation_in_xmp({static_cast<const std::byte*>(xmp), n}));
}

TiffAlpha tiff_alpha(TIFF* tiff, int n_samples, int n_colours) {
  std::uint16_t n_extra = 0;
  const std::uint16_t* extra = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &n_extra, &extra);
  if (n_extra == 0 || extra == nullptr) {
    // Four samples of red, green, blue without a word about the fourth.
    return n_samples == 4 && n_colours == 3 ? TiffAlpha::separate : TiffAlpha::none;
  }
  if (n_samples <= n_colours) return TiffAlpha::none;
  switch (extra[0]) {
    case EXTRASAMPLE_ASSOCALPHA:
      return TiffAlpha::premultiplied;
    case EXTRASAMPLE_UNASSALPHA:
      return TiffAlpha::separate;
    default:
      return TiffAlpha::none;
  }
}

/// Tables have 16 bits; those of some writers have 8 all the same.
std::vector<std::array<std::uint8_t, 4>> tiff_palette(TIFF* tiff, int bits) {
  std::uint16_t* red = nullptr;
  std::uint16_t* green = nullptr;
  std::uint16_t* blue = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_COLORMAP, &red, &green, &blue) == 0)
    throw BadPicture("has no table of colours");
  const std::size_t n = std::size_t{1} << bits;
  bool wide = false;
  for (const std::uint16_t* channel : {red, green, blue}) {
    wide =
        wide || std::any_of(channel, channel + n, [](std::uint16_t value) { return value > 255; });
  }
  const int shift = wide ? 8 : 0;
  std::vector<std::array<std::uint8_t, 4>> palette(n);
  for (std::size_t i = 0; i < n; ++i) {
    palette[i] = {static_cast<std::uint8_t>(red[i] >> shift),
                  static_cast<std::uint8_t>(green[i] >> shift),
                  static_cast<std::uint8_t>(blue[i] >> shift), 0};
  }
  return palette;
}

/// Sets the colours; what is left to libtiff has none.
int set_colours(TIFF* tiff, TiffLayout& layout) {
  const auto photometric =
      tiff_field<std::uint16_t>(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISWHITE);
  const auto compression = tiff_field<std::uint16_t>(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  switch (photometric) {
    case PHOTOMETRIC_MINISWHITE:
      layout.colours = TiffColours::inverted_gray;
      return 1;
    case PHOTOMETRIC_MINISBLACK:
      layout.colours = TiffColours::gray;
      return 1;
    case PHOTOMETRIC_PALETTE:
      layout.colours = TiffColours::palette;
      return 1;
    case PHOTOMETRIC_RGB:
      layout.colours = TiffColours::rgb;
      return 3;
    case PHOTOMETRIC_SEPARATED:
      layout.colours = TiffColours::cmyk;
      return 4;
    case PHOTOMETRIC_YCBCR:
      if (compression == COMPRESSION_JPEG && layout.n_samples == 3 && !layout.planes) {
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);  // as libjpeg makes it
        layout.colours = TiffColours::rgb;
        return 3;
      }
      layout.by_libtiff = true;
      return 0;
    default:
      layout.by_libtiff = true;
      return 0;
  }
}

/// Samples of a row, one after the other: eight bits of them, or 16 of gray.
struct SampleReader {
  const TiffLayout& layout;
  const std::vector<const std::uint8_t*>& planes;

  std::uint32_t operator()(int x, int sample) const {
    const std::uint8_t* const row = planes[layout.planes ? static_cast<std::size_t>(sample) : 0];
    const std::size_t at =
        layout.planes ? static_cast<std::size_t>(x)
                      : static_cast<std::size_t>(x) * static_cast<std::size_t>(layout.n_samples) +
                            static_cast<std::size_t>(sample);
    if (layout.bits == 8) return row[at];
    if (layout.bits == 16) {
      std::uint16_t value = 0;
      std::memcpy(&value, row + at * 2, 2);
      return value;
    }
    const auto bits = static_cast<std::size_t>(layout.bits);
    const std::size_t bit = at * bits;
    return row[bit / 8] >> (8 - bits - bit % 8) & ((1U << bits) - 1);
  }
};

}  // namespace

TiffLayout read_tiff_layout(TIFF* tiff, const DecodeLimits& limits) {
  const auto width = tiff_field<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH, 0);
  const auto height = tiff_field<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH, 0);
  check_size(width, height, limits);
  TiffLayout layout;
  layout.size = {static_cast<int>(width), static_cast<int>(height)};
  layout.bits = tiff_field<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE, 1);
  layout.n_samples = tiff_field<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  layout.planes = tiff_field<std::uint16_t>(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) ==
                  PLANARCONFIG_SEPARATE;
  layout.tiled = TIFFIsTiled(tiff) != 0;
  layout.orientation = tiff_orientation(tiff);
  constexpr int kMostSamples = 8;
  if (layout.n_samples < 1 || layout.n_samples > kMostSamples) {
    throw BadPicture("has {} samples a pixel; 1 to {} are read", layout.n_samples, kMostSamples);
  }
  const int n_colours = set_colours(tiff, layout);
  if (layout.by_libtiff) return layout;

  const auto format = tiff_field<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  const bool small = layout.bits == 1 || layout.bits == 2 || layout.bits == 4;
  const bool one_sample = layout.n_samples == 1 && n_colours == 1;
  if ((format != SAMPLEFORMAT_UINT && format != SAMPLEFORMAT_VOID) ||
      !((small && one_sample) || layout.bits == 8 || layout.bits == 16)) {
    throw BadPicture(
        "has samples of {} bits{}; unsigned ones of 8 or 16 bits are read, of one sample a pixel "
        "1, 2 and 4 as well",
        layout.bits,
        format == SAMPLEFORMAT_IEEEFP ? ", floating-point"
        : format == SAMPLEFORMAT_INT  ? ", signed"
                                      : "");
  }
  if (layout.n_samples < n_colours) {
    throw BadPicture("has {} samples a pixel; its colours need {}", layout.n_samples, n_colours);
  }
  layout.alpha = tiff_alpha(tiff, layout.n_samples, n_colours);
  if (layout.colours == TiffColours::palette) {
    if (layout.bits == 16) throw BadPicture("has a palette of 16 bits, which is not read");
    layout.palette = tiff_palette(tiff, layout.bits);
  }
  return layout;
}

void convert_tiff_row(const TiffLayout& layout, const std::vector<const std::uint8_t*>& planes,
                      std::uint8_t* out) {
  const SampleReader sample = {layout, planes};
  const std::uint32_t most = (1U << layout.bits) - 1;
  const int shift = layout.bits == 16 ? 8 : 0;  // of colours the high byte, as Pillow has it
  const int width = layout.size.width;
  const auto n_colours = layout.colours == TiffColours::rgb    ? 3
                         : layout.colours == TiffColours::cmyk ? 4
                                                               : 1;
  std::uint8_t* to = out;
  for (int x = 0; x < width; ++x, to += 4) {
    switch (layout.colours) {
      case TiffColours::gray:
      case TiffColours::inverted_gray: {
        const std::uint32_t value =
            layout.colours == TiffColours::gray ? sample(x, 0) : most - sample(x, 0);
        std::memset(
            to, layout.bits == 16 ? from_16_bits(value) : static_cast<int>(value * 255 / most), 3);
        break;
      }
      case TiffColours::rgb:
        for (int channel = 0; channel < 3; ++channel)
          to[channel] = static_cast<std::uint8_t>(sample(x, channel) >> shift);
        break;
      case TiffColours::palette:
        std::memcpy(to, layout.palette[sample(x, 0)].data(), 3);
        break;
      case TiffColours::cmyk:
        for (int channel = 0; channel < 3; ++channel) {
          to[channel] = without_ink(sample(x, channel) >> shift, sample(x, 3) >> shift);
        }
        break;
    }
    to[3] = layout.alpha == TiffAlpha::none
                ? 255
                : static_cast<std::uint8_t>(sample(x, n_colours) >> shift);
  }
  if (layout.alpha == TiffAlpha::none) return;
  if (layout.alpha == TiffAlpha::premultiplied) row_without_premultiplication(out, width);
  row_over_white(out, width);
}

}  // namespace pleiad::media
