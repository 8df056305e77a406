#include "base/base64.h"

#include <gtest/gtest.h>

#include <utility>

namespace pleiad {
namespace {

std::string base64_problem(std::string_view text) {
  const auto decoded = decode_base64(text);
  return decoded ? "no problem" : decoded.message();
}

// RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  const std::pair<std::string_view, std::string_view> cases[] = {{"", ""},
                                                                 {"f", "Zg=="},
                                                                 {"fo", "Zm8="},
                                                                 {"foo", "Zm9v"},
                                                                 {"foob", "Zm9vYg=="},
                                                                 {"fooba", "Zm9vYmE="},
                                                                 {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(encode_base64(bytes), text);
    const auto decoded = decode_base64(text);
    ASSERT_TRUE(decoded) << decoded.message();
    EXPECT_EQ(decoded.value(), bytes);
  }
}

TEST(Base64, EveryByteComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (std::size_t n = 0; n <= bytes.size(); ++n) {
    const auto decoded = decode_base64(encode_base64(bytes.substr(0, n)));
    ASSERT_TRUE(decoded) << decoded.message();
    EXPECT_EQ(decoded.value(), bytes.substr(0, n));
  }
}

TEST(Base64, WhiteSpaceMeansNothing) {
  EXPECT_EQ(decode_base64("Zm9v\r\nYm\tFy ").value(), "foobar");
  EXPECT_EQ(decode_base64("Zm9vYg=\n=\n").value(), "foob");
}

TEST(Base64, WhatIsNotOfItIsRefusedWithItsPlace) {
  EXPECT_EQ(base64_problem("Zm9v-mFy"), "expected base64, found '-' at character 5");
  EXPECT_EQ(base64_problem("Zm9é"), "expected base64, found 'é' at character 4");
  EXPECT_NE(base64_problem(std::string_view("Zm\0v", 4)).find("at character 3"), std::string::npos);
}

TEST(Base64, AnEndThatIsNoneIsRefused) {
  for (const std::string_view text :
       {"Z", "Zg", "Zg=", "Zg===", "Zm8", "Zm8==", "Zm9v=", "=", "Zg==Zg==", "Zm9vZ==="}) {
    EXPECT_NE(base64_problem(text).find("found an end that is none"), std::string::npos) << text;
  }
}

TEST(Base64, BitsBehindTheLastByteAreRefused) {
  EXPECT_NE(base64_problem("Zh==").find("bits behind"), std::string::npos);
  EXPECT_NE(base64_problem("Zm9=").find("bits behind"), std::string::npos);
}

}  // namespace
}  // namespace pleiad
