#include "media/ffmpeg/known_decoders.h"

#include <fmt/format.h>

namespace pleiad::media {
namespace {

constexpr KnownDecoder kSound[] = {
    {AV_CODEC_ID_PCM_U8, "pcm_u8", "PCM 8 bits"},
    {AV_CODEC_ID_PCM_S8, "pcm_s8", "PCM 8 bits"},
    {AV_CODEC_ID_PCM_S16LE, "pcm_s16le", "PCM 16 bits"},
    {AV_CODEC_ID_PCM_S16BE, "pcm_s16be", "PCM 16 bits"},
    {AV_CODEC_ID_PCM_S24LE, "pcm_s24le", "PCM 24 bits"},
    {AV_CODEC_ID_PCM_S24BE, "pcm_s24be", "PCM 24 bits"},
    {AV_CODEC_ID_PCM_S32LE, "pcm_s32le", "PCM 32 bits"},
    {AV_CODEC_ID_PCM_S32BE, "pcm_s32be", "PCM 32 bits"},
    {AV_CODEC_ID_PCM_F32LE, "pcm_f32le", "PCM float"},
    {AV_CODEC_ID_PCM_F32BE, "pcm_f32be", "PCM float"},
    {AV_CODEC_ID_PCM_F64LE, "pcm_f64le", "PCM double"},
    {AV_CODEC_ID_PCM_F64BE, "pcm_f64be", "PCM double"},
    {AV_CODEC_ID_PCM_ALAW, "pcm_alaw", "A-law"},
    {AV_CODEC_ID_PCM_MULAW, "pcm_mulaw", "mu-law"},
    {AV_CODEC_ID_ADPCM_MS, "adpcm_ms", "ADPCM"},
    {AV_CODEC_ID_ADPCM_IMA_WAV, "adpcm_ima_wav", "ADPCM"},
    {AV_CODEC_ID_ADPCM_IMA_QT, "adpcm_ima_qt", "ADPCM"},
    {AV_CODEC_ID_FLAC, "flac", "FLAC"},
    {AV_CODEC_ID_ALAC, "alac", "ALAC"},
    {AV_CODEC_ID_MP2, "mp2float", "MP2"},
    {AV_CODEC_ID_MP3, "mp3float", "MP3"},
    {AV_CODEC_ID_AAC, "aac", "AAC"},
    {AV_CODEC_ID_VORBIS, "vorbis", "Vorbis"},
    // FFmpeg's own differs audibly from Xiph's in what is coded as a voice.
    {AV_CODEC_ID_OPUS, "libopus", "Opus", "opus"},
    {AV_CODEC_ID_AMR_NB, "amrnb", "AMR"},
    {AV_CODEC_ID_AMR_WB, "amrwb", "AMR-WB"},
    {AV_CODEC_ID_AC3, "ac3", "AC-3"},
    {AV_CODEC_ID_EAC3, "eac3", "E-AC-3"},
};

constexpr KnownDecoder kVideo[] = {
    {AV_CODEC_ID_H264, "h264", "H.264"},
    {AV_CODEC_ID_HEVC, "hevc", "HEVC"},
    {AV_CODEC_ID_VP8, "vp8", "VP8"},
    {AV_CODEC_ID_VP9, "vp9", "VP9"},
    {AV_CODEC_ID_AV1, "libdav1d", "AV1", "libaom-av1"},
    {AV_CODEC_ID_MPEG4, "mpeg4", "MPEG-4"},
    {AV_CODEC_ID_MPEG2VIDEO, "mpeg2video", "MPEG-2"},
    {AV_CODEC_ID_MJPEG, "mjpeg", "Motion JPEG"},
    {AV_CODEC_ID_GIF, "gif", "GIF"},
};

}  // namespace

std::span<const KnownDecoder> known_sound_decoders() { return kSound; }
std::span<const KnownDecoder> known_video_decoders() { return kVideo; }

const KnownDecoder* known_decoder(AVCodecID codec) {
  for (const std::span<const KnownDecoder> all : {known_sound_decoders(), known_video_decoders()}) {
    for (const KnownDecoder& known : all) {
      if (known.codec == codec) return &known;
    }
  }
  return nullptr;
}

std::string list_of_decoders() {
  std::string list;
  for (const std::span<const KnownDecoder> all : {known_sound_decoders(), known_video_decoders()}) {
    for (const KnownDecoder& known : all) {
      if (!list.empty()) list += ',';
      list += known.decoder;
      if (known.other != nullptr) list += fmt::format(",{}", known.other);
    }
  }
  return list;
}

}  // namespace pleiad::media
