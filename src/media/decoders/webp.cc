#include <webp/decode.h>
#include <webp/demux.h>

#include <cstring>
#include <memory>
#include <vector>

#include "base/text_format.h"
#include "media/decoders/colours.h"
#include "media/decoders/decoder.h"
#include "media/decoders/row_writer.h"

namespace pleiad::media {
namespace {

struct DeleteDemuxer {
  void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};

const std::uint8_t* webp_bytes(Bytes bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

Orientation webp_orientation(const WebPDemuxer* demuxer) {
  const auto value_in = [&](const char* name, int (*read)(Bytes)) {
    WebPChunkIterator chunk = {};
    int value = 0;
    if (WebPDemuxGetChunk(demuxer, name, 1, &chunk) != 0) {
      value = read(std::as_bytes(std::span(chunk.chunk.bytes, chunk.chunk.size)));
    }
    WebPDemuxReleaseChunkIterator(&chunk);
    return value;
  };
  const int exif = value_in("EXIF", orientation_in_exif);
  return orientation_of_tag(exif != 0 ? exif : value_in("XMP ", orientation_in_xmp));
}

const char* webp_status(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return "ends early";
    case VP8_STATUS_OUT_OF_MEMORY:
      throw std::bad_alloc();
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "has a feature that libwebp does not know";
    default:
      return "cannot be decoded: its data are damaged";
  }
}

/// The first frame, and where on the canvas it lies; the rest of the canvas is transparent.
struct WebpFrame {
  Bytes data;
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

WebpFrame first_webp_frame(const WebPDemuxer* demuxer) {
  WebPIterator iterator = {};
  if (WebPDemuxGetFrame(demuxer, 1, &iterator) == 0) throw BadPicture("has no frame");
  WebpFrame frame;
  frame.data = std::as_bytes(std::span(iterator.fragment.bytes, iterator.fragment.size));
  frame.x = iterator.x_offset;
  frame.y = iterator.y_offset;
  frame.width = iterator.width;
  frame.height = iterator.height;
  const bool complete = iterator.complete != 0;
  WebPDemuxReleaseIterator(&iterator);  // the bytes are the file's
  if (!complete) throw BadPicture("ends early");
  return frame;
}

}  // namespace

void decode_webp(Bytes bytes, const DecodeLimits& limits, RowSink& sink) {
  const WebPData file = {webp_bytes(bytes), bytes.size()};
  WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
  const std::unique_ptr<WebPDemuxer, DeleteDemuxer> demuxer(WebPDemuxPartial(&file, &state));
  if (!demuxer || state == WEBP_DEMUX_PARSE_ERROR)
    throw BadPicture("cannot be decoded: its chunks are damaged");
  if (state != WEBP_DEMUX_DONE) {
    throw BadPicture("ends early, after {} bytes", format_count(bytes.size()));
  }
  const std::uint32_t width = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_WIDTH);
  const std::uint32_t height = WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_HEIGHT);
  check_size(width, height, limits);
  const WebpFrame frame = first_webp_frame(demuxer.get());

  WebPBitstreamFeatures features = {};
  VP8StatusCode status = WebPGetFeatures(webp_bytes(frame.data), frame.data.size(), &features);
  if (status != VP8_STATUS_OK) throw BadPicture("{}", webp_status(status));
  // The frame's own header has to agree with what was checked.
  if (features.width != frame.width || features.height != frame.height) {
    throw BadPicture("has a frame of {} x {} pixels that says to have {} x {}", features.width,
                     features.height, frame.width, frame.height);
  }
  const PictureSize size = {static_cast<int>(width), static_cast<int>(height)};
  if (frame.x < 0 || frame.y < 0 || frame.width > size.width - frame.x ||
      frame.height > size.height - frame.y) {
    throw BadPicture("has a frame that lies outside of it");
  }

  const std::size_t frame_row = static_cast<std::size_t>(frame.width) * 4;
  std::vector<std::uint8_t> rgba(frame_row * static_cast<std::size_t>(frame.height));
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0)
    throw BadPicture("cannot be decoded: this libwebp is another one than it was built for");
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {rgba.data(), static_cast<int>(frame_row), rgba.size()};
  status = WebPDecode(webp_bytes(frame.data), frame.data.size(), &config);
  if (status != VP8_STATUS_OK) throw BadPicture("{}", webp_status(status));

  RowWriter writer(sink, size, webp_orientation(demuxer.get()));
  for (int y = 0; y < size.height; ++y) {
    std::uint8_t* const row = writer.next_row();
    std::memset(row, 255, writer.row_size());  // what no frame covers is transparent
    if (y < frame.y || y >= frame.y + frame.height) continue;
    std::uint8_t* const at = row + static_cast<std::size_t>(frame.x) * 4;
    std::memcpy(at, rgba.data() + frame_row * static_cast<std::size_t>(y - frame.y), frame_row);
    if (features.has_alpha != 0) row_over_white(at, frame.width);
  }
  writer.finish();
}

}  // namespace pleiad::media
