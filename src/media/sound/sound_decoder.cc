#include "media/sound/sound_decoder.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text_format.h"
#include "media/sound/mix.h"
#include "media/sound/sample_range.h"
#include "media/streams/bad_stream.h"

namespace pleiad::media {
namespace {

/// Packets that cannot be decoded where a recording begins in the middle of something or ends so:
/// in formats that are cut anywhere, and there alone.
constexpr int kMostBrokenAtEnds = 4;

/// What a file may have less than it says: containers round their durations, and those of encoders
/// count what they have added.
double tolerance(double promised) { return 0.5 + promised / 1000; }

bool may_be_cut(StreamFormat format) {
  return format == StreamFormat::mpeg || format == StreamFormat::adts ||
         format == StreamFormat::mpegts;
}

/// Seconds that the container says the track has, where it says so and not what FFmpeg makes up.
std::optional<double> promised_seconds(const StreamInput& input, const AVStream& track) {
  const bool counts_samples =
      input.format() == StreamFormat::flac || input.format() == StreamFormat::aiff ||
      input.format() == StreamFormat::mp4 || input.format() == StreamFormat::mpeg;
  const AVFormatContext& context = input.context();
  // MP3 without a table of its frames: a guess by its first frames.
  if (context.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE) return std::nullopt;
  if (counts_samples && track.duration > 0) {
    return static_cast<double>(track.duration) * av_q2d(track.time_base);
  }
  // Of all tracks together; it is this one's where there is no other.
  const bool is_matroska =
      input.format() == StreamFormat::matroska || input.format() == StreamFormat::webm;
  if (is_matroska && context.nb_streams == 1 && context.duration > 0) {
    return static_cast<double>(context.duration) / AV_TIME_BASE;
  }
  return std::nullopt;
}

class SoundDecoder {
 public:
  SoundDecoder(StreamInput& input, const AVStream& track, const SoundLimits& limits)
      : input_(input), track_(track), limits_(limits), decoder_(open_decoder(track, "sound")) {
    // Of FLAC, whose frames have checksums.
    if (track.codecpar->codec_id == AV_CODEC_ID_FLAC) {
      decoder_->err_recognition |= AV_EF_CRCCHECK | AV_EF_EXPLODE;
    }
  }

  DecodedSound decode(const std::function<void(int)>& begin, const TakeSamples& take) {
    begin_ = &begin;
    take_ = &take;
    check_promise();
    const PacketPointer packet = make_packet();
    while (input_.read(*packet)) decode_packet(packet.get());
    decode_packet(nullptr);
    check_end();
    return sound_;
  }

 private:
  [[noreturn]] void refuse_length(double seconds) const {
    throw BadStream("lasts {}; at most {} are heard", format_seconds(seconds),
                    format_seconds(limits_.max_seconds));
  }

  void check_promise() {
    promised_ = promised_seconds(input_, track_);
    if (promised_ && *promised_ > limits_.max_seconds) refuse_length(*promised_);
  }

  void decode_packet(const AVPacket* packet) {
    const StreamLibraries& av = stream_libraries();
    const int sent = av.avcodec_send_packet(decoder_.get(), packet);
    if (sent < 0 && sent != AVERROR_EOF) return note_broken(sent);
    for (;;) {
      const int got = av.avcodec_receive_frame(decoder_.get(), frame_.get());
      if (got == AVERROR(EAGAIN) || got == AVERROR_EOF) return;
      if (got < 0) return note_broken(got);
      take_frame(*frame_);
      av.av_frame_unref(frame_.get());
    }
  }

  void note_broken(int error) {
    const std::string text = ffmpeg_error(stream_libraries(), error);
    ++n_broken_;
    if (!may_be_cut(input_.format())) refuse_damage(text);
  }

  [[noreturn]] void refuse_damage(const std::string& text) const {
    throw BadStream("is damaged after {}: {}", format_seconds(sound_.seconds()), text);
  }

  /// What is broken is the beginning or the end of what was cut.
  void check_broken() {
    if (n_broken_ > kMostBrokenAtEnds || (n_broken_ > 0 && sound_.n_samples > 0 && !at_end_)) {
      refuse_damage("its frames cannot be decoded");
    }
  }

  void take_frame(const AVFrame& frame) {
    check_broken();
    n_broken_ = 0;
    if (sound_.rate == 0) begin_sound(frame);
    if (frame.sample_rate != sound_.rate) {
      throw BadStream("changes from {} to {} samples a second after {}",
                      format_count(rate_of(sound_.rate)), format_count(rate_of(frame.sample_rate)),
                      format_seconds(sound_.seconds()));
    }
    check_channels(frame.ch_layout.nb_channels);
    samples_.clear();
    if (frame.nb_samples > 0 && !append_mean_of_channels(frame, samples_)) {
      throw BadStream("has samples of a type that is not known here");
    }
    if (!std::ranges::all_of(samples_, is_sample)) {
      throw BadStream("has samples that are no numbers or far beyond full scale, after {}",
                      format_seconds(sound_.seconds()));
    }
    sound_.n_samples += frame.nb_samples;
    if (sound_.seconds() > limits_.max_seconds) {
      throw BadStream("lasts more than {}, which is the most that is heard",
                      format_seconds(limits_.max_seconds));
    }
    (*take_)(samples_);
  }

  static std::uint64_t rate_of(int rate) { return static_cast<std::uint64_t>(std::max(rate, 0)); }

  void begin_sound(const AVFrame& frame) {
    if (frame.sample_rate < 1 || frame.sample_rate > limits_.max_rate) {
      throw BadStream("has {} samples a second; 1 to {} are read",
                      format_count(rate_of(frame.sample_rate)),
                      format_count(rate_of(limits_.max_rate)));
    }
    sound_.rate = frame.sample_rate;
    sound_.channels = frame.ch_layout.nb_channels;
    check_channels(sound_.channels);
    (*begin_)(sound_.rate);
  }

  void check_channels(int n) const {
    if (n >= 1 && n <= limits_.max_channels) return;
    throw BadStream("has {} channels; 1 to {} are read", n, limits_.max_channels);
  }

  void check_end() {
    at_end_ = true;
    check_broken();
    if (sound_.n_samples == 0) throw BadStream("holds no samples");
    if (promised_ && sound_.seconds() + tolerance(*promised_) < *promised_) {
      throw BadStream("ends early: after {} of the {} that it should have",
                      format_seconds(sound_.seconds()), format_seconds(*promised_));
    }
  }

  StreamInput& input_;
  const AVStream& track_;
  const SoundLimits& limits_;
  DecoderPointer decoder_;
  FramePointer frame_ = make_frame();
  const std::function<void(int)>* begin_ = nullptr;
  const TakeSamples* take_ = nullptr;
  std::optional<double> promised_;
  std::vector<float> samples_;  // of one frame
  DecodedSound sound_;
  int n_broken_ = 0;  // packets since the last that was decoded
  bool at_end_ = false;
};

}  // namespace

DecodedSound decode_sound(StreamInput& input, const AVStream& track, const SoundLimits& limits,
                          const std::function<void(int rate)>& begin, const TakeSamples& take) {
  return SoundDecoder(input, track, limits).decode(begin, take);
}

}  // namespace pleiad::media
