// A photo of 12 megapixels, as cameras store them, from its bytes to what a tower sees, beside
// libjpeg-turbo alone.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
// Behind <cstdio>, which it needs.
#include <jpeglib.h>

#include <cstdlib>
#include <vector>

#include "media/prepare.h"
#include "media/sound/sound.h"

namespace pleiad::media {
namespace {

constexpr int kWidth = 4032;
constexpr int kHeight = 3024;

/// Shapes of every size and the noise of a sensor; 3 to 4 MB as a JPEG of quality 90, as photos
/// have.
std::vector<std::uint8_t> scene() {
  std::vector<std::uint8_t> rgb(std::size_t{kWidth} * kHeight * 3);
  std::uint32_t state = 1;
  std::size_t at = 0;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      state = state * 1664525U + 1013904223U;
      const float noise = static_cast<float>(state >> 24) / 18.0F - 7.1F;
      const auto fx = static_cast<float>(x);
      const auto fy = static_cast<float>(y);
      const float shapes = 40.0F * std::sin(fx * 0.0031F + fy * 0.0017F) +
                           25.0F * std::sin(fx * 0.043F - fy * 0.031F) +
                           12.0F * std::sin(fx * 0.31F) * std::sin(fy * 0.27F) +
                           (((x / 97) ^ (y / 83)) % 5) * 9.0F;
      for (int channel = 0; channel < 3; ++channel) {
        const float value = 110.0F + shapes * (1.0F - 0.2F * static_cast<float>(channel)) + noise;
        rgb[at++] = static_cast<std::uint8_t>(std::fmin(std::fmax(value, 0.0F), 255.0F));
      }
    }
  }
  return rgb;
}

std::vector<std::byte> encoded(bool progressive, int orientation) {
  static const std::vector<std::uint8_t> rgb = scene();
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = kWidth;
  info.image_height = kHeight;
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 90, TRUE);
  if (progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  const std::uint8_t exif[] = {
      'E', 'x', 'i', 'f', 0,    0, 'M', 'M', 0, 42, 0, 0, 0,
      8,   0,   1,   1,   0x12, 0, 3,   0,   0, 0,  1, 0, static_cast<std::uint8_t>(orientation),
      0,   0,   0,   0,   0,    0};
  jpeg_write_marker(&info, JPEG_APP0 + 1, exif, sizeof(exif));
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<JSAMPROW>(rgb.data() + std::size_t{info.next_scanline} * kWidth * 3);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const auto span = std::as_bytes(std::span(bytes, size));
  std::vector<std::byte> result(span.begin(), span.end());
  std::free(bytes);
  return result;
}

const std::vector<std::byte>& photo(bool progressive, int orientation) {
  static const std::vector<std::byte> upright = encoded(false, 1);
  static const std::vector<std::byte> turned = encoded(false, 6);
  static const std::vector<std::byte> in_scans = encoded(true, 1);
  return progressive ? in_scans : orientation == 1 ? upright : turned;
}

/// All rows into one place, which stays in the cache: the least that decoding can cost.
void decode_alone(benchmark::State& state, bool progressive) {
  const std::vector<std::byte>& file = photo(progressive, 1);
  std::vector<std::uint8_t> row(std::size_t{kWidth} * 3);
  for (auto _ : state) {
    jpeg_decompress_struct info = {};
    jpeg_error_mgr errors = {};
    info.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      JSAMPROW to = row.data();
      jpeg_read_scanlines(&info, &to, 1);
    }
    jpeg_destroy_decompress(&info);
    benchmark::DoNotOptimize(row.data());
  }
  state.counters["bytes"] = static_cast<double>(file.size());
}

void prepare(benchmark::State& state, bool progressive, int orientation) {
  const std::vector<std::byte>& file = photo(progressive, orientation);
  const PictureOptions options = {.budget = static_cast<int>(state.range(0))};
  for (auto _ : state) benchmark::DoNotOptimize(prepare_picture(file, options, {}).ok());
}

#if defined(PLEIAD_FFMPEG)
/// 30 seconds at 44.1 kHz, 16 bits, two channels.
std::vector<std::byte> long_wav() {
  constexpr std::uint32_t kRate = 44'100;
  constexpr std::uint32_t kBytes = kRate * 30 * 4;
  std::vector<std::byte> bytes;
  const auto text = [&](std::string_view letters) {
    for (const char letter : letters) bytes.push_back(static_cast<std::byte>(letter));
  };
  const auto number = [&](std::uint32_t value, int n_bytes) {
    for (int i = 0; i < n_bytes; ++i) bytes.push_back(static_cast<std::byte>(value >> 8 * i));
  };
  text("RIFF");
  number(kBytes + 36, 4);
  text("WAVEfmt ");
  number(16, 4);
  number(1, 2);
  number(2, 2);
  number(kRate, 4);
  number(kRate * 4, 4);
  number(4, 2);
  number(16, 2);
  text("data");
  number(kBytes, 4);
  for (std::uint32_t i = 0; i < kBytes / 2; ++i) number(i * i * 7 % 20'000, 2);
  return bytes;
}

void hear_wav(benchmark::State& state) {
  const std::vector<std::byte> file = long_wav();
  for (auto _ : state) benchmark::DoNotOptimize(prepare_sound(file, {}, {}).ok());
}
BENCHMARK(hear_wav)->Unit(benchmark::kMillisecond);
#endif

BENCHMARK_CAPTURE(decode_alone, baseline, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prepare, baseline, false, 1)
    ->Arg(70)
    ->Arg(280)
    ->Arg(1120)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prepare, turned, false, 6)->Arg(280)->Arg(1120)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(decode_alone, progressive, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prepare, progressive, true, 1)->Arg(280)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pleiad::media
