#include "media/helper/answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "media/budget.h"

namespace pleiad::media {
namespace {

constexpr PictureSize kOriginal = {640, 480};

/// What a helper says, to be read in order.
class Said {
 public:
  template <typename T>
  Said& add(const T& plain) {
    const auto bytes = std::as_bytes(std::span(&plain, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Said& add_text(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }

  ReadExactly source() {
    return [this](std::span<std::byte> into) {
      largest_ = std::max(largest_, into.size());
      if (into.size() > bytes_.size() - at_) return false;
      std::memcpy(into.data(), &bytes_[at_], into.size());
      at_ += into.size();
      return true;
    };
  }
  /// Bytes that room was made for at a time.
  std::size_t largest() const { return largest_; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
  std::size_t largest_ = 0;
};

Message good_picture(int budget = 70) {
  const PictureSize target = target_size(kOriginal, budget);
  Message message;
  message.kind = MessageKind::picture;
  message.original_width = static_cast<std::uint32_t>(kOriginal.width);
  message.original_height = static_cast<std::uint32_t>(kOriginal.height);
  message.width = static_cast<std::uint32_t>(target.width);
  message.height = static_cast<std::uint32_t>(target.height);
  message.budget = static_cast<std::uint32_t>(budget);
  message.n_soft_tokens = static_cast<std::uint32_t>(soft_tokens(target));
  message.n_bytes = std::uint64_t{message.width} * message.height * 3;
  return message;
}

auto answer_to(Said& said, const PictureOptions& options = {70}) {
  return read_answer(said.source(), options, DecodeLimits());
}

TEST(HelperAnswer, IsThePictureThatWasAskedFor) {
  const Message message = good_picture();
  Said said;
  said.add(message).add_text(std::string(message.n_bytes, 'p'));
  const auto answer = answer_to(said);
  const auto* picture = std::get_if<PreparedPicture>(&answer);
  ASSERT_NE(picture, nullptr);
  EXPECT_EQ(picture->original, kOriginal);
  EXPECT_EQ(picture->pixels.size, target_size(kOriginal, 70));
  EXPECT_EQ(picture->pixels.rgb, std::vector<std::uint8_t>(message.n_bytes, 'p'));
  EXPECT_EQ(picture->budget, 70);
  EXPECT_EQ(picture->n_soft_tokens, soft_tokens(picture->pixels.size));
}

TEST(HelperAnswer, OfTheBudgetThatThePictureItselfLeadsTo) {
  const int budget = automatic_budget(kOriginal);
  const Message message = good_picture(budget);
  Said said;
  said.add(message).add_text(std::string(message.n_bytes, 'p'));
  const auto answer = answer_to(said, {});
  EXPECT_TRUE(std::holds_alternative<PreparedPicture>(answer));
  const Message other = good_picture(budget == 70 ? 140 : 70);
  Said wrong;
  wrong.add(other).add_text(std::string(other.n_bytes, 'p'));
  EXPECT_EQ(std::get<NoAnswer>(answer_to(wrong, {})), NoAnswer::nonsense);
}

TEST(HelperAnswer, WithANumberThatCannotBeIsNoneAndTakesNoMemory) {
  void (*const changes[])(Message&) = {
      [](Message& m) { m.begin = 0; },
      [](Message& m) { m.kind = static_cast<MessageKind>(77); },
      [](Message& m) { m.kind = MessageKind::ready; },
      [](Message& m) { m.original_width = 0; },
      [](Message& m) { m.original_height = 0; },
      [](Message& m) { m.original_width = 65'536; },
      [](Message& m) { m.original_width = m.original_height = 65'535; },
      [](Message& m) { m.original_width = m.original_height = 0xFFFFFFFF; },
      [](Message& m) { m.original_height = 100; },
      [](Message& m) { m.width += 48; },
      [](Message& m) { m.width = 0; },
      [](Message& m) { m.height = 0xFFFFFFF0; },
      [](Message& m) { m.budget = 1120; },
      [](Message& m) { m.n_soft_tokens += 1; },
      [](Message& m) { m.n_bytes -= 1; },
      [](Message& m) { m.n_bytes = ~0ULL; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    Message message = good_picture();
    const std::size_t whole = message.n_bytes;
    changes[i](message);
    Said said;
    said.add(message).add_text(std::string(whole, 'p'));
    const auto answer = answer_to(said);
    const auto* none = std::get_if<NoAnswer>(&answer);
    EXPECT_TRUE(none && *none == NoAnswer::nonsense) << "change " << i;
    EXPECT_LE(said.largest(), sizeof(Message)) << "change " << i;
  }
}

struct SoundAnswer {
  Message message;
  SoundHead head;
};

SoundAnswer good_sound(std::size_t n_samples = 1000) {
  SoundAnswer answer;
  answer.message.kind = MessageKind::sound;
  answer.message.n_bytes = n_samples * sizeof(float);
  answer.head.rate = 44'100;
  answer.head.channels = 2;
  answer.head.format = {'M', 'P', '3', '\x1b'};
  return answer;
}

Said& say_sound(Said& said, const SoundAnswer& answer, float sample, std::size_t n = 1000) {
  said.add(answer.message).add(answer.head);
  for (std::size_t i = 0; i < n; ++i) said.add(sample);
  return said;
}

auto sound_answer(Said& said) { return read_answer(said.source(), SoundOptions(), SoundLimits()); }

TEST(HelperAnswer, IsTheSoundThatWasAskedFor) {
  Said said;
  const auto answer = sound_answer(say_sound(said, good_sound(), 0.5F));
  const auto* sound = std::get_if<PreparedSound>(&answer);
  ASSERT_NE(sound, nullptr);
  EXPECT_EQ(sound->samples.whole(), std::vector<float>(1000, 0.5F));
  EXPECT_EQ(sound->original_rate, 44'100);
  EXPECT_EQ(sound->original_channels, 2);
  EXPECT_EQ(sound->seconds, 1000.0 / 16'000);
  EXPECT_EQ(sound->format, "MP3\\x1b");
}

TEST(HelperAnswer, OfASoundWithANumberThatCannotBeIsNoneAndTakesNoMemory) {
  void (*const changes[])(SoundAnswer&) = {
      [](SoundAnswer& a) { a.message.kind = MessageKind::picture; },
      [](SoundAnswer& a) { a.message.kind = MessageKind::video; },
      [](SoundAnswer& a) { a.message.n_bytes = 0; },
      [](SoundAnswer& a) { a.message.n_bytes += 2; },
      [](SoundAnswer& a) { a.message.n_bytes = ~0ULL - 3; },
      [](SoundAnswer& a) { a.message.n_bytes = std::uint64_t{3'601} * 16'000 * 4; },
      [](SoundAnswer& a) { a.head.rate = 0; },
      [](SoundAnswer& a) { a.head.rate = 0xFFFFFFFF; },
      [](SoundAnswer& a) { a.head.channels = 0; },
      [](SoundAnswer& a) { a.head.channels = 33; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    SoundAnswer answer = good_sound();
    changes[i](answer);
    Said said;
    const auto none = sound_answer(say_sound(said, answer, 0.5F));
    EXPECT_EQ(std::get<NoAnswer>(none), NoAnswer::nonsense) << "change " << i;
    EXPECT_LE(said.largest(), sizeof(SoundHead)) << "change " << i;
  }
}

TEST(HelperAnswer, OfSamplesThatAreNoNumbersIsNone) {
  for (const float bad : {std::nanf(""), HUGE_VALF, -1e9F}) {
    Said said;
    EXPECT_EQ(std::get<NoAnswer>(sound_answer(say_sound(said, good_sound(), bad))),
              NoAnswer::nonsense);
  }
}

TEST(HelperAnswer, MakesRoomForSamplesAsTheyCome) {
  Said said;  // an hour is promised, and half a second comes
  const auto answer =
      sound_answer(say_sound(said, good_sound(std::size_t{3'600} * 16'000), 0.5F, 8'000));
  EXPECT_EQ(std::get<NoAnswer>(answer), NoAnswer::ended);
  EXPECT_LE(said.largest(), kSamplesAtATime);
}

constexpr VideoOptions kThreeFrames = {3, 70, true};

struct VideoAnswer {
  Message message;
  VideoHead head;
};

VideoAnswer good_video() {
  VideoAnswer answer;
  answer.message = good_picture();
  answer.message.kind = MessageKind::video;
  answer.message.n_bytes *= 3;
  answer.head.fps = 12.5;
  answer.head.total_frames = 100;
  answer.head.n_frames = 3;
  return answer;
}

auto video_answer(Said& said, const VideoAnswer& answer,
                  const VideoOptions& options = kThreeFrames) {
  said.add(answer.message).add(answer.head);
  return read_answer(said.source(), options, VideoLimits());
}

TEST(HelperAnswer, IsTheVideoThatWasAskedFor) {
  VideoAnswer video = good_video();
  video.head.has_sound = 1;
  const std::size_t frame_size = video.message.n_bytes / 3;
  Said said;
  said.add(video.message).add(video.head);
  for (const char c : {'a', 'b', 'c'}) said.add_text(std::string(frame_size, c));
  say_sound(said, good_sound(), 0.25F);
  const auto answer = read_answer(said.source(), kThreeFrames, VideoLimits());
  const auto* prepared = std::get_if<PreparedVideo>(&answer);
  ASSERT_NE(prepared, nullptr);
  ASSERT_EQ(prepared->frames.size(), 3U);
  EXPECT_EQ(prepared->frames[2].index, 66);
  EXPECT_EQ(prepared->frames[2].seconds, 66 / 12.5);
  EXPECT_EQ(prepared->frames[2].pixels.rgb, std::vector<std::uint8_t>(frame_size, 'c'));
  EXPECT_EQ(prepared->frames[2].pixels.size, target_size(kOriginal, 70));
  EXPECT_EQ(prepared->seconds, 8);
  EXPECT_EQ(prepared->n_soft_tokens, soft_tokens(target_size(kOriginal, 70)));
  ASSERT_TRUE(prepared->sound.has_value());
  EXPECT_EQ(prepared->sound->samples.size(), 1000U);
}

TEST(HelperAnswer, OfAVideoWithANumberThatCannotBeIsNoneAndTakesNoMemory) {
  void (*const changes[])(VideoAnswer&) = {
      [](VideoAnswer& a) { a.message.original_width = 16'385; },
      [](VideoAnswer& a) { a.message.width = 48; },
      [](VideoAnswer& a) { a.message.budget = 140; },
      [](VideoAnswer& a) { a.message.n_bytes /= 3; },
      [](VideoAnswer& a) { a.message.n_bytes = ~0ULL; },
      [](VideoAnswer& a) { a.head.total_frames = 0; },
      [](VideoAnswer& a) { a.head.total_frames = -5; },
      [](VideoAnswer& a) { a.head.total_frames = 2; },
      [](VideoAnswer& a) { a.head.total_frames = 1'000'000'000; },
      [](VideoAnswer& a) { a.head.n_frames = 2; },
      [](VideoAnswer& a) { a.head.n_frames = 0xFFFFFFFF; },
      [](VideoAnswer& a) { a.head.fps = 0; },
      [](VideoAnswer& a) { a.head.fps = -1; },
      [](VideoAnswer& a) { a.head.fps = std::nan(""); },
      [](VideoAnswer& a) { a.head.fps = HUGE_VAL; },
      [](VideoAnswer& a) { a.head.has_sound = 2; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    VideoAnswer answer = good_video();
    changes[i](answer);
    Said said;
    EXPECT_EQ(std::get<NoAnswer>(video_answer(said, answer)), NoAnswer::nonsense) << "change " << i;
    EXPECT_LE(said.largest(), sizeof(VideoHead)) << "change " << i;
  }
  VideoAnswer with_sound = good_video();
  with_sound.head.has_sound = 1;
  Said said;
  EXPECT_EQ(std::get<NoAnswer>(video_answer(said, with_sound, {3, 70, false})), NoAnswer::nonsense);
}

TEST(HelperAnswer, ThatEndsEarlyIsNone) {
  const Message message = good_picture();
  Said nothing;
  EXPECT_EQ(std::get<NoAnswer>(answer_to(nothing)), NoAnswer::ended);
  Said part;
  part.add(message).add_text(std::string(message.n_bytes - 1, 'p'));
  EXPECT_EQ(std::get<NoAnswer>(answer_to(part)), NoAnswer::ended);
}

TEST(HelperAnswer, WhichIsATextIsFilteredAndBounded) {
  const auto failure_of = [](std::string_view text, std::uint64_t n) {
    Message message;
    message.kind = MessageKind::failure;
    message.n_bytes = n;
    Said said;
    said.add(message).add_text(text);
    const auto answer = answer_to(said);
    const auto* failure = std::get_if<Failure>(&answer);
    return failure ? failure->message : "none";
  };
  EXPECT_EQ(failure_of("is no picture", 13), "is no picture");
  EXPECT_EQ(failure_of("a\x1b[1mb\nc\xff", 9), "a\\x1b[1mb\\x0ac\\xff");
  EXPECT_EQ(failure_of("", 0), "none");
  EXPECT_EQ(failure_of(std::string(2000, 'x'), 2000), "none");
  EXPECT_EQ(failure_of("short", 6), "none");
  EXPECT_EQ(failure_of("short", 1ULL << 60), "none");
}

TEST(HelperAnswer, OfOneThatIsReadySaysHowItIsConfined) {
  Message message;
  message.kind = MessageKind::ready;
  message.confined = 3;
  Said ready;
  EXPECT_EQ(std::get<std::uint32_t>(read_ready(ready.add(message).source())), 3U);
  message.n_bytes = 5;
  Said longer;
  EXPECT_EQ(std::get<NoAnswer>(read_ready(longer.add(message).add_text("abcde").source())),
            NoAnswer::nonsense);
  message.kind = MessageKind::not_confined;
  Said refused;
  EXPECT_EQ(std::get<Failure>(read_ready(refused.add(message).add_text("abcde").source())).message,
            "abcde");
  Said none;
  EXPECT_EQ(std::get<NoAnswer>(read_ready(none.source())), NoAnswer::ended);
}

}  // namespace
}  // namespace pleiad::media
