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
  ResponseStore store({10 * kOne});
  store.add(turn("a"));
  ASSERT_TRUE(store.find("a"));
  EXPECT_EQ(store.find("a")->id, "a");
  EXPECT_FALSE(store.find("b"));
  EXPECT_TRUE(store.remove("a"));
  EXPECT_FALSE(store.remove("a"));
  EXPECT_EQ(store.bytes(), 0U);
}

TEST(ResponseStore, LetsGoOfWhatWasKeptForItsTime) {
  double now = 0;
  ResponseStore store({10 * kOne, 60}, [&] { return now; });
  store.add(turn("a"));
  now = 40;
  EXPECT_TRUE(store.find("a")) << "to be used makes it no younger";
  store.add(turn("b", store.find("a")));
  now = 61;
  EXPECT_FALSE(store.find("a"));
  EXPECT_TRUE(store.find("b")->previous) << "a later turn keeps it";
  EXPECT_EQ(store.bytes(), 2 * kOne);
  now = 101;
  EXPECT_FALSE(store.find("b"));
  EXPECT_EQ(store.bytes(), 0U);
}

TEST(ResponseStore, FindsItemsOfAllTurnsThatAreKept) {
  const auto with_items = [](const std::string& id, std::vector<std::string> items,
                             std::shared_ptr<const StoredResponse> previous = {}) {
    auto made = std::make_shared<StoredResponse>(*turn(id, std::move(previous)));
    made->item_ids = std::move(items);
    return made;
  };
  ResponseStore store({100 * kOne});
  const auto first = with_items("a", {"msg_1", "msg_2"});
  store.add(first);
  store.add(with_items("b", {"msg_2", "msg_3"}, first));
  EXPECT_EQ(store.find_item("msg_1")->id, "a");
  EXPECT_EQ(store.find_item("msg_2")->id, "b") << "the later one";
  EXPECT_FALSE(store.find_item("msg_"));
  EXPECT_FALSE(store.find_item("msg_4"));
  EXPECT_TRUE(store.remove("a"));
  EXPECT_EQ(store.find_item("msg_1")->id, "a") << "a later turn keeps it";
  EXPECT_TRUE(store.remove("b"));
  EXPECT_FALSE(store.find_item("msg_1"));
  EXPECT_FALSE(store.find_item("msg_3"));
  EXPECT_EQ(store.bytes(), 0U);
}

TEST(ResponseStore, GivesUpTheLeastRecentlyUsed) {
  ResponseStore store({2 * kOne});
  store.add(turn("a"));
  store.add(turn("b"));
  (void)store.find("a");
  store.add(turn("c"));
  EXPECT_TRUE(store.find("a"));
  EXPECT_FALSE(store.find("b"));
  EXPECT_LE(store.bytes(), 2 * kOne);
}

TEST(ResponseStore, GivesUpNothingForWhatIsTooLargeItself) {
  ResponseStore store({3 * kOne});
  store.add(turn("a"));
  const auto b = turn("b");
  store.add(b);
  auto large = std::make_shared<StoredResponse>(*turn("c"));
  large->body = std::string(3 * kOne, 'x');
  store.add(large);
  store.add(turn("f", turn("e", turn("d", b))));
  EXPECT_FALSE(store.find("c"));
  EXPECT_FALSE(store.find("f")) << "with the turns before it";
  EXPECT_TRUE(store.find("a"));
  EXPECT_TRUE(store.find("b"));
}

TEST(ResponseStore, GivesUpWhatIsReferredToAsLateAsWhatIsAskedFor) {
  ResponseStore store({3 * kOne});
  auto made = std::make_shared<StoredResponse>(*turn("a"));
  made->item_ids = {"msg_1"};
  store.add(made);
  store.add(turn("b"));
  EXPECT_TRUE(store.find_item("msg_1"));
  store.add(turn("c"));
  EXPECT_TRUE(store.find("a"));
  EXPECT_FALSE(store.find("b"));
}

TEST(ResponseStore, CountsEarlierTurnsThatLaterOnesKeep) {
  ResponseStore store({10 * kOne});
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
  ResponseStore store({3 * kOne});
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
