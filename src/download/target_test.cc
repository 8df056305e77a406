#include "download/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::download {
namespace {

using ::testing::HasSubstr;

class TargetRulesTest : public ::testing::Test {
 protected:
  Target first(const char* url) const { return rules_.first(url).value(); }
  std::string refusal(const Result<Target>& target) const {
    return target ? "taken: " + target.value().text() : target.message();
  }
  std::string lead(const char* from, bool from_public, const char* location) const {
    return refusal(rules_.next(first(from), from_public, location));
  }

  Surroundings surroundings_ = {
      .insecure_hosts = {"registry.corp:5000", "10.9.9.9", "plain.example"}};
  TargetRules rules_{surroundings_};
};

TEST_F(TargetRulesTest, NamesTheHost) {
  EXPECT_EQ(first("https://Example.com/a?secret=1").host(), "example.com");
  EXPECT_EQ(first("https://example.com:8443/").host(), "example.com:8443");
  EXPECT_EQ(first("https://example.com:443/").host(), "example.com");
  EXPECT_EQ(first("http://[::1]:80/").host(), "[::1]");
  EXPECT_EQ(first("https://example.com/a?secret=1#x").text(), "https://example.com/a");
  EXPECT_TRUE(first("https://example.com/a").has_origin_of(first("https://EXAMPLE.com:443/b")));
  EXPECT_FALSE(first("https://example.com/").has_origin_of(first("https://example.com:444/")));
  EXPECT_FALSE(first("http://localhost/").has_origin_of(first("https://localhost:80/")));
}

TEST_F(TargetRulesTest, TakesHttpOfTheHostsThatMayBeAsked) {
  for (const char* url :
       {"http://registry.corp:5000/v2/", "http://10.9.9.9:81/", "http://localhost/",
        "http://127.0.0.1:5000/", "http://[::1]/", "http://a.localhost/"}) {
    EXPECT_TRUE(rules_.first(url)) << url;
  }
  for (const char* url : {"http://registry.corp/", "http://registry.corp:5001/", "http://10.9.9.8/",
                          "http://example.com/", "http://localhost.example.com/"}) {
    EXPECT_THAT(refusal(rules_.first(url)), HasSubstr("use https")) << url;
  }
  EXPECT_TRUE(first("https://registry.corp:5000/").named_insecure);
  EXPECT_FALSE(first("https://registry.corp/").named_insecure);
}

TEST_F(TargetRulesTest, AHostWithoutAPortIsAskedAtTheOneOfItsScheme) {
  const Surroundings secure = {
      .insecure_hosts = {"a.example:443", "b.example:80", "c.example:5000"}};
  const TargetRules rules(secure);
  EXPECT_TRUE(rules.is_insecure({"a.example", {}}));
  EXPECT_TRUE(rules.is_insecure({"b.example", {}}));
  EXPECT_FALSE(rules.is_insecure({"c.example", {}}));
  EXPECT_TRUE(rules.is_insecure({"c.example", 5000}));
  EXPECT_FALSE(rules.is_insecure({"a.example", 80}));
  EXPECT_TRUE(rules_.is_insecure({"plain.example", 1234}));
}

TEST_F(TargetRulesTest, LeadsToHttpsAlone) {
  EXPECT_THAT(lead("https://a.example/", true, "http://b.example/"), HasSubstr("leads to http"));
  EXPECT_THAT(lead("https://a.example/", true, "http://a.example/"), HasSubstr("leads to http"));
  EXPECT_THAT(lead("https://localhost/", false, "http://localhost/"), HasSubstr("leads to http"));
  EXPECT_THAT(lead("http://plain.example/", true, "http://b.example/"), HasSubstr("leads to http"));
  EXPECT_THAT(lead("http://plain.example/", true, "http://localhost/"), HasSubstr("leads to http"));
  EXPECT_THAT(lead("https://a.example/", true, "ftp://b.example/"), HasSubstr("neither http"));
  EXPECT_THAT(lead("https://a.example/", true, "https://u:p@b.example/"), HasSubstr("password"));
  for (const auto& [from, location] : {std::pair{"https://a.example/", "https://b.example/"},
                                       std::pair{"http://localhost/", "http://127.0.0.1:81/"},
                                       std::pair{"http://localhost/", "https://a.example/"},
                                       std::pair{"https://a.example/", "http://plain.example/"}}) {
    EXPECT_THAT(lead(from, false, location), HasSubstr("taken")) << from << " " << location;
  }
}

TEST_F(TargetRulesTest, LeadsFromThePublicInternetNowhereElse) {
  for (const char* inside :
       {"https://127.0.0.1/", "https://localhost/", "https://10.0.0.1/", "https://169.254.169.254/",
        "https://[::1]/", "https://[fd00::1]/", "https://2130706433/", "https://0.0.0.0/"}) {
    EXPECT_THAT(lead("https://a.example/", true, inside), HasSubstr("not on the public internet"))
        << inside;
    EXPECT_THAT(lead("https://a.example/", false, inside), HasSubstr("taken")) << inside;
    EXPECT_THAT(lead("http://plain.example/", true, inside), HasSubstr("not on the public"))
        << inside;
  }
  EXPECT_THAT(lead("https://a.example/", true, "http://10.9.9.9/"), HasSubstr("taken"));
  const Target there = rules_.next(first("https://a.example/"), true, "https://b.example/").value();
  EXPECT_TRUE(there.only_public);
  const auto back = rules_.next(there, false, "https://10.0.0.1/");
  EXPECT_THAT(refusal(back), HasSubstr("not on the public internet")) << "once led, always led";
}

}  // namespace
}  // namespace pleiad::download
