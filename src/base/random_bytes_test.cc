#include "base/random_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace pleiad {
namespace {

TEST(RandomBytes, FillTheWholeSpanAndNothingBeside) {
  // So many that one call of the system does not bring them all.
  std::vector<std::byte> bytes(1U << 20, std::byte{0});
  fill_random(std::span(bytes).subspan(1, bytes.size() - 2));
  EXPECT_EQ(bytes.front(), std::byte{0});
  EXPECT_EQ(bytes.back(), std::byte{0});
  std::array<int, 256> seen = {};
  for (const std::byte byte : bytes) ++seen[std::to_integer<std::size_t>(byte)];
  // 4,096 of each are expected, with a deviation of 64: ten of these on either side.
  EXPECT_GT(*std::min_element(seen.begin(), seen.end()), 4096 - 640);
  EXPECT_LT(*std::max_element(seen.begin(), seen.end()), 4096 + 640);
  const auto tail = std::span(bytes).last(64);
  EXPECT_TRUE(std::any_of(tail.begin(), tail.end(), [](std::byte b) { return b != std::byte{0}; }));
}

TEST(RandomName, HasThePrefixTheLengthAndEveryLetterAlike) {
  const std::string name = random_name("resp_", 48);
  EXPECT_EQ(name.size(), 53U);
  EXPECT_EQ(name.substr(0, 5), "resp_");
  EXPECT_EQ(random_name("x", 0), "x");
  const std::string many = random_name("", 36 * 4096);
  std::array<int, 256> seen = {};
  for (const char c : many) ++seen[static_cast<unsigned char>(c)];
  int letters = 0;
  for (const int n : seen) {
    if (n == 0) continue;
    ++letters;
    EXPECT_NEAR(n, 4096, 640);
  }
  EXPECT_EQ(letters, 36);
  EXPECT_EQ(many.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"), many.npos);
}

TEST(RandomName, NeverComesTwice) {
  std::set<std::string> names;
  for (int i = 0; i < 10'000; ++i) names.insert(random_name("", 25));
  EXPECT_EQ(names.size(), 10'000U);
}

}  // namespace
}  // namespace pleiad
