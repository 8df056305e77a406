#include "media/video/frame_pixels.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "media/streams/bad_stream.h"

namespace pleiad::media {
namespace {

/// swscale writes a vector behind the end of a row.
constexpr std::size_t kPixelSlack = 256;
/// Rows that are handed over at a time: few enough to stay in a core's cache.
constexpr int kRowsAtATime = 16;

Orientation orientation_of_matrix(const std::int32_t* matrix) {
  // x' = a x + c y, y' = b x + d y of the matrix {a, b, u, c, d, v, ...}, in 16.16.
  const std::int64_t a = matrix[0];
  const std::int64_t b = matrix[1];
  const std::int64_t c = matrix[3];
  const std::int64_t d = matrix[4];
  if (std::abs(a) + std::abs(d) >= std::abs(b) + std::abs(c)) return {a < 0, d < 0, false};
  return {b < 0, c < 0, true};
}

}  // namespace

Orientation orientation_of(const AVStream& track) {
#if LIBAVFORMAT_VERSION_MAJOR < 61
  std::size_t size = 0;
  const std::uint8_t* const data =
      stream_libraries().av_stream_get_side_data(&track, AV_PKT_DATA_DISPLAYMATRIX, &size);
#else
  const AVPacketSideData* const found = stream_libraries().av_packet_side_data_get(
      track.codecpar->coded_side_data, track.codecpar->nb_coded_side_data,
      AV_PKT_DATA_DISPLAYMATRIX);
  const std::size_t size = found == nullptr ? 0 : found->size;
  const std::uint8_t* const data = found == nullptr ? nullptr : found->data;
#endif
  std::int32_t matrix[9] = {};
  if (data == nullptr || size < sizeof matrix) return {};
  std::memcpy(matrix, data, sizeof matrix);
  return orientation_of_matrix(matrix);
}

void FramePixels::prepare(const AVFrame& frame) {
  const bool is_ready = context_ && width_ == frame.width && height_ == frame.height &&
                        format_ == frame.format && space_ == frame.colorspace &&
                        range_ == frame.color_range;
  if (is_ready) return;
  const StreamLibraries& av = stream_libraries();
  const auto format = static_cast<AVPixelFormat>(frame.format);
  constexpr int kExact = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP;
  context_.reset(av.sws_getContext(frame.width, frame.height, format, frame.width, frame.height,
                                   AV_PIX_FMT_RGB0, kExact, nullptr, nullptr, nullptr));
  if (!context_) throw BadStream("has pixels that cannot be made red, green and blue");
  const AVPixFmtDescriptor* const descriptor = av.av_pix_fmt_desc_get(format);
  const bool is_rgb = descriptor != nullptr && (descriptor->flags & AV_PIX_FMT_FLAG_RGB) != 0;
  if (!is_rgb) {
    // The old formats yuvj... are of full range whatever the frame says.
    const bool is_full = frame.color_range == AVCOL_RANGE_JPEG || format == AV_PIX_FMT_YUVJ420P ||
                         format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P ||
                         format == AV_PIX_FMT_YUVJ440P || format == AV_PIX_FMT_YUVJ411P;
    constexpr int kOne = 1 << 16;
    av.sws_setColorspaceDetails(context_.get(), av.sws_getCoefficients(frame.colorspace),
                                is_full ? 1 : 0, av.sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, kOne,
                                kOne);
  }
  width_ = frame.width;
  height_ = frame.height;
  format_ = frame.format;
  space_ = frame.colorspace;
  range_ = frame.color_range;
}

void FramePixels::write(const AVFrame& frame, Orientation orientation, const DecodeLimits& limits,
                        RowSink& sink) {
  const auto side = [](int n) { return static_cast<std::uint64_t>(std::max(n, 0)); };
  check_size(side(frame.width), side(frame.height), limits);
  prepare(frame);
  const std::size_t row_size = static_cast<std::size_t>(frame.width) * 4;
  rows_.resize(row_size * static_cast<std::size_t>(frame.height) + kPixelSlack);
  std::uint8_t* const planes[4] = {rows_.data(), nullptr, nullptr, nullptr};
  const int strides[4] = {frame.width * 4, 0, 0, 0};
  const int written = stream_libraries().sws_scale(context_.get(), frame.data, frame.linesize, 0,
                                                   frame.height, planes, strides);
  if (written != frame.height)
    throw BadStream("has pixels that cannot be made red, green and blue");
  sink.begin({frame.width, frame.height}, orientation);
  for (int y = 0; y < frame.height; y += kRowsAtATime) {
    sink.rows(rows_.data() + row_size * static_cast<std::size_t>(y),
              std::min(kRowsAtATime, frame.height - y));
  }
}

}  // namespace pleiad::media
