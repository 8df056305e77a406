#include "api/common/request_owner.h"

#include <gtest/gtest.h>

#include "api/common/testing/api_harness.h"

namespace pleiad::api {
namespace {

serving::AnswerRequest owned(http::Caller caller, bool cache_per_key) {
  ApiHarness api;
  api.context.cache_per_key = cache_per_key;
  http::Request request;
  request.id = "r7";
  request.caller = caller;
  serving::AnswerRequest answer;
  set_owner(answer, request, api.context);
  EXPECT_EQ(answer.id, "r7");
  return answer;
}

TEST(RequestOwner, HasACacheOfItsOwnWhereKeysAreKeptApart) {
  EXPECT_EQ(owned({.key = 3}, true).cache_scope, CacheScope(3));
  EXPECT_EQ(owned({.key = 4, .sees_all = true}, true).cache_scope, CacheScope(4));
  EXPECT_EQ(owned({.key = 3}, false).cache_scope, CacheScope::common);
  EXPECT_EQ(owned({}, true).cache_scope, CacheScope::common);
}

TEST(RequestOwner, SeesTextOfItsOwnCacheAndAsAnAdministratorOfACommonOne) {
  EXPECT_TRUE(owned({.key = 3}, true).sees_cached_text);
  EXPECT_FALSE(owned({.key = 3}, false).sees_cached_text);
  EXPECT_TRUE(owned({.key = 4, .sees_all = true}, false).sees_cached_text);
  EXPECT_FALSE(owned({}, false).sees_cached_text);
}

}  // namespace
}  // namespace pleiad::api
