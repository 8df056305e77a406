#include "media/media_kind.h"

#include <gtest/gtest.h>

#include "media/media_testing.h"
#include "media/streams/audio_frames.h"
#include "media/streams/promised_length.h"
#include "media/streams/stream_format.h"
#include "media/streams/tracks.h"

namespace pleiad::media {
namespace {

using namespace std::string_literals;

std::string big_endian(std::size_t number) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xFF);
  return text;
}

std::string little_endian(std::uint64_t number, int n_bytes = 4) {
  std::string text;
  for (int i = 0; i < n_bytes; ++i) text += static_cast<char>(number >> 8 * i & 0xFF);
  return text;
}

std::string box(const std::string& type, const std::string& content) {
  return big_endian(content.size() + 8) + type + content;
}

std::string track_box(const std::string& handler) {
  return box("trak",
             box("tkhd", "whatever") + box("mdia", box("hdlr", "\0\0\0\0\0\0\0\0"s + handler)));
}

/// Sizes of one byte, as small files have them.
std::string element(const std::string& id, const std::string& content) {
  return id + static_cast<char>(0x80 | content.size()) + content;
}

std::string webm(const std::vector<char>& track_types) {
  std::string entries;
  for (const char type : track_types) {
    entries += element("\xAE", element("\xD7", "\1") + element("\x83", std::string(1, type)));
  }
  // A segment of unknown size, as a browser records one.
  return element("\x1A\x45\xDF\xA3", element("\x42\x82", "webm")) +
         "\x18\x53\x80\x67\x01\xFF\xFF\xFF\xFF\xFF\xFF\xFF" + element("\xEC", "void") +
         element("\x16\x54\xAE\x6B", entries);
}

std::string ogg_page(const std::string& content) {
  return "OggS\0\2"s + std::string(20, '\0') + "\1" + static_cast<char>(content.size()) + content;
}

std::optional<MediaKind> kind(const std::string& text) { return sniff_media(bytes_of(text)); }

/// Layer III of MPEG-1, 128 kbit/s, 44.1 kHz: 417 bytes.
std::string mp3_frame() { return "\xFF\xFB\x90\x00"s + std::string(413, '\x55'); }

TEST(MediaKind, OfAContainerIsWhatItsTracksAre) {
  const std::string start = box("ftyp", "isom\0\0\2\0isommp41"s);
  EXPECT_EQ(kind(start + box("moov", track_box("soun") + track_box("vide"))), MediaKind::video);
  EXPECT_EQ(kind(start + box("moov", track_box("soun"))), MediaKind::sound);
  EXPECT_EQ(kind(start + box("mdat", "abc") + box("moov", track_box("soun"))), MediaKind::sound);
  EXPECT_EQ(kind(box("ftyp", "M4A \0\0\0\0"s) + box("moov", track_box("vide"))), MediaKind::sound);
  EXPECT_EQ(kind(start), MediaKind::video);
  EXPECT_EQ(kind(webm({2, 1})), MediaKind::video);
  EXPECT_EQ(kind(webm({2})), MediaKind::sound);
  EXPECT_EQ(kind("\x1A\x45\xDF\xA3"), MediaKind::video);
  EXPECT_EQ(kind(ogg_page("\x01vorbis") + ogg_page("\x80theora")), MediaKind::video);
  EXPECT_EQ(kind(ogg_page("OpusHead")), MediaKind::sound);
  EXPECT_EQ(kind("RIFF\0\0\0\0WAVE"s), MediaKind::sound);
  EXPECT_EQ(kind("RIFF\0\0\0\0AVI "s), MediaKind::video);
  EXPECT_EQ(kind("fLaC"), MediaKind::sound);
}

TEST(MediaKind, OfPicturesDocumentsAndWhatIsNeither) {
  EXPECT_EQ(kind("\x89PNG\r\n\x1A\n"), MediaKind::picture);
  EXPECT_EQ(kind("GIF89a"), MediaKind::picture);
  EXPECT_EQ(kind("RIFF\0\0\0\0WEBP"s), MediaKind::picture);
  EXPECT_EQ(kind(box("ftyp", "heic\0\0\0\0mif1"s)), MediaKind::picture);
  EXPECT_EQ(kind("%PDF-1.7"), MediaKind::document);
  for (const std::string& other :
       {""s, "Hello"s, "#EXTM3U\nhttp://example.com/a.ts"s, "ffconcat version 1.0\nfile a.wav"s,
        "RIFX\0\0\0\0WAVE"s, "\xFF\xFEH\0i\0"s, "{\"a\": 1}"s,
        "1\n00:00:01,000 --> 00:00:02,000\n"s, std::string(10'000, '\xFF'),
        std::string(10'000, '\0')}) {
    EXPECT_EQ(kind(other), std::nullopt) << other.substr(0, 20);
  }
}

TEST(MediaKind, OfFramesWithoutAContainerIsKnownByTheirOrder) {
  EXPECT_EQ(kind(mp3_frame() + mp3_frame()), MediaKind::sound);
  EXPECT_EQ(kind(mp3_frame() + "text"), std::nullopt);
  std::string several;
  for (int i = 0; i < 4; ++i) several += mp3_frame();
  EXPECT_EQ(kind("cut off in a frame" + several), MediaKind::sound);
  EXPECT_EQ(kind("cut off in a frame" + mp3_frame() + mp3_frame()), std::nullopt);
  const std::string tag = "ID3\4\0\0\0\0\1\0"s + std::string(128, 't');
  EXPECT_EQ(id3_size(bytes_of(tag)), 138U);
  EXPECT_EQ(sniff_stream(bytes_of(tag + mp3_frame() + mp3_frame())), StreamFormat::mpeg);
  EXPECT_EQ(sniff_stream(bytes_of(tag + "fLaC")), StreamFormat::flac);
  // AAC-LC at 44.1 kHz, 20 bytes.
  const std::string aac = "\xFF\xF1\x50\x80\x02\x9F\xFC"s + std::string(13, 'a');
  EXPECT_EQ(sniff_stream(bytes_of(aac + aac + aac)), StreamFormat::adts);
}

TEST(MediaKind, OfADescriptionThatLiesEndsAllTheSame) {
  EXPECT_EQ(kind(box("ftyp", "isom") + "\0\0\0\1moov\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s),
            MediaKind::sound);
  EXPECT_EQ(kind(box("ftyp", "isom") + std::string(100'000, '\0')), MediaKind::video);
  EXPECT_EQ(kind(webm({2}) + std::string(100'000, '\xEC')), MediaKind::sound);
  std::string pages;
  for (int i = 0; i < 20'000; ++i) pages += ogg_page("");
  EXPECT_EQ(kind(pages), MediaKind::sound);
}

TEST(WavData, IsWhatTheHeaderPromisesAndWhatIsThere) {
  const auto wav = [](std::uint32_t promised, std::size_t present) {
    return bytes_of("RIFF\0\0\0\0WAVEfmt "s + little_endian(16) + std::string(16, 'f') + "LIST" +
                    little_endian(3) + "abc\0data"s + little_endian(promised) +
                    std::string(present, 's'));
  };
  const auto whole = wav_data(wav(100, 100));
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->promised, 100U);
  EXPECT_EQ(whole->present, 100U);
  EXPECT_EQ(wav_data(wav(1000, 100))->present, 100U);
  EXPECT_EQ(wav_data(wav(100, 2000))->present, 100U);  // other chunks follow
  for (const std::uint32_t unknown : {0U, 0xFFFFFFFFU, 0x80000000U, 0x7FFFFFDBU}) {
    EXPECT_EQ(wav_data(wav(unknown, 100)), std::nullopt) << unknown;
  }
  const auto rf64 = wav_data(bytes_of("RF64\xFF\xFF\xFF\xFFWAVEds64" + little_endian(28) +
                                      little_endian(0, 8) + little_endian(5'000'000'000, 8) +
                                      std::string(12, '\0') + "data\xFF\xFF\xFF\xFF" + "abcd"));
  ASSERT_TRUE(rf64.has_value());
  EXPECT_EQ(rf64->promised, 5'000'000'000U);
  EXPECT_EQ(rf64->present, 4U);
  EXPECT_EQ(wav_data(bytes_of("RIFF\0\0\0\0WAVE"s)), std::nullopt);
}

}  // namespace
}  // namespace pleiad::media
