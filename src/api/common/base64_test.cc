#include "api/common/base64.h"

#include <gtest/gtest.h>

namespace pleiad::api {
namespace {

TEST(Base64, IsRecognizedWithAnyPadding) {
  EXPECT_TRUE(is_base64("QUJD"));
  EXPECT_TRUE(is_base64("QUI="));
  EXPECT_TRUE(is_base64("QQ=="));
  EXPECT_TRUE(is_base64("+/+/"));
}

TEST(Base64, IsNotEmptyTextOrCutText) {
  EXPECT_FALSE(is_base64(""));
  EXPECT_FALSE(is_base64("QUI"));
  EXPECT_FALSE(is_base64("Q==="));
  EXPECT_FALSE(is_base64("===="));
}

TEST(Base64, HasNoOtherCharacters) {
  EXPECT_FALSE(is_base64("QU D"));
  EXPECT_FALSE(is_base64("Q=JD"));
  EXPECT_FALSE(is_base64("QU-_"));
  EXPECT_FALSE(is_base64("data:;base64,QUJD"));
}

}  // namespace
}  // namespace pleiad::api
