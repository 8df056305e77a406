// What media of requests may take: of a request, of memory, of time, of the queue.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <memory>
#include <string>

#include "serving/media/media.h"
#include "serving/media/prepare_media.h"
#include "serving/media/waiting_memory.h"
#include "serving/testing/media_fixture.h"

namespace pleiad::serving {
namespace {

using ::testing::HasSubstr;

class MediaLimitsTest : public MediaFixture {};

TEST_F(MediaLimitsTest, AreLimitedInNumberAndPixels) {
  tools_.most_bytes = 20'000'000;
  AnswerRequest many = picture_request("m", {});
  for (std::size_t i = 0; i <= kMostMedia; ++i) {
    many.media.push_back(test_part("48x48", "part " + std::to_string(i)));
  }
  EXPECT_EQ(refusal(many).message,
            "part 100: one request may have 100 pictures, sounds, videos and documents at most");
  AnswerRequest large = picture_request("m", {});
  for (int i = 0; i < 4; ++i) {
    large.media.push_back(test_part("1600x1600", "part " + std::to_string(i)));
  }
  large.media_budget = 1120;
  // 33 x 33 soft tokens of 48 x 48 pixels of 3 bytes.
  const int fits = static_cast<int>(tools_.most_bytes / (33 * 33 * 48 * 48 * 3));
  const ServiceError error = refusal(large);
  EXPECT_EQ(error.field, "part " + std::to_string(fits));
  EXPECT_THAT(error.message, HasSubstr("smaller max_soft_tokens"));
}

TEST_F(MediaLimitsTest, OfAllRequestsTakeNoMoreMemoryThanIsThere) {
  constexpr std::uint64_t kOnePicture = 768 * 768 * 3;
  tools_.waiting = std::make_shared<WaitingMemory>(2 * kOnePicture + 2);
  EXPECT_EQ(refusal(picture_request("m", {"480x480", "480x481"})).code, ServiceError::Code::busy);
  EXPECT_EQ(ask(picture_request("m", {"480x480"}))->result().media[0].tokens, 256);
}

TEST_F(MediaLimitsTest, OfOneCallerTakeHalfOfTheMemory) {
  WaitingMemory memory(100);
  EXPECT_FALSE(memory.take(1, 51));
  EXPECT_TRUE(memory.take(1, 50));
  EXPECT_FALSE(memory.take(1, 1));
  EXPECT_TRUE(memory.take(2, 40));
  EXPECT_FALSE(memory.take(3, 11)) << "all together";
  memory.give_back(1, 50);
  EXPECT_TRUE(memory.take(3, 11));
  EXPECT_TRUE(memory.take(1, 49));
  EXPECT_FALSE(memory.take(2, 1));
}

TEST_F(MediaLimitsTest, WhatStaysForLongLeavesRoomForTheRest) {
  WaitingMemory memory(100);
  EXPECT_FALSE(memory.take(1, 51, Stay::lasting));
  EXPECT_TRUE(memory.take(1, 50, Stay::lasting));
  EXPECT_TRUE(memory.take(2, 25, Stay::lasting));
  EXPECT_FALSE(memory.take(3, 1, Stay::lasting)) << "three quarters, all together";
  EXPECT_TRUE(memory.take(1, 25)) << "the same caller's, beside them";
  EXPECT_FALSE(memory.take(2, 1));
  memory.give_back(1, 50, Stay::lasting);
  EXPECT_TRUE(memory.take(3, 50, Stay::lasting));
  memory.give_back(1, 25);
  EXPECT_FALSE(memory.take(1, 1, Stay::lasting));
  EXPECT_TRUE(memory.take(2, 25));
}

TEST_F(MediaLimitsTest, OfAllRequestsTakeASmallPartOfTheMachine) {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  EXPECT_EQ(waiting_memory_bytes(8 * kGiB), kGiB / 2);
  EXPECT_EQ(waiting_memory_bytes(1000 * kGiB), kGiB);
}

TEST_F(MediaLimitsTest, OfAnotherCallerHaveTheirOwnShare) {
  constexpr std::uint64_t kOnePicture = 768 * 768 * 3;
  tools_.waiting = std::make_shared<WaitingMemory>(2 * kOnePicture);
  ASSERT_TRUE(tools_.waiting->take(7, kOnePicture));
  AnswerRequest request = picture_request("m", {"480x480"});
  request.caller = 7;
  EXPECT_EQ(refusal(request).code, ServiceError::Code::busy);
  AnswerRequest others = picture_request("m", {"480x480"});
  others.caller = 8;
  EXPECT_EQ(ask(others)->result().media[0].tokens, 256);
}

TEST_F(MediaLimitsTest, TakeTheirTimeTogether) {
  tools_.seconds = 0;
  const ServiceError error = refusal(picture_request("m", {"480x480"}));
  EXPECT_THAT(error.message, HasSubstr("takes longer than 0 s"));
}

TEST_F(MediaLimitsTest, OfAClientWhoIsGoneAreGivenUp) {
  std::promise<void> reads;
  std::promise<void> gone;
  pictures_.while_reading = [&] {
    reads.set_value();
    gone.get_future().wait();
  };
  const auto answer = ask(picture_request("m", {"480x480"}));
  reads.get_future().wait();
  ticket_->cancel();
  gone.set_value();
  EXPECT_EQ(answer->result().reason, FinishReason::cancelled);
  EXPECT_TRUE(script_.get(&TestScript::prompts).empty());
}

TEST_F(MediaLimitsTest, AreReadBesideAnswersToTexts) {
  std::promise<void> reads;
  std::promise<void> go_on;
  pictures_.while_reading = [&] {
    reads.set_value();
    go_on.get_future().wait();
  };
  const auto slow = ask(picture_request("m", {"480x480"}));
  reads.get_future().wait();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask(chat_request("m", "Hi"))->result().reason, FinishReason::stop_token);
  }
  EXPECT_FALSE(slow->ended());
  go_on.set_value();
  EXPECT_EQ(slow->result().reason, FinishReason::stop_token);
}

TEST_F(MediaLimitsTest, LeaveMostPlacesInTheQueueToTexts) {
  std::promise<void> go_on;
  const std::shared_future<void> held = go_on.get_future().share();
  pictures_.while_reading = [&] { held.wait(); };
  options_.pool.max_waiting = 4;
  const auto first = ask(picture_request("m", {"480x480"}));
  Awaited<Service::TokenCount> second;
  const auto counting =
      service().count_tokens(picture_request("m", {"480x481"}), second.callback());
  EXPECT_EQ(refusal(picture_request("m", {"480x482"})).code, ServiceError::Code::busy);
  EXPECT_EQ(ask(chat_request("m", "Hi"))->result().reason, FinishReason::stop_token);
  go_on.set_value();
  EXPECT_EQ(first->result().media.size(), 1U);
  EXPECT_GT(second.value().tokens, 258);
  EXPECT_EQ(ask(picture_request("m", {"480x480"}))->result().media.size(), 1U) << "places are free";
}

}  // namespace
}  // namespace pleiad::serving
