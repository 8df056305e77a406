#include "apps/common/weights_text.h"

#include <gtest/gtest.h>

namespace pleiad::apps {
namespace {

constexpr std::size_t kBytes = 1'420'000'000;

TEST(WeightsText, SaysHowMuchLiesInHugePages) {
  EXPECT_EQ(weights_text({kBytes, kBytes, "madvise"}), "1.4 GB in huge pages");
  EXPECT_EQ(weights_text({kBytes, kBytes - 2'000'000, "always"}), "1.4 GB in huge pages");
  EXPECT_EQ(weights_text({0, 0, "always"}), "");
}

TEST(WeightsText, SaysWhyNotAllOfItDoes) {
  EXPECT_EQ(weights_text({kBytes, 0, "never"}),
            "none of 1.4 GB in huge pages (transparent_hugepage is 'never'; decoding is slower)");
  EXPECT_EQ(weights_text({kBytes, 200'000'000, "madvise"}),
            "200 MB of 1.4 GB in huge pages (the system gave no more; decoding is slower)");
  EXPECT_EQ(weights_text({kBytes, std::nullopt, ""}),
            "1.4 GB (the system does not say in which pages)");
}

}  // namespace
}  // namespace pleiad::apps
