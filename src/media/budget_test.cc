#include "media/budget.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace pleiad::media {

void PrintTo(const PictureSize& size, std::ostream* out) {
  *out << size.width << " x " << size.height;
}

namespace {

struct Case {
  PictureSize original;
  std::array<PictureSize, kBudgets.size()> targets;
};

// By transformers 5.23, get_aspect_ratio_preserving_size of its processor for Gemma 4.
const std::vector<Case> kCases = {
    {{1, 1}, {{{384, 384}, {528, 528}, {768, 768}, {1104, 1104}, {1584, 1584}}}},
    {{4000, 3000}, {{{432, 336}, {624, 480}, {912, 672}, {1296, 960}, {1824, 1344}}}},
    {{3000, 4000}, {{{336, 432}, {480, 624}, {672, 912}, {960, 1296}, {1344, 1824}}}},
    {{48, 48}, {{{384, 384}, {528, 528}, {768, 768}, {1104, 1104}, {1584, 1584}}}},
    {{1920, 1080}, {{{528, 288}, {720, 384}, {1056, 576}, {1488, 816}, {2112, 1200}}}},
    {{640, 480}, {{{432, 336}, {624, 480}, {912, 672}, {1296, 960}, {1824, 1344}}}},
    {{1500, 1000}, {{{480, 288}, {672, 432}, {960, 624}, {1344, 912}, {1920, 1296}}}},
    {{12000, 1}, {{{3360, 48}, {6720, 48}, {13440, 48}, {26880, 48}, {53760, 48}}}},
    {{1, 12000}, {{{48, 3360}, {48, 6720}, {48, 13440}, {48, 26880}, {48, 53760}}}},
    {{12000, 37}, {{{3360, 48}, {6720, 48}, {13440, 48}, {20448, 48}, {28896, 48}}}},
    {{37, 12000}, {{{48, 3360}, {48, 6720}, {48, 13440}, {48, 20448}, {48, 28896}}}},
    {{53761, 47}, {{{3360, 48}, {6720, 48}, {13440, 48}, {26880, 48}, {53760, 48}}}},
    {{2000, 20}, {{{3360, 48}, {5664, 48}, {8016, 48}, {11328, 96}, {16032, 144}}}},
    {{100, 3000}, {{{48, 2160}, {96, 3072}, {144, 4368}, {192, 6192}, {288, 8784}}}},
    {{47, 900000}, {{{48, 3360}, {48, 6720}, {48, 13440}, {48, 26880}, {48, 53760}}}},
    {{65535, 1500}, {{{2640, 48}, {3744, 48}, {5280, 96}, {7488, 144}, {10608, 240}}}},
};

TEST(Budget, TargetsAreTheReferencesAtEveryBudget) {
  for (const Case& c : kCases) {
    for (std::size_t i = 0; i < kBudgets.size(); ++i) {
      EXPECT_EQ(target_size(c.original, kBudgets[i]), c.targets[i])
          << c.original.width << " x " << c.original.height << " at " << kBudgets[i];
    }
  }
}

TEST(Budget, NoTargetTakesMoreThanItsBudgetOrOtherThanWholeTokens) {
  for (int width = 1; width < 70'000; width = width * 9 / 7 + 1) {
    for (int height = 1; height < 70'000; height = height * 11 / 8 + 1) {
      for (const int budget : kBudgets) {
        const PictureSize target = target_size({width, height}, budget);
        EXPECT_EQ(target.width % kSoftTokenSide, 0);
        EXPECT_EQ(target.height % kSoftTokenSide, 0);
        EXPECT_GE(soft_tokens(target), 1);
        EXPECT_LE(soft_tokens(target), budget) << width << " x " << height;
      }
    }
  }
}

TEST(Budget, SoftTokensAreCountedInSquaresOf48Pixels) {
  EXPECT_EQ(soft_tokens({768, 768}), 256);
  EXPECT_EQ(soft_tokens({912, 672}), 266);
  EXPECT_EQ(soft_tokens({53'760, 48}), 1120);
}

TEST(Budget, AutomaticIsTheLeastThatMakesNoSideShorter) {
  EXPECT_EQ(automatic_budget({1, 1}), 70);
  EXPECT_EQ(automatic_budget({432, 336}), 70);
  EXPECT_EQ(automatic_budget({433, 336}), 140);
  EXPECT_EQ(automatic_budget({640, 480}), 280);
  EXPECT_EQ(automatic_budget({1280, 960}), 560);
  EXPECT_EQ(automatic_budget({1920, 1080}), 1120);
}

TEST(Budget, AutomaticIsTheLargestWhereNoneIsEnough) {
  EXPECT_EQ(automatic_budget({4000, 3000}), 1120);
  EXPECT_EQ(automatic_budget({12'000, 1}), 280);
  EXPECT_EQ(automatic_budget({65'535, 60}), 1120);
}

}  // namespace
}  // namespace pleiad::media
