#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "media/ffmpeg/api.h"
#include "media/streams/stream_format.h"

namespace pleiad::media {

/// A container in memory, read by FFmpeg's demuxer of its format and by no other. Nothing else can
/// be opened by it: what a file says of other files, of URLs and lists is refused.
class StreamInput {
 public:
  /// Reads what the container says of itself. Throws BadStream.
  StreamInput(std::span<const std::byte> bytes, StreamFormat format);
  ~StreamInput() = default;
  StreamInput(const StreamInput&) = delete;
  StreamInput& operator=(const StreamInput&) = delete;

  AVFormatContext& context() const { return *context_; }
  StreamFormat format() const { return format_; }

  /// The track of that kind that FFmpeg takes for the best, whose packets alone are read from here
  /// on; null without one.
  AVStream* choose(AVMediaType kind);
  /// The first track of that kind, which may be one that nothing here decodes; null without one.
  const AVStream* first(AVMediaType kind) const;

  /// The next packet of the chosen tracks; false at the end. What was cut off is the end: whoever
  /// reads compares with what the container promised. Throws BadStream.
  bool read(AVPacket& packet);

 private:
  struct FreeIo {
    void operator()(AVIOContext* io) const;
  };
  struct CloseInput {
    void operator()(AVFormatContext* context) const;
  };

  static int read_bytes(void* self, std::uint8_t* into, int n);
  static std::int64_t seek_bytes(void* self, std::int64_t offset, int whence);

  const StreamLibraries& av_;
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  StreamFormat format_;
  std::unique_ptr<AVIOContext, FreeIo> io_;
  std::unique_ptr<AVFormatContext, CloseInput> context_;
};

/// A decoder of the track, in this thread alone. Throws BadStream where none is known.
DecoderPointer open_decoder(const AVStream& stream, std::string_view kind);

/// "FLAC", "AAC in MP4"
std::string describe(StreamFormat format, AVCodecID codec);

}  // namespace pleiad::media
