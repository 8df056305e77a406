#include "http/credentials.h"

#include <gtest/gtest.h>

#include <set>

namespace pleiad::http {
namespace {

Request with_key(const std::string& key) {
  Request request;
  request.headers = {{"authorization", "Bearer " + key}};
  return request;
}

TEST(KeyRing, FindsWholeKeysAndNothingElse) {
  const KeyRing keys({"alice", "bob"}, {"boss"});
  EXPECT_EQ(keys.size(), 3U);
  for (const char* key : {"", "a", "alic", "alicee", "Alice", "bobalice", " bob"}) {
    EXPECT_EQ(keys.find(key).id, 0U) << key;
    EXPECT_FALSE(keys.find(key).is_admin) << key;
  }
  EXPECT_EQ(keys.find(std::string("bob\0", 4)).id, 0U);
  EXPECT_FALSE(keys.find("alice").is_admin);
  EXPECT_TRUE(keys.find("boss").is_admin);
}

TEST(KeyRing, GivesEachKeyANumberOfItsOwn) {
  const KeyRing keys({"alice", "bob", "alice", "boss"}, {"boss"});
  const std::set<std::uint64_t> ids = {0, keys.find("alice").id, keys.find("bob").id,
                                       keys.find("boss").id};
  EXPECT_EQ(ids.size(), 4U);
  EXPECT_EQ(keys.size(), 3U) << "named twice is one key";
  EXPECT_TRUE(keys.find("boss").is_admin) << "of both kinds is an admin key";
  EXPECT_TRUE(KeyRing().empty());
  EXPECT_EQ(KeyRing().find("").id, 0U);
}

TEST(Caller, IsKnownByItsKeyHoweverItIsSent) {
  const KeyRing keys({"alice", "bob"}, {"boss"});
  Request second;
  second.headers = {{"x-api-key", "alice"}};
  const Caller alice = judge_access(Scope::use, with_key("alice"), keys, true).caller;
  EXPECT_NE(alice.key, 0U);
  EXPECT_EQ(judge_access(Scope::use, second, keys, false).caller.key, alice.key);
  EXPECT_NE(judge_access(Scope::use, with_key("bob"), keys, true).caller.key, alice.key);
}

TEST(Caller, SeesAllWithAnAdminKeyOrWhereThereIsNobodyElse) {
  const auto sees_all = [](const KeyRing& keys, const std::string& key, Scope scope = Scope::use) {
    const Judgement judgement = judge_access(scope, with_key(key), keys, true);
    EXPECT_EQ(judgement.access, Access::granted);
    return judgement.caller.sees_all;
  };
  EXPECT_TRUE(sees_all({}, "any"));
  EXPECT_TRUE(sees_all(KeyRing({"alice"}, {}), "alice"));
  EXPECT_FALSE(sees_all(KeyRing({"alice"}, {"boss"}), "alice"));
  EXPECT_TRUE(sees_all(KeyRing({"alice"}, {"boss"}), "boss"));
  const KeyRing two({"alice", "bob"}, {});
  EXPECT_FALSE(sees_all(two, "alice"));
  EXPECT_FALSE(sees_all(two, "alice", Scope::admin)) << "may manage models from this machine";
}

TEST(Caller, OfAnOpenRouteIsNobody) {
  const KeyRing keys({"alice"}, {"boss"});
  const Judgement judgement = judge_access(Scope::open, with_key("boss"), keys, true);
  EXPECT_EQ(judgement.access, Access::granted);
  EXPECT_EQ(judgement.caller.key, 0U);
  EXPECT_FALSE(judgement.caller.sees_all);
}

TEST(Caller, OfARefusedRequestIsNobody) {
  const KeyRing keys({"alice", "bob"}, {"boss"});
  EXPECT_EQ(judge_access(Scope::use, {}, keys, true).access, Access::key_missing);
  EXPECT_EQ(judge_access(Scope::use, with_key("eve"), keys, true).access, Access::key_unknown);
  const Judgement refused = judge_access(Scope::admin, with_key("bob"), keys, true);
  EXPECT_EQ(refused.access, Access::admin_key_needed);
  EXPECT_EQ(refused.caller.key, 0U);
}

}  // namespace
}  // namespace pleiad::http
