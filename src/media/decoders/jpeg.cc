#include <csetjmp>
#include <cstdio>
#include <cstring>
// jpeglib.h needs <cstdio>, and jerror.h numbers its messages by what jpeglib.h defines.
#include <jpeglib.h>
// clang-format keeps this order.
#include <jerror.h>

#include <array>
#include <string_view>

#include "base/text_format.h"
#include "media/decoders/colours.h"
#include "media/decoders/decoder.h"
#include "media/decoders/row_writer.h"

namespace pleiad::media {
namespace {

constexpr int kApp1 = JPEG_APP0 + 1;

/// A decoder and what its callbacks know. libjpeg's errors jump: each call into it stands in a
/// function of its own below, which holds nothing that would have to be destroyed.
struct JpegDecoder {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  jpeg_source_mgr source = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf jump = {};
  std::array<char, JMSG_LENGTH_MAX> message = {};
  std::array<JOCTET, 2> end = {0xFF, JPEG_EOI};
  bool ended = false;  // more bytes were asked for than there are
  bool too_many_scans = false;
  bool created = false;
  int max_scans = 0;

  ~JpegDecoder() {
    if (created) jpeg_destroy_decompress(&info);
  }
};

JpegDecoder& decoder_of(j_common_ptr info) { return *static_cast<JpegDecoder*>(info->client_data); }

[[noreturn]] void jump_out(j_common_ptr info) {
  JpegDecoder& decoder = decoder_of(info);
  info->err->format_message(info, decoder.message.data());
  std::longjmp(decoder.jump, 1);
}

/// Warnings that mean wrong or missing pixels are errors here; the others say that a file was
/// written carelessly.
void on_jpeg_message(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_HIT_MARKER:  // the data of a scan ends early
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
      jump_out(info);
    default:
      return;
  }
}

void print_nothing(j_common_ptr) {}

void start_source(j_decompress_ptr) {}

/// Behind the last byte stands an end of picture, so that what is complete but for its end can be
/// decoded.
boolean end_source(j_decompress_ptr info) {
  JpegDecoder& decoder = decoder_of(reinterpret_cast<j_common_ptr>(info));
  decoder.ended = true;
  info->src->next_input_byte = decoder.end.data();
  info->src->bytes_in_buffer = decoder.end.size();
  return TRUE;
}

void skip_source(j_decompress_ptr info, long n) {
  if (n <= 0) return;
  if (static_cast<std::size_t>(n) > info->src->bytes_in_buffer) {
    end_source(info);
    return;
  }
  info->src->next_input_byte += n;
  info->src->bytes_in_buffer -= static_cast<std::size_t>(n);
}

void count_scans(j_common_ptr info) {
  JpegDecoder& decoder = decoder_of(info);
  if (decoder.info.input_scan_number <= decoder.max_scans) return;
  decoder.too_many_scans = true;
  std::longjmp(decoder.jump, 1);
}

bool read_jpeg_header(JpegDecoder& decoder, Bytes bytes) {
  if (setjmp(decoder.jump) != 0) return false;
  decoder.info.err = jpeg_std_error(&decoder.errors);
  decoder.errors.error_exit = jump_out;
  decoder.errors.emit_message = on_jpeg_message;
  decoder.errors.output_message = print_nothing;
  decoder.info.client_data = &decoder;
  decoder.created = true;
  jpeg_create_decompress(&decoder.info);
  decoder.info.client_data = &decoder;
  decoder.info.progress = &decoder.progress;
  decoder.progress.progress_monitor = count_scans;
  decoder.source.init_source = start_source;
  decoder.source.fill_input_buffer = end_source;
  decoder.source.skip_input_data = skip_source;
  decoder.source.resync_to_restart = jpeg_resync_to_restart;
  decoder.source.term_source = start_source;
  decoder.source.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
  decoder.source.bytes_in_buffer = bytes.size();
  decoder.info.src = &decoder.source;
  jpeg_save_markers(&decoder.info, kApp1, 0xFFFF);
  jpeg_read_header(&decoder.info, TRUE);
  return true;
}

bool start_jpeg(JpegDecoder& decoder) {
  if (setjmp(decoder.jump) != 0) return false;
  jpeg_start_decompress(&decoder.info);
  return true;
}

bool read_jpeg_row(JpegDecoder& decoder, std::uint8_t* row) {
  if (setjmp(decoder.jump) != 0) return false;
  return jpeg_read_scanlines(&decoder.info, &row, 1) == 1;
}

[[noreturn]] void fail_jpeg(const JpegDecoder& decoder, Bytes bytes) {
  if (decoder.too_many_scans)
    throw BadPicture("has more than {} scans",
                     format_count(static_cast<std::uint64_t>(decoder.max_scans)));
  if (decoder.ended) throw BadPicture("ends early, after {} bytes", format_count(bytes.size()));
  throw BadPicture("cannot be decoded: {}", printable(decoder.message.data(), 200));
}

Orientation jpeg_orientation(const JpegDecoder& decoder) {
  int xmp = 0;
  for (const jpeg_marker_struct* marker = decoder.info.marker_list; marker != nullptr;
       marker = marker->next) {
    if (marker->marker != kApp1) continue;
    const Bytes data = std::as_bytes(std::span(marker->data, marker->data_length));
    const auto begins = [&](std::string_view name) {  // and a zero
      return data.size() > name.size() && std::memcmp(data.data(), name.data(), name.size()) == 0 &&
             data[name.size()] == std::byte{0};
    };
    if (begins("Exif")) {
      const int value = orientation_in_exif(data);
      if (value != 0) return orientation_of_tag(value);
    } else if (begins("http://ns.adobe.com/xap/1.0/") && xmp == 0) {
      xmp = orientation_in_xmp(data);
    }
  }
  return orientation_of_tag(xmp);
}

/// Inks as Adobe's programs store them, 0 being all of an ink: Pillow takes all CMYK of JPEG for
/// that.
void row_of_inverted_inks(std::uint8_t* cmyk, int n) {
  for (int x = 0; x < n; ++x, cmyk += 4) {
    const std::uint32_t black = 255U - cmyk[3];
    for (int channel = 0; channel < 3; ++channel)
      cmyk[channel] = without_ink(255U - cmyk[channel], black);
  }
}

}  // namespace

void decode_jpeg(Bytes bytes, const DecodeLimits& limits, RowSink& sink) {
  JpegDecoder decoder;
  decoder.max_scans = limits.max_scans;
  if (!read_jpeg_header(decoder, bytes)) fail_jpeg(decoder, bytes);
  jpeg_decompress_struct& info = decoder.info;
  check_size(info.image_width, info.image_height, limits);
  const bool inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  if (info.jpeg_color_space == JCS_UNKNOWN) {
    throw BadPicture("has {} components; expected 1, 3 or 4", info.num_components);
  }
  info.out_color_space = inks ? JCS_CMYK : JCS_EXT_RGBX;
  if (!start_jpeg(decoder)) fail_jpeg(decoder, bytes);
  // All scans but a lone one were read by now: a file that ends among them shows a coarser picture.
  if (decoder.ended && jpeg_has_multiple_scans(&info) != 0) fail_jpeg(decoder, bytes);

  const PictureSize size = {static_cast<int>(info.output_width),
                            static_cast<int>(info.output_height)};
  RowWriter writer(sink, size, jpeg_orientation(decoder));
  for (int y = 0; y < size.height; ++y) {
    std::uint8_t* row = writer.next_row();
    if (!read_jpeg_row(decoder, row)) fail_jpeg(decoder, bytes);
    if (inks) row_of_inverted_inks(row, size.width);
  }
  writer.finish();
}

}  // namespace pleiad::media
