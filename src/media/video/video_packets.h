#pragma once

#include <cstdint>
#include <vector>

#include "media/ffmpeg/input.h"
#include "media/video/video.h"

namespace pleiad::media {

/// All coded frames of a track, in the order in which they are decoded. They are as large as the
/// file and are kept, so that going back to a key frame needs no index in the file, which many have
/// not, and no seeking of demuxers, which lands where it pleases.
class VideoPackets {
 public:
  /// Reads all packets of the track, which is the chosen one of the input. Throws BadStream: no
  /// frames, too many, fewer than the container says.
  VideoPackets(StreamInput& input, const AVStream& track, const VideoLimits& limits);

  /// Frames that are shown, in what follows by their index in the order of display.
  std::int64_t n_frames() const { return static_cast<std::int64_t>(shown_.size()); }
  /// When it is shown, in units of the track; strictly ascending where has_times().
  std::int64_t time_of(std::int64_t frame) const { return time(shown_[index(frame)]); }
  /// The container tells when each frame is shown. Where it does not (some AVI), frames are in
  /// order, and have to be counted from the beginning.
  bool has_times() const { return has_times_; }
  /// Of all frames, on average.
  double fps() const { return fps_; }

  std::size_t n_packets() const { return packets_.size(); }
  AVPacket& packet(std::size_t i) const { return *packets_[i]; }
  /// The packet of the frame, and the latest key frame to begin with to decode it.
  std::size_t packet_of(std::int64_t frame) const { return shown_[index(frame)]; }
  std::size_t key_packet_of(std::int64_t frame) const;

 private:
  static std::size_t index(std::int64_t frame) { return static_cast<std::size_t>(frame); }
  std::int64_t time(std::size_t packet) const { return packets_[packet]->pts; }
  void read_all(StreamInput& input, const VideoLimits& limits);
  void order_frames();
  double average_rate(const AVStream& track) const;

  std::vector<PacketPointer> packets_;
  std::vector<std::size_t> shown_;  // packets, in the order of display
  bool has_times_ = true;
  double fps_ = 0;
};

}  // namespace pleiad::media
