#include "media/decoders/hevc_plugin.h"

#include <libde265/de265.h>
#include <libheif/heif.h>
#include <libheif/heif_plugin.h>

#include <array>
#include <cstring>
#include <memory>
#include <mutex>

#include "media/byte_reader.h"

namespace pleiad::media {
namespace {

constexpr heif_error kDone = {heif_error_Ok, heif_suberror_Unspecified, "Success"};

heif_error hevc_failure(const char* text) {
  return {heif_error_Decoder_plugin_error, heif_suberror_Unspecified, text};
}

heif_error check_de265(de265_error error) {
  return de265_isOK(error) != 0 ? kDone : hevc_failure(de265_get_error_text(error));
}

const char* hevc_plugin_name() { return "libde265 without threads"; }

void prepare_nothing() {}

int hevc_priority(heif_compression_format format) {
  constexpr int kBeforeOthers = 1000;  // theirs are about 100
  return format == heif_compression_HEVC ? kBeforeOthers : 0;
}

heif_error new_hevc_decoder(void** decoder) {
  de265_decoder_context* const context = de265_new_decoder();
  if (context == nullptr)
    return {heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory"};
  // Half a picture is none.
  de265_set_parameter_bool(context, DE265_DECODER_PARAM_SUPPRESS_FAULTY_PICTURES, 1);
  *decoder = context;
  return kDone;
}

void free_hevc_decoder(void* decoder) { de265_free_decoder(decoder); }

void set_hevc_strictness(void*, int) {}

/// Units of the coded picture, each behind its length in 4 bytes.
heif_error push_hevc_data(void* decoder, const void* data, std::size_t size) {
  std::span<const std::byte> left(static_cast<const std::byte*>(data), size);
  while (!left.empty()) {
    const std::uint64_t length = read_u32_big(left, 0);
    if (left.size() < 4 || length > left.size() - 4) {
      return {heif_error_Decoder_plugin_error, heif_suberror_End_of_data,
              "a coded picture ends early"};
    }
    left = left.subspan(4);
    const heif_error pushed =
        check_de265(de265_push_NAL(decoder, left.data(), static_cast<int>(length), 0, nullptr));
    if (pushed.code != heif_error_Ok) return pushed;
    left = left.subspan(length);
  }
  return kDone;
}

struct ReleaseHeifImage {
  void operator()(heif_image* image) const { heif_image_release(image); }
};
struct FreeProfile {
  void operator()(heif_color_profile_nclx* profile) const { heif_nclx_color_profile_free(profile); }
};

heif_chroma heif_chroma_of(de265_chroma chroma) {
  switch (chroma) {
    case de265_chroma_mono:
      return heif_chroma_monochrome;
    case de265_chroma_420:
      return heif_chroma_420;
    case de265_chroma_422:
      return heif_chroma_422;
    case de265_chroma_444:
      return heif_chroma_444;
  }
  return heif_chroma_undefined;
}

/// Copies the planes into an image of libheif's.
heif_error give_hevc_planes(const de265_image* from, heif_image* image) {
  constexpr std::array kChannels = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
  const int n_channels = de265_get_chroma_format(from) == de265_chroma_mono ? 1 : 3;
  for (int channel = 0; channel < n_channels; ++channel) {
    const int width = de265_get_image_width(from, channel);
    const int height = de265_get_image_height(from, channel);
    const int bits = de265_get_bits_per_pixel(from, channel);
    const heif_channel to_channel = kChannels[static_cast<std::size_t>(channel)];
    const heif_error added = heif_image_add_plane(image, to_channel, width, height, bits);
    if (added.code != heif_error_Ok) return added;
    int to_stride = 0;
    int from_stride = 0;
    std::uint8_t* to = heif_image_get_plane(image, to_channel, &to_stride);
    const std::uint8_t* pixels = de265_get_image_plane(from, channel, &from_stride);
    const int row = width * (bits > 8 ? 2 : 1);
    if (to == nullptr || pixels == nullptr || to_stride < row || from_stride < row)
      return hevc_failure("a plane is missing");
    for (int y = 0; y < height; ++y, to += to_stride, pixels += from_stride) {
      std::memcpy(to, pixels, static_cast<std::size_t>(row));
    }
  }
  return kDone;
}

/// What the coded picture says of its colours; boxes of the file go before it.
void give_hevc_colours(const de265_image* from, heif_image* image) {
  const std::unique_ptr<heif_color_profile_nclx, FreeProfile> profile(
      heif_nclx_color_profile_alloc());
  if (!profile) return;
  profile->full_range_flag = static_cast<std::uint8_t>(de265_get_image_full_range_flag(from));
  heif_nclx_color_profile_set_color_primaries(
      profile.get(), static_cast<std::uint16_t>(de265_get_image_colour_primaries(from)));
  heif_nclx_color_profile_set_transfer_characteristics(
      profile.get(), static_cast<std::uint16_t>(de265_get_image_transfer_characteristics(from)));
  heif_nclx_color_profile_set_matrix_coefficients(
      profile.get(), static_cast<std::uint16_t>(de265_get_image_matrix_coefficients(from)));
  heif_image_set_nclx_color_profile(image, profile.get());
}

heif_error decode_hevc(void* decoder, heif_image** out) {
  de265_flush_data(decoder);
  const de265_image* decoded = nullptr;
  for (int more = 1; more != 0 && decoded == nullptr;) {
    more = 0;
    const de265_error error = de265_decode(decoder, &more);
    if (de265_isOK(error) == 0) {
      if (error == DE265_ERROR_WAITING_FOR_INPUT_DATA) break;
      return check_de265(error);
    }
    decoded = de265_get_next_picture(decoder);
  }
  if (decoded == nullptr) return hevc_failure("the coded picture is damaged or ends early");
  const de265_chroma chroma = de265_get_chroma_format(decoded);
  heif_image* made = nullptr;
  const heif_error created = heif_image_create(
      de265_get_image_width(decoded, 0), de265_get_image_height(decoded, 0),
      chroma == de265_chroma_mono ? heif_colorspace_monochrome : heif_colorspace_YCbCr,
      heif_chroma_of(chroma), &made);
  std::unique_ptr<heif_image, ReleaseHeifImage> image(made);
  if (created.code != heif_error_Ok) return created;
  const heif_error copied = give_hevc_planes(decoded, image.get());
  if (copied.code != heif_error_Ok) return copied;
  give_hevc_colours(decoded, image.get());
  de265_release_next_picture(decoder);
  *out = image.release();
  return kDone;
}

constexpr heif_decoder_plugin kHevcPlugin = {
    .plugin_api_version = 3,
    .get_plugin_name = hevc_plugin_name,
    .init_plugin = prepare_nothing,
    .deinit_plugin = prepare_nothing,
    .does_support_format = hevc_priority,
    .new_decoder = new_hevc_decoder,
    .free_decoder = free_hevc_decoder,
    .push_data = push_hevc_data,
    .decode_image = decode_hevc,
    .set_strict_decoding = set_hevc_strictness,
    .id_name = "pleiad-libde265",
};

}  // namespace

void register_hevc_plugin() {
  static std::once_flag once;
  std::call_once(once, [] {
    heif_init(nullptr);  // before ours: libheif's own plugins
    heif_register_decoder_plugin(&kHevcPlugin);
  });
}

}  // namespace pleiad::media
