#include "apps/common/weights_text.h"

#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

constexpr std::size_t kWeightBytes = 1'420'000'000;

TEST(WeightsText, SaysHowMuchLiesInHugePages) {
  EXPECT_EQ(weights_text({kWeightBytes, kWeightBytes, "madvise"}), "1.4 GB in huge pages");
  EXPECT_EQ(weights_text({kWeightBytes, kWeightBytes - 2'000'000, "always"}),
            "1.4 GB in huge pages");
  EXPECT_EQ(weights_text({0, 0, "always"}), "");
}

TEST(WeightsText, SaysWhyNotAllOfItDoes) {
  EXPECT_EQ(weights_text({kWeightBytes, 0, "never"}),
            "none of 1.4 GB in huge pages (transparent_hugepage is 'never'; decoding is slower)");
  EXPECT_EQ(weights_text({kWeightBytes, 200'000'000, "madvise"}),
            "200 MB of 1.4 GB in huge pages (the system gave no more; decoding is slower)");
  EXPECT_EQ(weights_text({kWeightBytes, std::nullopt, ""}),
            "1.4 GB (the system does not say in which pages)");
}

}  // namespace
}  // namespace pleiad::apps
