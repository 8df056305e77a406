#include "media/video/video_packets.h"

#include <algorithm>
#include <new>

#include "base/text_format.h"
#include "media/streams/bad_stream.h"

namespace pleiad::media {
namespace {

bool is_key(const AVPacket& packet) { return (packet.flags & AV_PKT_FLAG_KEY) != 0; }
/// Decoded and not shown: before the beginning of an edit list.
bool is_hidden(const AVPacket& packet) { return (packet.flags & AV_PKT_FLAG_DISCARD) != 0; }

std::uint64_t unsigned_count(std::int64_t n) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0));
}

}  // namespace

VideoPackets::VideoPackets(StreamInput& input, const AVStream& track, const VideoLimits& limits) {
  if (track.nb_frames > limits.max_total_frames) {
    throw BadStream("has {} frames; at most {} are read",
                    format_count(unsigned_count(track.nb_frames)),
                    format_count(unsigned_count(limits.max_total_frames)));
  }
  // What is left of an MP4's table after its edit list; other containers count roughly or not.
  const int n_promised = input.format() == StreamFormat::mp4
                             ? stream_libraries().avformat_index_get_entries_count(&track)
                             : 0;
  read_all(input, limits);
  if (std::cmp_less(packets_.size(), n_promised)) {
    throw BadStream("ends early: with {} of the {} frames that it should have",
                    format_count(packets_.size()), format_count(unsigned_count(n_promised)));
  }
  order_frames();
  if (shown_.empty()) throw BadStream("has no frames");
  fps_ = average_rate(track);
}

void VideoPackets::read_all(StreamInput& input, const VideoLimits& limits) {
  for (;;) {
    PacketPointer packet = make_packet();
    if (!input.read(*packet)) return;
    if (packet->size == 0) continue;
    if (std::cmp_equal(packets_.size(), limits.max_total_frames)) {
      throw BadStream("has more than {} frames, which is the most that is read",
                      format_count(packets_.size()));
    }
    has_times_ = has_times_ && packet->pts != AV_NOPTS_VALUE;
    packets_.push_back(std::move(packet));
  }
}

void VideoPackets::order_frames() {
  for (std::size_t i = 0; i < packets_.size(); ++i) {
    if (!is_hidden(*packets_[i])) shown_.push_back(i);
  }
  if (!has_times_) return;
  const auto earlier = [&](std::size_t a, std::size_t b) { return time(a) < time(b); };
  std::ranges::stable_sort(shown_, earlier);
  // Two at one time are one that is shown: the second field of a frame, a copy.
  const auto same_time = [&](std::size_t a, std::size_t b) { return time(a) == time(b); };
  shown_.erase(std::unique(shown_.begin(), shown_.end(), same_time), shown_.end());
}

std::size_t VideoPackets::key_packet_of(std::int64_t frame) const {
  const std::size_t wanted = packet_of(frame);
  for (std::size_t i = wanted + 1; i-- > 0;) {
    // Frames that are shown before the key frame that they follow need the one before that.
    if (is_key(*packets_[i]) && (!has_times_ || time(i) <= time(wanted))) return i;
  }
  return 0;
}

double VideoPackets::average_rate(const AVStream& track) const {
  const auto possible = [](double fps) { return fps >= kMinFps && fps <= kMaxFps; };
  const AVRational told = track.avg_frame_rate;
  if (told.num > 0 && told.den > 0 && possible(av_q2d(told))) return av_q2d(told);
  if (!has_times_ || n_frames() < 2) return kUnknownFps;
  const double units =
      static_cast<double>(time_of(n_frames() - 1)) - static_cast<double>(time_of(0));
  const double fps = static_cast<double>(n_frames() - 1) / (units * av_q2d(track.time_base));
  return possible(fps) ? fps : kUnknownFps;
}

}  // namespace pleiad::media
