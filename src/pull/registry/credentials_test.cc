#include "pull/registry/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/base64.h"
#include "base/testing/test_folder.h"

namespace pleiad::pull {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string auth(const std::string& text) { return encode_base64(text); }

TEST(DockerConfig, HasLoginsByHost) {
  const auto read = parse_docker_config(
      R"({"auths": {"https://index.docker.io/v1/": {"auth": ")" + auth("ann:a:b") +
      R"("}, "Registry.example.com:5000": {"username": "bob", "password": "x"},
          "https://later.example.com/v2/": {"identitytoken": "t"}, "empty.example.com": {}},
          "credHelpers": {"gcr.io": "gcloud"}, "credsStore": "desktop", "other": 1})");
  ASSERT_TRUE(read.ok()) << read.message();
  const DockerLogins& docker = read.value();
  EXPECT_EQ(docker.logins.size(), 2);
  EXPECT_EQ(docker.logins.at("docker.io"), (Login{"ann", "a:b"})) << "a password may have a colon";
  EXPECT_EQ(docker.logins.at("registry.example.com:5000"), (Login{"bob", "x"}));
  EXPECT_THAT(docker.elsewhere, ElementsAre("later.example.com", "empty.example.com", "gcr.io"));
  EXPECT_EQ(docker.helper, "desktop");
}

TEST(DockerConfig, WhatIsWrongIsNamed) {
  const auto why = [](const std::string& text) {
    const auto read = parse_docker_config(text);
    return read ? "read" : read.message();
  };
  EXPECT_EQ(why("{}"), "read");
  EXPECT_THAT(why("x"), HasSubstr("not JSON"));
  EXPECT_THAT(why("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(why(R"({"auths": []})"), HasSubstr("auths: expected an object"));
  EXPECT_THAT(why(R"({"auths": {"a": 1}})"), HasSubstr("auths: a: expected an object"));
  EXPECT_THAT(why(R"({"auths": {"a": {"auth": "*"}}})"),
              HasSubstr("a: auth: expected user:password"));
  EXPECT_THAT(why(R"({"auths": {"a": {"auth": ")" + auth("nobody") + R"("}}})"),
              HasSubstr("expected user:password"));
}

class CredentialsTest : public ::testing::Test {
 protected:
  CredentialsTest() { credentials_.docker_config = folder_ / "config.json"; }
  void write(const std::string& text) const { std::ofstream(folder_ / "config.json") << text; }

  TestFolder folder_;
  Credentials credentials_;
};

TEST_F(CredentialsTest, WhatWasNamedCountsBeforeDockers) {
  write(R"({"auths": {"a.example": {"auth": ")" + auth("docker:d") +
        R"("}, "b.example:5000": {"auth": ")" + auth("b:b") + R"("}}})");
  credentials_.named["A.example"] = {"named", "n"};
  EXPECT_EQ(credentials_.find("a.example").value()->user, "named");
  EXPECT_EQ(credentials_.find("b.example:5000").value()->user, "b");
  EXPECT_FALSE(credentials_.find("b.example").value().has_value()) << "of another port";
  EXPECT_EQ(Login({"ann", "secret"}).basic(), "Basic YW5uOnNlY3JldA==");
}

TEST_F(CredentialsTest, AFileThatIsNotThereIsNone) {
  EXPECT_FALSE(credentials_.find("a.example").value().has_value());
  EXPECT_EQ(credentials_.why_not("a.example"), "");
}

TEST_F(CredentialsTest, AFileThatIsWrongIsNamed) {
  write("{");
  EXPECT_THAT(credentials_.find("a.example").message(), HasSubstr("config.json: "));
}

TEST_F(CredentialsTest, PasswordsThatAHelperKeepsAreSpokenOf) {
  write(R"({"auths": {"a.example": {}}, "credsStore": "pass"})");
  EXPECT_FALSE(credentials_.find("a.example").value().has_value());
  EXPECT_THAT(credentials_.why_not("a.example"),
              HasSubstr("docker-credential-pass, which is not asked"));
  EXPECT_EQ(credentials_.why_not("b.example"), "");
}

}  // namespace
}  // namespace pleiad::pull
