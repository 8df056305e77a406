#include "pull/registry/challenge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::pull {
namespace {

using ::testing::HasSubstr;

TEST(Challenge, OfATokenServerHasRealmServiceAndScope) {
  const auto read = parse_challenges(
      R"(Bearer realm="https://auth.example.com/token",service="registry.example.com",scope="repository:a/b:pull,push")");
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read.value().size(), 1);
  const Challenge& challenge = read.value()[0];
  EXPECT_EQ(challenge.scheme, "bearer");
  EXPECT_EQ(challenge.parameter("realm"), "https://auth.example.com/token");
  EXPECT_EQ(challenge.parameter("service"), "registry.example.com");
  EXPECT_EQ(challenge.parameter("scope"), "repository:a/b:pull,push") << "a comma within quotes";
  EXPECT_EQ(challenge.parameter("error"), "");
}

TEST(Challenge, SeveralOfOneHeaderAreToldApart) {
  const auto read = parse_challenges(
      R"(Negotiate abc==, Basic realm="a \"quoted\" realm" , charset="UTF-8",, BEARER Realm = x,Service=y)");
  ASSERT_TRUE(read.ok()) << read.message();
  ASSERT_EQ(read.value().size(), 3);
  EXPECT_EQ(read.value()[0].scheme, "negotiate");
  EXPECT_TRUE(read.value()[0].parameters.empty());
  EXPECT_EQ(read.value()[1].scheme, "basic");
  EXPECT_EQ(read.value()[1].parameter("realm"), "a \"quoted\" realm");
  EXPECT_EQ(read.value()[1].parameter("charset"), "UTF-8");
  EXPECT_EQ(read.value()[2].scheme, "bearer");
  EXPECT_EQ(read.value()[2].parameter("realm"), "x");
  EXPECT_EQ(read.value()[2].parameter("service"), "y");
}

TEST(Challenge, ASchemeMayStandAlone) {
  const auto read = parse_challenges("Basic, Negotiate");
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read.value().size(), 2);
  EXPECT_EQ(read.value()[1].scheme, "negotiate");
}

TEST(Challenge, AUrlWithoutQuotesIsTakenToItsEnd) {
  const auto read = parse_challenges("Bearer realm=https://a.example/token?x=1,service=s");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value()[0].parameter("realm"), "https://a.example/token?x=1");
  EXPECT_EQ(read.value()[0].parameter("service"), "s");
}

TEST(Challenge, WhatIsNoneIsRefused) {
  const auto why = [](std::string_view header) {
    const auto read = parse_challenges(header);
    return read ? "read" : read.message();
  };
  EXPECT_THAT(why(""), HasSubstr("is empty"));
  EXPECT_THAT(why(" , ,"), HasSubstr("is empty"));
  EXPECT_THAT(why("Bearer realm=\"https://"), HasSubstr("not closed"));
  EXPECT_THAT(why("Bearer realm=\"a\\"), HasSubstr("not closed"));
  EXPECT_THAT(why("Bearer realm=a, realm=b"), HasSubstr("realm twice"));
  EXPECT_THAT(why("=x"), HasSubstr("no name at character 1"));
  EXPECT_THAT(why(std::string(9000, 'a')), HasSubstr("longer than"));
  std::string many;
  for (int i = 0; i < 17; ++i) many += "s" + std::to_string(i) + ",";
  EXPECT_THAT(why(many), HasSubstr("more than 16 schemes"));
  many = "s ";
  for (int i = 0; i < 33; ++i) many += "p" + std::to_string(i) + "=v,";
  EXPECT_THAT(why(many), HasSubstr("more than 32 parameters"));
}

}  // namespace
}  // namespace pleiad::pull
