#include "pull/registry/blob_upload.h"

#include <atomic>

#include "pull/registry/testing/registry_fixture.h"

namespace pleiad::pull {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using testing::MemoryRegistry;
using Gate = MemoryRegistry::Gate;

class BlobUploadTest : public testing::RegistryTest {
 protected:
  Result<bool> push(const MemoryRegistry& registry, const std::string& name,
                    const Credentials& credentials = {}, std::uint64_t chunk = 64U << 20U) {
    const store::ModelEntry entry = catalog_.find(demo_file().string()).value();
    return RegistryDestination(options(credentials), {chunk})
        .push(entry, reference(registry, name), sink(), {});
  }
  std::string demo_hex() const { return sha256_hex(demo_bytes()); }
  std::uint64_t third() const { return demo_bytes().size() / 3 + 1; }
};

TEST(UploadRange, SaysHowManyBytesThereAre) {
  EXPECT_EQ(parse_upload_range("0-1023"), 1024);
  EXPECT_EQ(parse_upload_range("bytes=0-9"), 10);
  EXPECT_EQ(parse_upload_range("0-0"), 0);
  for (const char* text :
       {"", "0", "0-", "-5", "5-9", "0-x", "0-9 ", "0-99999999999999999999", "a-b"}) {
    EXPECT_FALSE(parse_upload_range(text)) << text;
  }
}

TEST_F(BlobUploadTest, WhatIsPushedIsPulledBack) {
  MemoryRegistry registry;
  const auto pushed = push(registry, "ann/demo:v1");
  ASSERT_TRUE(pushed.ok()) << pushed.message();
  EXPECT_EQ(statuses().front(), "retrieving manifest");
  EXPECT_THAT(statuses(), Contains("pushing " + demo_hex().substr(0, 12)));
  EXPECT_EQ(statuses().back(), "pushing manifest");
  EXPECT_EQ(registry.blob(demo_hex()), demo_bytes());
  EXPECT_EQ(registry.count("PATCH "), 0);
  const auto pulled = pull(registry, "ann/demo:v1");
  ASSERT_TRUE(pulled.ok()) << pulled.message();
  EXPECT_EQ(read(catalog_.find(pulled.value().name).value().path), demo_bytes());
}

TEST_F(BlobUploadTest, BlobsThatAreThereAreNotSentAgain) {
  MemoryRegistry registry;
  ASSERT_TRUE(push(registry, "ann/demo:v1").ok());
  registry.forget_requests();
  ASSERT_TRUE(push(registry, "ann/demo:v2").ok());
  EXPECT_EQ(registry.count("POST "), 0);
  EXPECT_EQ(registry.count("PUT "), 1) << "the manifest";
}

TEST_F(BlobUploadTest, LargeBlobsGoInChunks) {
  MemoryRegistry registry;
  const auto pushed = push(registry, "ann/demo:v1", {}, third());
  ASSERT_TRUE(pushed.ok()) << pushed.message();
  EXPECT_GE(registry.count("PATCH "), 3);
  EXPECT_EQ(registry.blob(demo_hex()), demo_bytes());
}

TEST_F(BlobUploadTest, AChunkThatBreaksOffGoesOnWhereItEnds) {
  MemoryRegistry registry;
  std::atomic<int> n_patches = 0;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PATCH" && ++n_patches == 2)
      return http::Response{503, "text/plain", "", {}};
    return {};
  };
  const auto pushed = push(registry, "ann/demo:v1", {}, third());
  ASSERT_TRUE(pushed.ok()) << pushed.message();
  EXPECT_EQ(registry.blob(demo_hex()), demo_bytes());
  EXPECT_GE(registry.count("GET /v2/ann/demo/blobs/uploads/"), 1) << "it was asked how far it is";
}

TEST_F(BlobUploadTest, AnUploadThatIsForgottenBeginsAgain) {
  MemoryRegistry registry;
  std::atomic<int> n_patches = 0;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PATCH" && ++n_patches == 2)
      return http::Response{500, "text/plain", "", {}};
    if (request.method == "GET" && request.path.find("/uploads/") != std::string::npos) {
      return http::Response{404, "text/plain", "", {}};
    }
    return {};
  };
  const auto pushed = push(registry, "ann/demo:v1", {}, third());
  ASSERT_TRUE(pushed.ok()) << pushed.message();
  EXPECT_EQ(registry.blob(demo_hex()), demo_bytes());
}

TEST_F(BlobUploadTest, ARegistryThatForgetsEveryUploadIsGivenUp) {
  MemoryRegistry registry;
  std::atomic<int> n_patches = 0;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PATCH" && ++n_patches % 2 == 0) {
      return http::Response{500, "text/plain", "", {}};
    }
    if (request.method == "GET" && request.path.find("/uploads/") != std::string::npos) {
      return http::Response{404, "text/plain", "", {}};
    }
    return {};
  };
  download::Surroundings patient = surroundings();
  patient.retry.attempts = 10;
  download::Session session(patient);
  const store::ModelEntry entry = catalog_.find(demo_file().string()).value();
  const auto pushed = RegistryDestination({session, catalog_, root_ / "own"}, {third()})
                          .push(entry, reference(registry, "ann/demo:v1"), sink(), {});
  EXPECT_THAT(pushed.message(), HasSubstr("loses uploads"));
  EXPECT_EQ(registry.count("POST "), 3);
}

TEST_F(BlobUploadTest, ARedirectToStorageMeansThatItIsThereAndALoginPageDoesNot) {
  MemoryRegistry registry;
  std::string location = "http://localhost:1/storage";
  int status = 307;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "HEAD" || request.path.find("/blobs/") == std::string::npos) return {};
    return http::Response{status, "text/plain", "", {{"Location", location}}};
  };
  EXPECT_TRUE(push(registry, "ann/demo:v1").ok());
  EXPECT_EQ(registry.count("POST "), 0);
  location = "http://localhost:1/moved";
  status = 301;
  EXPECT_FALSE(push(registry, "ann/demo:v2").ok());
  location = "/login";
  status = 302;
  EXPECT_TRUE(push(registry, "ann/demo:v3").ok()) << "where it leads nothing is found";
  EXPECT_TRUE(registry.has_blob(demo_hex()));
}

TEST_F(BlobUploadTest, RetryAfterIsObeyed) {
  int n_posts = 0;
  std::string asked = "0";
  const auto busy = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "POST" || ++n_posts > 1) return {};
    return http::Response{429, "text/plain", "", {{"Retry-After", asked}}};
  };
  MemoryRegistry registry;
  registry.instead = busy;
  EXPECT_TRUE(push(registry, "ann/demo:v1").ok());
  n_posts = 0;
  asked = "100000";  // longer than anybody waits: the answer counts
  MemoryRegistry another;
  another.instead = busy;
  EXPECT_THAT(push(another, "ann/demo:v1").message(), HasSubstr("HTTP status 429"));
  EXPECT_EQ(another.count("POST "), 1);
}

TEST_F(BlobUploadTest, ARegistryThatTakesNothingIsGivenUp) {
  MemoryRegistry registry;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method == "PUT") return http::Response{503, "text/plain", "", {}};
    return {};
  };
  EXPECT_THAT(push(registry, "ann/demo:v1").message(), HasSubstr("HTTP status 503"));
  EXPECT_FALSE(registry.manifest("ann/demo:v1"));
}

TEST_F(BlobUploadTest, ARegistryThatKeepsTooLittleIsGivenUp) {
  MemoryRegistry registry;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "PATCH") return {};
    return http::Response{
        202, "text/plain", "", {{"Location", request.path + "?_state=a%2Bb"}, {"Range", "0-0"}}};
  };
  EXPECT_FALSE(push(registry, "ann/demo:v1", {}, third()).ok());
}

TEST_F(BlobUploadTest, ARefusalIsNotTriedAgain) {
  MemoryRegistry registry;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "POST") return {};
    return http::Response{403, "application/json", R"({"errors":[{"code":"DENIED"}]})", {}};
  };
  EXPECT_THAT(push(registry, "ann/demo:v1").message(), HasSubstr("DENIED, HTTP status 403"));
  EXPECT_EQ(registry.count("POST "), 1);
}

TEST_F(BlobUploadTest, APlaceThatIsNoneIsRefused) {
  MemoryRegistry registry;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "POST") return {};
    return http::Response{202, "text/plain", "", {{"Location", "file:///etc/passwd"}}};
  };
  EXPECT_THAT(push(registry, "ann/demo:v1").message(), HasSubstr("neither http:// nor https://"));
}

TEST_F(BlobUploadTest, GoesByPasswordsAndTokens) {
  for (const Gate gate : {Gate::basic, Gate::token}) {
    MemoryRegistry registry(gate);
    EXPECT_FALSE(push(registry, "ann/demo:v1").ok());
    const auto pushed = push(registry, "ann/demo:v1", ann(registry), third());
    EXPECT_TRUE(pushed.ok()) << pushed.message();
  }
}

TEST_F(BlobUploadTest, OtherPlacesThanRegistriesAreRefused) {
  const store::ModelEntry entry = catalog_.find(demo_file().string()).value();
  const auto pushed = RegistryDestination(options()).push(
      entry, ModelReference::parse("hf.co/ann/demo").value(), sink(), {});
  EXPECT_THAT(pushed.message(), HasSubstr("pushed to registries alone"));
}

}  // namespace
}  // namespace pleiad::pull
