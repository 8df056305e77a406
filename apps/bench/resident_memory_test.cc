#include "apps/bench/resident_memory.h"

#include <gtest/gtest.h>

#include "base/aligned_buffer.h"

namespace pleiad::apps {

TEST(ResidentMemory, ThePeakIsOfWhatFollows) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  { const AlignedBuffer<char> before(kBytes); }
  const auto first = peak_resident_bytes();
  if (!first) GTEST_SKIP() << "the system does not tell";
  EXPECT_GT(*first, kBytes);
  if (!reset_peak_resident()) GTEST_SKIP() << "the system does not forget";
  EXPECT_LT(peak_resident_bytes().value(), kBytes);
  const AlignedBuffer<char> after(kBytes);
  EXPECT_GT(peak_resident_bytes().value(), kBytes);
}

}  // namespace pleiad::apps
