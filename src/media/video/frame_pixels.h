#pragma once

#include <vector>

#include "media/decoders/decoder.h"
#include "media/ffmpeg/api.h"

namespace pleiad::media {

/// How a track's frames are turned to be upright, by its display matrix: turns by quarters and
/// mirrorings.
Orientation orientation_of(const AVStream& track);

/// Hands the pixels of decoded frames to whoever resizes them. What is YUV becomes RGB by swscale
/// with exact rounding and chroma that is interpolated, by the matrix and the range that the frame
/// says: BT.601 where it does not say, as FFmpeg's program does. HDR is not mapped to SDR.
class FramePixels {
 public:
  /// Throws BadStream for a frame that is too large or of a kind that swscale does not know.
  void write(const AVFrame& frame, Orientation orientation, const DecodeLimits& limits,
             RowSink& sink);

 private:
  struct Free {
    void operator()(SwsContext* context) const { stream_libraries().sws_freeContext(context); }
  };
  void prepare(const AVFrame& frame);

  std::unique_ptr<SwsContext, Free> context_;
  // What context_ is for.
  int width_ = 0;
  int height_ = 0;
  int format_ = -1;
  AVColorSpace space_ = AVCOL_SPC_UNSPECIFIED;
  AVColorRange range_ = AVCOL_RANGE_UNSPECIFIED;
  std::vector<std::uint8_t> rows_;  // [height, width, 4], and slack
};

}  // namespace pleiad::media
