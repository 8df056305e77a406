#pragma once

#include <cstdint>
#include <functional>

#include "media/video/video_packets.h"

namespace pleiad::media {

/// Decodes some frames of a track: from the key frames before them, and nothing that they do not
/// need.
class FrameDecoder {
 public:
  /// Throws BadStream where the track's coding is not known, or its frames are too large.
  FrameDecoder(const AVStream& track, const VideoPackets& packets, const VideoLimits& limits);

  /// The next frame that is asked for; indices ascend. Valid until the next call. Throws BadStream
  /// where it is damaged or missing.
  const AVFrame& decode(std::int64_t frame);

 private:
  /// The frame or a later one; false at the end.
  bool decode_until(std::int64_t frame);
  bool is_there(std::int64_t frame) const;
  void send_next(std::int64_t frame);
  bool may_be_skipped(std::size_t packet, std::int64_t frame) const;
  [[noreturn]] void refuse(std::int64_t frame, const std::string& why) const;

  const StreamLibraries& av_;
  const AVStream& track_;
  const VideoPackets& packets_;
  DecoderPointer decoder_;
  FramePointer current_ = make_frame();  // has pixels once there was one
  FramePointer incoming_ = make_frame();
  std::size_t next_packet_ = 0;
  std::int64_t n_shown_ = 0;  // where there are no times: frames that came out
};

}  // namespace pleiad::media
