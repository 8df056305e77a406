#include "http/gate.h"

#include <gtest/gtest.h>

namespace pleiad::http {
namespace {

class Gate : public ::testing::Test {
 protected:
  Gate() {
    const Handler handler = [](const Request&, const std::shared_ptr<Exchange>&) {};
    router_.add({.method = "GET", .pattern = "/use", .handler = handler});
    router_.add({.method = "POST", .pattern = "/use", .handler = handler});
    router_.add({.method = "POST", .pattern = "/admin", .scope = Scope::admin, .handler = handler});
    router_.add({.method = "GET", .pattern = "/open", .scope = Scope::open, .handler = handler});
    rules_.body_bytes = 100;
    rules_.light_body_bytes = 10;
  }

  /// 0 where the request is let in.
  int status(const std::string& method, const std::string& path, Headers headers = {},
             std::optional<std::uint64_t> body_bytes = {}) {
    RequestHead head;
    head.content_length = body_bytes;
    head.request.method = method;
    head.request.path = path;
    head.request.headers = std::move(headers);
    head.host = host_;
    admission_ = admit(head, router_, rules_, from_);
    EXPECT_NE(admission_.route == nullptr, !admission_.answer.has_value());
    return admission_.answer ? admission_.answer->status : 0;
  }
  std::string header(std::string_view name) const {
    std::string found;
    for (const auto& [key, value] : admission_.headers) found += key == name ? value : "";
    if (!admission_.answer) return found;
    for (const auto& [key, value] : admission_.answer->headers) found += key == name ? value : "";
    return found;
  }

  Router router_;
  GateRules rules_;
  std::string host_ = "localhost";
  Whence from_ = {"127.0.0.1:4000", true, false, false};
  Admission admission_;
};

TEST_F(Gate, NobodySendsMuchWhereNothingIsRead) {
  EXPECT_EQ(status("POST", "/use", {}, 100), 0);
  EXPECT_EQ(status("POST", "/use", {}, 101), 413);
  for (const char* path : {"/use", "/open"}) {
    EXPECT_EQ(status("GET", path, {}, 10), 0);
    EXPECT_EQ(status("GET", path, {}, 11), 413);
  }
}

TEST_F(Gate, NeedsNoKeyWhereThereIsNone) {
  EXPECT_EQ(status("GET", "/use"), 0);
  EXPECT_EQ(status("POST", "/admin"), 0);
  // Clients that insist on a key send any.
  EXPECT_EQ(status("GET", "/use", {{"authorization", "Bearer ollama"}}), 0);
}

TEST_F(Gate, TellsScopesApart) {
  rules_.keys = KeyRing({"u1", "u2"}, {"a"});
  EXPECT_EQ(status("GET", "/open"), 0);
  EXPECT_EQ(status("GET", "/use"), 401);
  EXPECT_EQ(status("GET", "/use", {{"authorization", "bearer  u2 "}}), 0);
  EXPECT_EQ(status("GET", "/use", {{"authorization", "Basic u2"}}), 401);
  EXPECT_EQ(status("GET", "/use", {{"x-api-key", "u1"}}), 0);
  EXPECT_EQ(status("GET", "/use", {{"x-api-key", "u"}}), 401);
  EXPECT_EQ(status("GET", "/use", {{"x-api-key", "a"}}), 0);
  EXPECT_EQ(status("POST", "/admin", {{"x-api-key", "u1"}}), 403);
  EXPECT_EQ(status("POST", "/admin", {{"x-api-key", "a"}}), 0);
}

TEST_F(Gate, LetsUsersAdministerOnlyFromThisMachine) {
  rules_.keys = KeyRing({"u"}, {});
  EXPECT_EQ(status("POST", "/admin", {{"x-api-key", "u"}}), 0);
  EXPECT_EQ(status("POST", "/admin"), 401);
  from_.is_local = false;
  EXPECT_EQ(status("POST", "/admin", {{"x-api-key", "u"}}), 403);
  EXPECT_EQ(status("GET", "/use", {{"x-api-key", "u"}}), 0);
}

TEST_F(Gate, LetsOthersInWithoutAKeyOnlyWhereItWasTold) {
  from_.is_local = false;
  EXPECT_EQ(status("GET", "/use"), 403);
  EXPECT_EQ(status("POST", "/admin"), 403);
  EXPECT_EQ(status("GET", "/open"), 0);
  EXPECT_NE(admission_.route, nullptr);
  from_.is_forwarded = true;
  EXPECT_EQ(status("GET", "/use"), 403);
  EXPECT_NE(admission_.answer->body.find("--trusted-proxy"), std::string::npos);
  rules_.open_to_others = true;
  EXPECT_EQ(status("GET", "/use"), 0);
  EXPECT_EQ(status("POST", "/admin"), 0);
}

TEST_F(Gate, ProtectsUseAsWellWhereOnlyAdminKeysAreSet) {
  rules_.keys = KeyRing({}, {"a"});
  EXPECT_EQ(status("GET", "/use"), 401);
  EXPECT_EQ(status("GET", "/use", {{"x-api-key", "a"}}), 0);
}

TEST_F(Gate, ChecksTheHostWhereItCanTell) {
  host_ = "evil.example";
  EXPECT_EQ(status("GET", "/open"), 403);
  EXPECT_EQ(status("OPTIONS", "/use"), 403);
  rules_.hosts.check = HostCheck::none;
  EXPECT_EQ(status("GET", "/open"), 0);
}

TEST_F(Gate, LetsNoPageOfAStrangersNameReadWhereNobodyHasAKey) {
  rules_.hosts.check = HostCheck::no_strangers;
  rules_.hosts.names = {"llm.example"};
  for (const char* host :
       {"evil.example", "evil.example:11434", "192.168.0.7.evil.example", "evil.internal.example",
        "local"
        ".example",
        "a..b", ""}) {
    host_ = host;
    EXPECT_EQ(status("GET", "/use", {{"host", host_}}), 403) << host;
  }
  for (const char* host :
       {"203.0.113.9:11434", "[2001:db8::1]", "localhost:1", "gpubox:11434", "llm.example",
        "pleiad.default.svc.cluster.local", "box.internal", "box.home.arpa:80", "192.168.0.7"}) {
    host_ = host;
    EXPECT_EQ(status("GET", "/use"), 0) << host;
  }
}

TEST_F(Gate, AnswersPreflightsWithoutAKey) {
  rules_.keys = KeyRing({"u"}, {});
  const Headers preflight = {
      {"origin", "http://localhost:3000"},
      {"access-control-request-method", "POST"},
      {"access-control-request-headers", "authorization,content-type,x-stainless-lang"}};
  EXPECT_EQ(status("OPTIONS", "/use", preflight), 204);
  EXPECT_EQ(header("Access-Control-Allow-Origin"), "http://localhost:3000");
  EXPECT_EQ(header("Access-Control-Allow-Methods"), "GET, HEAD, OPTIONS, POST");
  EXPECT_EQ(header("Access-Control-Allow-Headers"), "authorization,content-type,x-stainless-lang");
  EXPECT_EQ(header("Vary"), "Origin");
  EXPECT_EQ(status("OPTIONS", "/none", preflight), 404);
  EXPECT_EQ(status("OPTIONS", "/use"), 204);
  EXPECT_EQ(header("Allow"), "GET, HEAD, OPTIONS, POST");
  EXPECT_EQ(header("Access-Control-Allow-Methods"), "");
  EXPECT_EQ(status("OPTIONS", "/use", {{"origin", "http://evil.example"}}), 403);
}

TEST_F(Gate, ShowsAllowedPagesWhyTheyAreRefused) {
  rules_.keys = KeyRing({"u"}, {});
  EXPECT_EQ(status("GET", "/use", {{"origin", "http://localhost:3000"}}), 401);
  EXPECT_EQ(header("Access-Control-Allow-Origin"), "http://localhost:3000");
}

TEST_F(Gate, SaysNothingThatIsNotPrintable) {
  host_ = "evil\xff\"<b>";
  EXPECT_EQ(status("GET", "/use"), 403);
  EXPECT_EQ(admission_.answer->body.find('\xff'), std::string::npos);
}

}  // namespace
}  // namespace pleiad::http
