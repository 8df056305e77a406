#include "pull/hugging_face/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pleiad::pull::hugging_face {
namespace {

using ::testing::HasSubstr;

Endpoint parsed(const char* address) {
  auto endpoint = Endpoint::parse(address);
  EXPECT_TRUE(endpoint.ok()) << address;
  return endpoint ? std::move(endpoint).value() : Endpoint();
}

TEST(HubEndpoint, IsTheHubOrAMirrorOfIt) {
  const Endpoint hub = parsed("https://huggingface.co/");
  EXPECT_EQ(hub.url("/api/models/a/b"), "https://huggingface.co/api/models/a/b");
  EXPECT_EQ(hub.host, "huggingface.co");
  EXPECT_FALSE(hub.is_mirror());
  const Endpoint mirror = parsed("http://Localhost:8081/artifactory/api/huggingfaceml/hub//");
  EXPECT_EQ(mirror.url("/a"), "http://localhost:8081/artifactory/api/huggingfaceml/hub/a");
  EXPECT_EQ(mirror.host, "localhost:8081");
  EXPECT_TRUE(mirror.is_mirror());
  EXPECT_EQ(parsed("https://hf-mirror.com:443").origin, "https://hf-mirror.com");
}

TEST(HubEndpoint, RefusesWhatIsNone) {
  const auto why = [](std::string_view address) {
    const auto endpoint = Endpoint::parse(address);
    return endpoint ? std::string() : endpoint.message();
  };
  for (const char* address : {"", "huggingface.co", "ftp://a", "file:///etc/passwd", "https://"}) {
    EXPECT_THAT(why(address), HasSubstr("the address of a hub is https://HOST")) << address;
  }
  EXPECT_THAT(why("https://me:secret@a"), HasSubstr("HF_TOKEN"));
  EXPECT_THAT(why("https://a/?b=c"), HasSubstr("query"));
  EXPECT_THAT(why(std::string_view("https://a\0b", 11)), HasSubstr("not ASCII"));
}

TEST(HubEndpoint, FollowsItsOwnAddressesAlone) {
  const Endpoint mirror = parsed("https://mirror.example/hf");
  const auto own = [&](const char* target) {
    const auto url = mirror.own_url(target);
    return url ? url.value() : url.message();
  };
  EXPECT_EQ(own("https://mirror.example/hf/api?cursor=a%2Fb"),
            "https://mirror.example/hf/api?cursor=a%2Fb");
  EXPECT_EQ(own("https://huggingface.co/api/x?cursor=a"),
            "https://mirror.example/hf/api/x?cursor=a");
  EXPECT_EQ(own("/hf/api/x?y"), "https://mirror.example/hf/api/x?y");
  EXPECT_THAT(own("/hf/api/x y"), HasSubstr("no URL"));
  for (const char* target :
       {"https://evil.example/api", "http://mirror.example/hf/api", "https://mirror.example:444/",
        "//evil.example/", "https://huggingface.co.evil.example/"}) {
    EXPECT_THAT(own(target), testing::AnyOf(HasSubstr("another host"), HasSubstr("no URL")))
        << target;
  }
}

TEST(HubEndpoint, OnlyMirrorsMayBeAskedWithoutALookAtTheirCertificate) {
  EXPECT_EQ(mirror_authority("https://mirror.example/hf"), "mirror.example:443");
  EXPECT_EQ(mirror_authority("http://Mirror.example:8080"), "mirror.example:8080");
  EXPECT_EQ(mirror_authority("https://[::1]:8080/"), "[::1]:8080");
  EXPECT_EQ(mirror_authority("https://huggingface.co.evil.example"),
            "huggingface.co.evil.example:443");
  for (const char* address : {"", "mirror", "https://huggingface.co", "https://huggingface.co:443",
                              "https://HuggingFace.co.", "https://huggingface.co.:443/",
                              "https://hf.co", "https://www.huggingface.co/x",
                              "https://huggingface%2Eco", "https://user@huggingface.co"}) {
    EXPECT_EQ(mirror_authority(address), "") << address;
  }
}

TEST(HubEndpoint, EscapesNames) {
  EXPECT_EQ(escaped_part("refs/pr/1"), "refs%2Fpr%2F1");
  EXPECT_EQ(escaped_path("a b/ü#?%.gguf"), "a%20b/%C3%BC%23%3F%25.gguf");
}

}  // namespace
}  // namespace pleiad::pull::hugging_face
