#include "api/common/data_uri.h"

#include <gtest/gtest.h>

namespace pleiad::api {
namespace {

std::string uri_problem(std::string_view uri) {
  const auto read = read_data_uri(uri);
  return read ? "no problem" : read.message();
}

TEST(DataUri, IsToldByItsBeginning) {
  EXPECT_TRUE(is_data_uri("data:image/png;base64,aGk="));
  EXPECT_TRUE(is_data_uri("DATA:,x"));
  EXPECT_FALSE(is_data_uri("data"));
  EXPECT_FALSE(is_data_uri("https://data:x"));
}

TEST(DataUri, HoldsBytesInBase64) {
  const DataUri read = read_data_uri("data:image/PNG;base64,aGk=").value();
  EXPECT_EQ(read.media_type, "image/png");
  EXPECT_EQ(read.bytes, "hi");
  EXPECT_EQ(read_data_uri("data:;base64,aGk=").value().bytes, "hi");
  EXPECT_EQ(read_data_uri("data: image/png ; name=a.png; BASE64,aGk=").value().media_type,
            "image/png");
  EXPECT_EQ(read_data_uri("data:image/png;base64,aG\r\nk=").value().bytes, "hi");
}

TEST(DataUri, MayBePercentEncoded) {
  EXPECT_EQ(read_data_uri("data:image/png;base64,aGk%3D").value().bytes, "hi");
  EXPECT_EQ(read_data_uri("data:image/gif,GIF89a%00%ff,").value().bytes,
            std::string("GIF89a\0\xff,", 9));
  EXPECT_EQ(read_data_uri("data:,").value().bytes, "");
}

TEST(DataUri, WhatIsNoneIsRefused) {
  EXPECT_EQ(uri_problem("data:image/png;base64"),
            "expected \"data:TYPE;base64,...\", found no comma");
  EXPECT_EQ(uri_problem("data:" + std::string(2'000, 'x') + ",a"),
            "expected \"data:TYPE;base64,...\", found no comma");
  EXPECT_EQ(uri_problem("data:image/png;base64,a-k="), "expected base64, found '-' at character 2");
  EXPECT_EQ(uri_problem("data:image/png,a%4"),
            "expected two hexadecimal digits behind the '%' at character 2");
  EXPECT_EQ(uri_problem("data:image/png,%zz"),
            "expected two hexadecimal digits behind the '%' at character 1");
}

}  // namespace
}  // namespace pleiad::api
