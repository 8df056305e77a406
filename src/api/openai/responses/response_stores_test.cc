#include "api/openai/responses/response_stores.h"

#include <gtest/gtest.h>

namespace pleiad::api::openai {
namespace {

const http::Caller kAlice{.key = 1};
const http::Caller kBob{.key = 2};
const http::Caller kBoss{.key = 3, .sees_all = true};

std::shared_ptr<const StoredResponse> response(const std::string& id, std::size_t bytes = 10) {
  auto made = std::make_shared<StoredResponse>();
  made->id = id;
  made->body = std::string(bytes, 'x');
  return made;
}

TEST(ResponseStores, KeepEachKeysResponsesApart) {
  ResponseStores stores({100'000});
  stores.add(kAlice.key, response("a"));
  EXPECT_TRUE(stores.find(kAlice, "a"));
  EXPECT_FALSE(stores.find(kBob, "a"));
  EXPECT_FALSE(stores.remove(kBob, "a"));
  EXPECT_FALSE(stores.find({}, "a"));
  EXPECT_TRUE(stores.find(kAlice, "a")) << "the others' attempts did nothing";
  EXPECT_TRUE(stores.remove(kAlice, "a"));
  EXPECT_FALSE(stores.find(kAlice, "a"));
}

TEST(ResponseStores, ShowAnAdministratorWhateverIsKept) {
  ResponseStores stores({100'000});
  stores.add(kAlice.key, response("a"));
  stores.add(kBoss.key, response("c"));
  EXPECT_TRUE(stores.find(kBoss, "a"));
  EXPECT_FALSE(stores.find(kBoss, "b"));
  EXPECT_FALSE(stores.find(kAlice, "c"));
  EXPECT_TRUE(stores.remove(kBoss, "a"));
  EXPECT_FALSE(stores.find(kAlice, "a"));
  EXPECT_FALSE(stores.remove(kBoss, "a"));
}

TEST(ResponseStores, FindItemsOfTheCallersOwn) {
  ResponseStores stores({100'000});
  auto made = std::make_shared<StoredResponse>(*response("a"));
  made->item_ids = {"msg_1"};
  stores.add(kAlice.key, made);
  EXPECT_TRUE(stores.find_item(kAlice, "msg_1"));
  EXPECT_FALSE(stores.find_item(kBob, "msg_1"));
  EXPECT_FALSE(stores.find_item({}, "msg_1"));
  EXPECT_TRUE(stores.find_item(kBoss, "msg_1"));
}

TEST(ResponseStores, LetGoOfWhatIsTooOldWhoeverComes) {
  double now = 0;
  ResponseStores stores({100'000, 60}, [&] { return now; });
  auto made = response("a");
  const std::weak_ptr<const StoredResponse> watched = made;
  stores.add(kAlice.key, std::move(made));
  now = 61;
  EXPECT_FALSE(stores.find(kBob, "b"));
  EXPECT_TRUE(watched.expired());
}

TEST(ResponseStores, GiveUpNothingOfAKeyForAnother) {
  ResponseStores stores({4000});
  stores.add(kAlice.key, response("a", 1000));
  for (int i = 0; i < 20; ++i) stores.add(kBob.key, response("b" + std::to_string(i), 1000));
  EXPECT_TRUE(stores.find(kAlice, "a"));
  EXPECT_FALSE(stores.find(kBob, "b0"));
  EXPECT_TRUE(stores.find(kBob, "b19"));
}

}  // namespace
}  // namespace pleiad::api::openai
