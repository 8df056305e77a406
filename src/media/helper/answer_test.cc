#include "media/helper/answer.h"

#include <gtest/gtest.h>

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
