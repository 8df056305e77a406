#include "pull/registry/authorizer.h"

#include "pull/registry/testing/registry_fixture.h"

namespace pleiad::pull {
namespace {

using ::testing::HasSubstr;
using testing::MemoryRegistry;
using ::testing::Not;
using AuthorizerTest = testing::RegistryTest;
using Gate = MemoryRegistry::Gate;

TEST(Token, IsReadWithItsTime) {
  EXPECT_EQ(parse_token(R"({"token":"abc"})").value().value, "abc");
  EXPECT_EQ(parse_token(R"({"token":"abc"})").value().seconds, 60);
  EXPECT_EQ(parse_token(R"({"access_token":"abc","expires_in":300})").value().seconds, 300);
  EXPECT_EQ(parse_token(R"({"token":"a","expires_in":-5})").value().seconds, 60);
  EXPECT_EQ(parse_token(R"({"token":"a","expires_in":1e300})").value().seconds, 86400);
  for (const char* text : {"", "[]", "{}", R"({"token":1})", R"({"token":""})"}) {
    EXPECT_FALSE(parse_token(text).ok()) << text;
  }
  EXPECT_THAT(parse_token(R"({"token":"a\r\nHost: x"})").message(),
              HasSubstr("no header can carry"));
}

TEST(RefusalText, IsWhatTheServerSays) {
  const auto text = [](const std::string& body) {
    download::Reply reply;
    reply.status = 403;
    reply.body = body;
    return refusal_text(reply);
  };
  EXPECT_EQ(text(R"({"errors":[{"code":"DENIED","message":"not yours"}]})"),
            "not yours, HTTP status 403");
  EXPECT_EQ(text(R"({"errors":[{"code":"DENIED"}]})"), "DENIED, HTTP status 403");
  EXPECT_EQ(text(R"({"error":"no"})"), "no, HTTP status 403");
  for (const char* body : {"", "<html>", "[]", R"({"errors":[]})", R"({"errors":[1]})"}) {
    EXPECT_EQ(text(body), "HTTP status 403") << body;
  }
}

TEST_F(AuthorizerTest, ABasicPasswordIsSentWhenItIsAskedFor) {
  MemoryRegistry registry(Gate::basic);
  add_demo(registry, "ann/demo:v1");
  const auto pulled = pull(registry, "ann/demo:v1", ann(registry));
  EXPECT_TRUE(pulled.ok()) << pulled.message();
}

TEST_F(AuthorizerTest, WithoutOneItSaysWhatToDo) {
  MemoryRegistry registry(Gate::basic);
  const std::string message = pull(registry, "ann/demo:v1").message();
  EXPECT_THAT(message, HasSubstr(registry.host() + ": asks for a user and a password"));
  EXPECT_THAT(message, HasSubstr("docker login"));
}

TEST_F(AuthorizerTest, AWrongOneIsTriedOnce) {
  MemoryRegistry registry(Gate::basic);
  EXPECT_THAT(pull(registry, "ann/demo:v1", ann(registry, "guess")).message(),
              HasSubstr("access to ann/demo is refused"));
  EXPECT_EQ(registry.count("GET /v2/ann/demo/manifests/"), 2);
}

TEST_F(AuthorizerTest, ATokenIsFetchedAndUsedAgain) {
  MemoryRegistry registry(Gate::token, true);
  add_demo(registry, "ann/demo:v1");
  const auto pulled = pull(registry, "ann/demo:v1");
  ASSERT_TRUE(pulled.ok()) << pulled.message();
  // One for the offer, one for the files.
  EXPECT_EQ(registry.n_tokens(), 2);
}

TEST_F(AuthorizerTest, ATokenThatEndsIsRenewed) {
  MemoryRegistry registry(Gate::token, true);
  add_demo(registry, "ann/demo:v1");
  int n_manifests = 0;
  registry.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    if (request.path.find("/manifests/") != std::string::npos && ++n_manifests == 2) {
      // The manifest has come; before the texts do, the token ends.
      registry.expire_tokens();
    }
    if (request.path.find(sha256_hex("Be brief.")) != std::string::npos) registry.expire_tokens();
    return {};
  };
  RegistrySource source(options());
  const auto offer = source.offer(reference(registry, "ann/demo:v1"), {});
  EXPECT_FALSE(offer.ok()) << "each answer ends the token, so that a new one is refused as well";
  registry.instead =
      [&, n = 0](const http::Request& request) mutable -> std::optional<http::Response> {
    if (request.path.find(sha256_hex("Be brief.")) != std::string::npos && ++n == 1) {
      registry.expire_tokens();
    }
    return {};
  };
  EXPECT_TRUE(source.offer(reference(registry, "ann/demo:v1"), {}).ok());
}

TEST_F(AuthorizerTest, ATokenServerOnTheSameHostGetsThePassword) {
  MemoryRegistry registry(Gate::token);
  MemoryRegistry tokens(Gate::token);
  add_demo(registry, "ann/demo:v1");
  EXPECT_TRUE(pull(registry, "ann/demo:v1", ann(registry)).ok());
  const auto refused = pull(registry, "ann/demo:v1");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.message(), HasSubstr("its token server 127.0.0.1 gives none"));
}

TEST_F(AuthorizerTest, ATokenServerElsewhereGetsNoPassword) {
  MemoryRegistry registry(Gate::token);
  MemoryRegistry thief;
  std::vector<std::string> given;
  thief.instead = [&](const http::Request& request) -> std::optional<http::Response> {
    given.emplace_back(request.header("authorization").value_or("nothing"));
    return http::Response{401, "application/json", "{}", {}};
  };
  // The same machine, by another of its names.
  registry.realm = "http://localhost:" + thief.host().substr(thief.host().find(':') + 1) + "/token";
  const auto refused = pull(registry, "ann/demo:v1", ann(registry));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.message(), HasSubstr("the password was not sent"));
  EXPECT_THAT(refused.message(), HasSubstr("another host, localhost"));
  EXPECT_THAT(given, ::testing::Each("nothing"));
  EXPECT_FALSE(given.empty());
  Credentials both = ann(registry);
  both.named["localhost"] = {"ann", "other"};
  EXPECT_FALSE(pull(registry, "ann/demo:v1", both).ok());
  EXPECT_THAT(given, ::testing::Each("nothing")) << "what was stored for it is not this registry's";
}

TEST_F(AuthorizerTest, ATokenIsAskedForThisRepositoryAlone) {
  MemoryRegistry registry(Gate::token, true);
  add_demo(registry, "ann/demo:v1");
  registry.scope = "repository:victim/secret:pull,push";
  const auto pulled = pull(registry, "ann/demo:v1");
  EXPECT_TRUE(pulled.ok()) << pulled.message();
  EXPECT_THAT(registry.scopes(), ::testing::Each("repository:ann/demo:pull"));
}

TEST_F(AuthorizerTest, ARealmThatIsNoUrlIsRefused) {
  MemoryRegistry registry(Gate::token);
  registry.realm = "file:///etc/passwd";
  EXPECT_THAT(pull(registry, "ann/demo:v1").message(), HasSubstr("neither http:// nor https://"));
}

TEST_F(AuthorizerTest, AHeaderThatIsNoneIsRefused) {
  MemoryRegistry registry;
  std::string header;
  registry.instead = [&](const http::Request&) -> std::optional<http::Response> {
    http::Response response{401, "application/json", "{}", {}};
    if (!header.empty()) response.headers = {{"WWW-Authenticate", header}};
    return response;
  };
  EXPECT_THAT(pull(registry, "ann/demo:v1").message(), HasSubstr("WWW-Authenticate is empty"));
  header = "Bearer realm=\"x";
  EXPECT_THAT(pull(registry, "ann/demo:v1").message(), HasSubstr("not closed"));
  header = "Negotiate";
  EXPECT_THAT(pull(registry, "ann/demo:v1").message(), HasSubstr("a login by 'negotiate'"));
}

TEST(TokenHost, IsTheRegistrysOwnOrDockerHubs) {
  EXPECT_TRUE(is_token_host_of("a.example:5000", "a.example"));
  EXPECT_TRUE(is_token_host_of("registry-1.docker.io", "auth.docker.io"));
  EXPECT_TRUE(is_token_host_of("[::1]:5000", "::1"));
  EXPECT_FALSE(is_token_host_of("a.example", "auth.docker.io"));
  EXPECT_FALSE(is_token_host_of("a.example", "b.example"));
  EXPECT_FALSE(is_token_host_of("a.example", "sub.a.example"));
  EXPECT_TRUE(is_token_host_of("registry.gitlab.com:443", "gitlab.com"));
  EXPECT_FALSE(is_token_host_of("registrygitlab.com", "gitlab.com"));
  EXPECT_FALSE(is_token_host_of("a.example", "example")) << "a name of one label is nobody's";
  EXPECT_FALSE(is_token_host_of("1.2.3.4", "3.4"));
}

TEST(RegistryAddress, OfDockerHubIsAnother) {
  const auto address = [](const char* name) {
    return RegistryAddress(store::ModelName::parse(name).value());
  };
  EXPECT_EQ(address("docker.io/ai/gemma4:4B").api_host, "registry-1.docker.io");
  EXPECT_EQ(address("docker.io/ai/gemma4:4B").repository, "ai/gemma4");
  EXPECT_EQ(address("gemma4").api_host, "registry.ollama.ai");
  EXPECT_EQ(address("gemma4").repository, "library/gemma4");
  EXPECT_EQ(address("gemma4").tag, "latest");
  EXPECT_TRUE(is_ollama(address("gemma4")));
  EXPECT_FALSE(is_ollama(address("localhost:5000/a/b")));
}

}  // namespace
}  // namespace pleiad::pull
