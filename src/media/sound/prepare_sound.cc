#include <fmt/format.h>

#include <new>
#include <optional>

#include "base/text_format.h"
#include "media/ffmpeg/input.h"
#include "media/sound/sound.h"
#include "media/sound/sound_track.h"
#include "media/streams/bad_stream.h"
#include "media/streams/promised_length.h"
#include "media/streams/stream_format.h"
#include "media/streams/unread.h"

namespace pleiad::media {
namespace {

/// What is known of a length without decoding.
void check_wav_is_whole(std::span<const std::byte> bytes) {
  const std::optional<WavData> data = wav_data(bytes);
  if (!data || data->promised - data->present <= kLostOfWav) return;
  throw BadStream("ends early: with {} of the {} bytes of samples that it should have",
                  format_count(data->present), format_count(data->promised));
}

}  // namespace

Result<PreparedSound> prepare_sound(std::span<const std::byte> bytes, const SoundOptions&,
                                    const SoundLimits& limits) {
  const std::optional<StreamFormat> format = sniff_stream(bytes);
  if (!format) return Failure{no_stream(bytes, "sound")};
  try {
    if (*format == StreamFormat::wav) check_wav_is_whole(bytes);
    StreamInput input(bytes, *format);
    std::optional<PreparedSound> sound = read_sound_track(input, limits);
    if (!sound) throw BadStream("has no sound");
    return *std::move(sound);
  } catch (const BadStream& error) {
    return Failure{fmt::format("is {} that {}", with_article(*format), error.what())};
  } catch (const std::bad_alloc&) {
    return Failure{
        fmt::format("is {} that needs more memory than a sound may have", with_article(*format))};
  }
}

}  // namespace pleiad::media
