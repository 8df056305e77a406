#include "media/video/frame_decoder.h"

#include <algorithm>
#include <utility>

#include "base/text_format.h"
#include "media/streams/bad_stream.h"

namespace pleiad::media {
namespace {

/// Codings whose frames say of themselves, and mean it, that no other frame needs them.
bool marks_unneeded_frames(AVCodecID codec) {
  return codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_MPEG4 || codec == AV_CODEC_ID_MPEG2VIDEO;
}

}  // namespace

FrameDecoder::FrameDecoder(const AVStream& track, const VideoPackets& packets,
                           const VideoLimits& limits)
    : av_(stream_libraries()),
      track_(track),
      packets_(packets),
      decoder_(open_decoder(track, "video")) {
  decoder_->max_pixels = static_cast<std::int64_t>(limits.max_pixels);
}

void FrameDecoder::refuse(std::int64_t frame, const std::string& why) const {
  throw BadStream("is damaged at frame {} of {}: {}",
                  format_count(static_cast<std::uint64_t>(frame)),
                  format_count(static_cast<std::uint64_t>(packets_.n_frames())), why);
}

const AVFrame& FrameDecoder::decode(std::int64_t frame) {
  const std::size_t key = packets_.key_packet_of(frame);
  if (packets_.has_times() && key > next_packet_ && !is_there(frame)) {
    av_.avcodec_flush_buffers(decoder_.get());
    av_.av_frame_unref(current_.get());
    next_packet_ = key;
  }
  if (!decode_until(frame)) refuse(frame, "it cannot be decoded");
  if (current_->decode_error_flags != 0 || (current_->flags & AV_FRAME_FLAG_CORRUPT) != 0) {
    refuse(frame, "parts of it are missing");
  }
  return *current_;
}

bool FrameDecoder::is_there(std::int64_t frame) const {
  if (current_->data[0] == nullptr) return false;
  if (!packets_.has_times()) return n_shown_ > frame;
  return current_->best_effort_timestamp >= packets_.time_of(frame);
}

bool FrameDecoder::decode_until(std::int64_t frame) {
  while (!is_there(frame)) {
    const int got = av_.avcodec_receive_frame(decoder_.get(), incoming_.get());
    if (got == AVERROR(EAGAIN)) {
      send_next(frame);
      continue;
    }
    // The last frame stands for those that a container counts and that do not come.
    if (got == AVERROR_EOF) return current_->data[0] != nullptr;
    if (got < 0) refuse(frame, ffmpeg_error(av_, got));
    std::swap(current_, incoming_);
    av_.av_frame_unref(incoming_.get());
    ++n_shown_;
  }
  return true;
}

void FrameDecoder::send_next(std::int64_t frame) {
  if (next_packet_ == packets_.n_packets()) {
    av_.avcodec_send_packet(decoder_.get(), nullptr);
    return;
  }
  const std::size_t i = next_packet_++;
  decoder_->skip_frame = may_be_skipped(i, frame) ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
  const int sent = av_.avcodec_send_packet(decoder_.get(), &packets_.packet(i));
  if (sent < 0 && sent != AVERROR_INVALIDDATA) refuse(frame, ffmpeg_error(av_, sent));
  if (sent < 0 && i == packets_.packet_of(frame)) refuse(frame, ffmpeg_error(av_, sent));
}

bool FrameDecoder::may_be_skipped(std::size_t packet, std::int64_t frame) const {
  return packets_.has_times() && marks_unneeded_frames(track_.codecpar->codec_id) &&
         packets_.packet(packet).pts < packets_.time_of(frame);
}

}  // namespace pleiad::media
