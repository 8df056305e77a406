#include "media/sound/sound_samples.h"

#include <gtest/gtest.h>

#include <numeric>

namespace pleiad::media {
namespace {

std::vector<float> numbers(std::size_t n) {
  std::vector<float> samples(n);
  std::iota(samples.begin(), samples.end(), 0.0F);
  return samples;
}

std::vector<float> part(const std::vector<float>& all, std::size_t begin, std::size_t end) {
  return {all.begin() + static_cast<std::ptrdiff_t>(begin),
          all.begin() + static_cast<std::ptrdiff_t>(end)};
}

TEST(SoundSamples, AreTheSameHoweverTheyCome) {
  constexpr std::size_t kAll = 2 * SoundSamples::kPiece + 77;
  const std::vector<float> all = numbers(kAll);
  SoundSamples samples;
  EXPECT_TRUE(samples.empty());
  samples.append({});
  EXPECT_TRUE(samples.pieces().empty());
  const std::span<const float> left(all);
  for (std::size_t done = 0; done < kAll; done += 99'991) {
    samples.append(left.subspan(done, std::min<std::size_t>(99'991, kAll - done)));
  }
  EXPECT_EQ(samples.size(), kAll);
  EXPECT_EQ(samples.whole(), all);
  ASSERT_EQ(samples.pieces().size(), 3U);
  EXPECT_EQ(samples.pieces()[1].size(), SoundSamples::kPiece);
  EXPECT_EQ(samples, SoundSamples(all));
  EXPECT_NE(samples, SoundSamples(part(all, 0, kAll - 1)));
  EXPECT_EQ(samples.extend(1'000'000).size(), SoundSamples::kPiece - 77);
}

TEST(SoundSamples, AreCutOffOrFilledWithZeros) {
  constexpr std::size_t kPiece = SoundSamples::kPiece;
  std::vector<float> all = numbers(kPiece + 5);
  SoundSamples samples(all);
  for (const std::size_t n : {2 * kPiece + 3, kPiece + 2, kPiece, kPiece - 1, std::size_t{0}}) {
    samples.resize(n);
    all.resize(n);
    EXPECT_EQ(samples, SoundSamples(all)) << n;
  }
  samples.append(std::vector<float>{1.0F});
  EXPECT_EQ(samples.whole(), std::vector<float>{1.0F});
}

TEST(SoundSamples, APieceIsTakenAsItLies) {
  const std::vector<float> all = numbers(SoundSamples::kPiece + 300);
  SoundSamples samples(all);
  const float* const lies = samples.pieces()[0].data();
  const std::vector<float> first = samples.take(0, SoundSamples::kPiece);
  EXPECT_EQ(first.data(), lies);
  EXPECT_TRUE(samples.pieces()[0].empty()) << "and is let go of";
  EXPECT_EQ(samples.take(SoundSamples::kPiece, all.size()),
            part(all, SoundSamples::kPiece, all.size()));
  EXPECT_EQ(samples.size(), all.size()) << "as many as they were";
}

TEST(SoundSamples, OtherClipsAreCutOutAndPiecesLetGoOf) {
  const std::vector<float> all = numbers(2 * SoundSamples::kPiece);
  SoundSamples samples(all);
  constexpr std::size_t kClip = 350'000;
  EXPECT_EQ(samples.take(0, kClip), part(all, 0, kClip));
  EXPECT_EQ(samples.take(kClip, 2 * kClip), part(all, kClip, 2 * kClip));
  EXPECT_TRUE(samples.pieces()[0].empty());
  EXPECT_EQ(samples.take(2 * kClip, all.size()), part(all, 2 * kClip, all.size()));
  EXPECT_TRUE(samples.pieces()[1].empty());
}

}  // namespace
}  // namespace pleiad::media
