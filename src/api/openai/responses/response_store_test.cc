#include "api/openai/responses/response_store.h"

#include <gtest/gtest.h>

namespace pleiad::api::openai {
namespace {

std::shared_ptr<const StoredResponse> turn(const std::string& id,
                                           std::shared_ptr<const StoredResponse> previous = {}) {
  auto response = std::make_shared<StoredResponse>();
  response->id = id;
  response->body = std::string(1000, 'x');
  response->n_turns = previous ? previous->n_turns + 1 : 1;
  response->previous = std::move(previous);
  return response;
}

const std::size_t kOne = turn("a")->bytes();

TEST(ResponseStore, GivesBackWhatItKeeps) {
  ResponseStore store(10 * kOne);
  store.add(turn("a"));
  ASSERT_TRUE(store.find("a"));
  EXPECT_EQ(store.find("a")->id, "a");
  EXPECT_FALSE(store.find("b"));
  EXPECT_TRUE(store.remove("a"));
  EXPECT_FALSE(store.remove("a"));
  EXPECT_EQ(store.bytes(), 0U);
}

TEST(ResponseStore, GivesUpTheLeastRecentlyUsed) {
  ResponseStore store(2 * kOne);
  store.add(turn("a"));
  store.add(turn("b"));
  (void)store.find("a");
  store.add(turn("c"));
  EXPECT_TRUE(store.find("a"));
  EXPECT_FALSE(store.find("b"));
  EXPECT_LE(store.bytes(), 2 * kOne);
}

TEST(ResponseStore, CountsEarlierTurnsThatLaterOnesKeep) {
  ResponseStore store(10 * kOne);
  const auto first = turn("a");
  store.add(first);
  store.add(turn("b", first));
  EXPECT_EQ(store.bytes(), 2 * kOne);
  store.remove("a");
  EXPECT_EQ(store.bytes(), 2 * kOne);  // b needs it
  ASSERT_TRUE(store.find("b"));
  EXPECT_EQ(store.find("b")->previous->id, "a");
  store.remove("b");
  EXPECT_EQ(store.bytes(), 0U);
}

TEST(ResponseStore, StaysWithinItsBudgetWhenAConversationIsLargerThanThat) {
  ResponseStore store(3 * kOne);
  std::shared_ptr<const StoredResponse> last;
  for (int i = 0; i < 10; ++i) {
    last = turn(std::string(1, static_cast<char>('a' + i)), last);
    store.add(last);
    EXPECT_LE(store.bytes(), 3 * kOne);
  }
  EXPECT_FALSE(store.find("j"));
  store.add(turn("z"));
  EXPECT_TRUE(store.find("z"));
}

}  // namespace
}  // namespace pleiad::api::openai
