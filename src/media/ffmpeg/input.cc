#include "media/ffmpeg/input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "media/ffmpeg/known_decoders.h"
#include "media/streams/bad_stream.h"

namespace pleiad::media {
namespace {

constexpr int kIoBuffer = 64 << 10;
constexpr int kMostTracks = 64;
/// What a container is looked through for the description of its tracks, where it has none in
/// front.
constexpr std::int64_t kProbeBytes = 4 << 20;
constexpr std::int64_t kProbeMicroseconds = 5'000'000;

const char* demuxer_name(StreamFormat format) {
  switch (format) {
    case StreamFormat::wav:
      return "wav";
    case StreamFormat::aiff:
      return "aiff";
    case StreamFormat::flac:
      return "flac";
    case StreamFormat::mpeg:
      return "mp3";
    case StreamFormat::adts:
      return "aac";
    case StreamFormat::ogg:
      return "ogg";
    case StreamFormat::mp4:
      return "mp4";
    case StreamFormat::matroska:
    case StreamFormat::webm:
      return "matroska";
    case StreamFormat::avi:
      return "avi";
    case StreamFormat::mpegts:
      return "mpegts";
    case StreamFormat::gif:
      return "gif";
  }
  return "";
}

/// What demuxers call for another file than their own.
int open_nothing(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EPERM);
}

struct Dictionary {
  AVDictionary* entries = nullptr;
  ~Dictionary() { stream_libraries().av_dict_free(&entries); }
};

}  // namespace

StreamInput::StreamInput(std::span<const std::byte> bytes, StreamFormat format)
    : av_(stream_libraries()), bytes_(bytes), format_(format) {
  const AVInputFormat* const demuxer = av_.av_find_input_format(demuxer_name(format));
  if (demuxer == nullptr) {
    throw BadStream("the libavformat of this machine does not read: it was built without");
  }
  auto* const buffer = static_cast<std::uint8_t*>(av_.av_malloc(kIoBuffer));
  if (buffer == nullptr) throw std::bad_alloc();
  io_.reset(av_.avio_alloc_context(buffer, kIoBuffer, 0, this, read_bytes, nullptr, seek_bytes));
  context_.reset(av_.avformat_alloc_context());
  if (!io_ || !context_) throw std::bad_alloc();
  context_->pb = io_.get();
  context_->flags |= AVFMT_FLAG_CUSTOM_IO;
  context_->io_open = open_nothing;
  context_->max_streams = kMostTracks;
  context_->probesize = kProbeBytes;
  context_->max_analyze_duration = kProbeMicroseconds;
  Dictionary options;
  av_.av_dict_set(&options.entries, "codec_whitelist", list_of_decoders().c_str(), 0);
  av_.av_dict_set(&options.entries, "protocol_whitelist", "none", 0);
  AVFormatContext* opened = context_.release();  // which is freed where that fails
  int error = av_.avformat_open_input(&opened, nullptr, demuxer, &options.entries);
  context_.reset(opened);
  if (error >= 0) error = av_.avformat_find_stream_info(context_.get(), nullptr);
  if (error < 0) {
    const std::string text = ffmpeg_error(av_, error);
    throw BadStream("cannot be read: its description of what is in it is damaged or missing ({})",
                    text);
  }
}

void StreamInput::FreeIo::operator()(AVIOContext* io) const {
  stream_libraries().av_freep(&io->buffer);
  stream_libraries().avio_context_free(&io);
}

void StreamInput::CloseInput::operator()(AVFormatContext* context) const {
  stream_libraries().avformat_close_input(&context);
}

int StreamInput::read_bytes(void* self, std::uint8_t* into, int n) {
  auto& input = *static_cast<StreamInput*>(self);
  const std::size_t size = std::min(static_cast<std::size_t>(n), input.bytes_.size() - input.at_);
  if (size == 0) return AVERROR_EOF;
  std::memcpy(into, &input.bytes_[input.at_], size);
  input.at_ += size;
  return static_cast<int>(size);
}

std::int64_t StreamInput::seek_bytes(void* self, std::int64_t offset, int whence) {
  auto& input = *static_cast<StreamInput*>(self);
  const auto size = static_cast<std::int64_t>(input.bytes_.size());
  if (whence == AVSEEK_SIZE) return size;
  std::int64_t base = 0;
  if (whence == SEEK_CUR) base = static_cast<std::int64_t>(input.at_);
  if (whence == SEEK_END) base = size;
  if (offset < -base || offset > size - base) return AVERROR(EINVAL);
  input.at_ = static_cast<std::size_t>(base + offset);
  return base + offset;
}

AVStream* StreamInput::choose(AVMediaType kind) {
  const int best = av_.av_find_best_stream(context_.get(), kind, -1, -1, nullptr, 0);
  if (best < 0) return nullptr;
  for (unsigned i = 0; i < context_->nb_streams; ++i) {
    context_->streams[i]->discard = std::cmp_equal(i, best) ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
  }
  return context_->streams[best];
}

const AVStream* StreamInput::first(AVMediaType kind) const {
  for (unsigned i = 0; i < context_->nb_streams; ++i) {
    if (context_->streams[i]->codecpar->codec_type == kind) return context_->streams[i];
  }
  return nullptr;
}

bool StreamInput::read(AVPacket& packet) {
  for (;;) {
    av_.av_packet_unref(&packet);
    const int error = av_.av_read_frame(context_.get(), &packet);
    if (error == AVERROR_EOF) return false;
    // A container that was cut off in the middle of a packet.
    if (error < 0 && context_->pb->eof_reached != 0) return false;
    if (error < 0) throw BadStream("cannot be read: {}", ffmpeg_error(av_, error));
    const AVStream& stream = *context_->streams[packet.stream_index];
    if (stream.discard != AVDISCARD_ALL) return true;
  }
}

DecoderPointer open_decoder(const AVStream& stream, std::string_view kind) {
  const StreamLibraries& av = stream_libraries();
  const KnownDecoder* const known = known_decoder(stream.codecpar->codec_id);
  if (known == nullptr) {
    throw BadStream("has a {} track coded as {}, which is not read here", kind,
                    av.avcodec_get_name(stream.codecpar->codec_id));
  }
  const AVCodec* codec = av.avcodec_find_decoder_by_name(known->decoder);
  if (codec == nullptr && known->other != nullptr) {
    codec = av.avcodec_find_decoder_by_name(known->other);
  }
  if (codec == nullptr) {
    throw BadStream(
        "has a {} track coded as {}, which the libavcodec of this machine does not read", kind,
        known->name);
  }
  DecoderPointer decoder(av.avcodec_alloc_context3(codec));
  if (!decoder) throw std::bad_alloc();
  int error = av.avcodec_parameters_to_context(decoder.get(), stream.codecpar);
  decoder->pkt_timebase = stream.time_base;
  decoder->thread_count = 1;
  decoder->request_sample_fmt = AV_SAMPLE_FMT_FLT;  // of those that could round to 16 bits as well
  if (error >= 0) error = av.avcodec_open2(decoder.get(), codec, nullptr);
  if (error < 0) {
    throw BadStream("has a {} track coded as {} whose decoder refuses it: {}", kind, known->name,
                    ffmpeg_error(av, error));
  }
  return decoder;
}

std::string describe(StreamFormat format, AVCodecID codec) {
  const KnownDecoder* const known = known_decoder(codec);
  const std::string_view name = known == nullptr ? "unknown" : known->name;
  const std::string_view container = format_name(format);
  return name == container ? std::string(name) : fmt::format("{} in {}", name, container);
}

}  // namespace pleiad::media
