#include "base/text_format.h"
#include "media/decoders/colours.h"
#include "media/decoders/decoder.h"
#include "media/decoders/hevc_plugin.h"
#include "media/decoders/row_writer.h"

#if defined(PLEIAD_HEIF)

#  include <libheif/heif.h>

#  include <cstring>
#  include <memory>

namespace pleiad::media {
namespace {

struct FreeContext {
  void operator()(heif_context* context) const { heif_context_free(context); }
};
struct ReleaseHandle {
  void operator()(heif_image_handle* handle) const { heif_image_handle_release(handle); }
};
struct ReleaseImage {
  void operator()(heif_image* image) const { heif_image_release(image); }
};
struct FreeOptions {
  void operator()(heif_decoding_options* options) const { heif_decoding_options_free(options); }
};

void check_heif(heif_error error) {
  if (error.code == heif_error_Ok) return;
  if (error.code == heif_error_Memory_allocation_error &&
      error.subcode == heif_suberror_Unspecified)
    throw std::bad_alloc();
  if (error.subcode == heif_suberror_End_of_data) throw BadPicture("ends early");
  if (error.code == heif_error_Unsupported_filetype ||
      error.code == heif_error_Unsupported_feature) {
    throw BadPicture("the libheif of this system does not read: {}", printable(error.message, 200));
  }
  throw BadPicture("cannot be decoded: {}", printable(error.message, 200));
}

std::uint64_t unsigned_side(int side) { return side < 0 ? 0 : static_cast<std::uint64_t>(side); }

}  // namespace

void decode_heif(Bytes bytes, const DecodeLimits& limits, RowSink& sink) {
  load_heif_plugins();
  const std::unique_ptr<heif_context, FreeContext> context(heif_context_alloc());
  const std::unique_ptr<heif_decoding_options, FreeOptions> options(heif_decoding_options_alloc());
  if (!context || !options) throw std::bad_alloc();
  heif_context_set_max_decoding_threads(context.get(), 0);  // all in this thread
  heif_context_set_maximum_image_size_limit(context.get(), limits.max_side);
  check_heif(heif_context_read_from_memory_without_copy(context.get(), bytes.data(), bytes.size(),
                                                        nullptr));
  heif_image_handle* opened = nullptr;
  check_heif(heif_context_get_primary_image_handle(context.get(), &opened));
  const std::unique_ptr<heif_image_handle, ReleaseHandle> handle(opened);
  // As the file says; libheif checks what the coded picture says against its own limit.
  check_size(unsigned_side(heif_image_handle_get_ispe_width(handle.get())),
             unsigned_side(heif_image_handle_get_ispe_height(handle.get())), limits);
  check_size(unsigned_side(heif_image_handle_get_width(handle.get())),
             unsigned_side(heif_image_handle_get_height(handle.get())), limits);

  const bool alpha = heif_image_handle_has_alpha_channel(handle.get()) != 0;
  options->convert_hdr_to_8bit = 1;
  heif_image* decoded = nullptr;
  // Rotations and mirrorings of the file's own are applied by libheif; an orientation in Exif says
  // nothing here.
  check_heif(heif_decode_image(handle.get(), &decoded, heif_colorspace_RGB,
                               alpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB,
                               options.get()));
  const std::unique_ptr<heif_image, ReleaseImage> image(decoded);
  const int width = heif_image_get_width(image.get(), heif_channel_interleaved);
  const int height = heif_image_get_height(image.get(), heif_channel_interleaved);
  check_size(unsigned_side(width), unsigned_side(height), limits);
  int stride = 0;
  const std::uint8_t* const pixels =
      heif_image_get_plane_readonly(image.get(), heif_channel_interleaved, &stride);
  const int pixel_size = alpha ? 4 : 3;
  if (pixels == nullptr || stride < width * pixel_size)
    throw BadPicture("cannot be decoded: it has no pixels");
  const bool premultiplied = alpha && heif_image_is_premultiplied_alpha(image.get()) != 0;

  RowWriter writer(sink, {width, height}, {});
  for (int y = 0; y < height; ++y) {
    const std::uint8_t* from =
        pixels + static_cast<std::size_t>(y) * static_cast<std::size_t>(stride);
    std::uint8_t* const row = writer.next_row();
    for (int x = 0; x < width; ++x, from += pixel_size) {
      std::memcpy(row + static_cast<std::size_t>(x) * 4, from,
                  static_cast<std::size_t>(pixel_size));
    }
    if (premultiplied) row_without_premultiplication(row, width);
    if (alpha) row_over_white(row, width);
  }
  writer.finish();
}

void load_heif_plugins() { register_hevc_plugin(); }

}  // namespace pleiad::media

#else

namespace pleiad::media {

void decode_heif(Bytes, const DecodeLimits&, RowSink&) {
  throw BadPicture(
      "this program cannot read: it was built without libheif; JPEG, PNG and WebP are read "
      "everywhere");
}

void load_heif_plugins() {}

}  // namespace pleiad::media

#endif
