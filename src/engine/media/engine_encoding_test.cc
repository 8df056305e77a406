// What runs while a picture is encoded goes on, and what fails or is given up amid it costs nobody
// else anything.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "engine/testing/engine_media_testing.h"

namespace pleiad {
namespace {

using ::testing::HasSubstr;
using testing_support::ask;
using testing_support::CollectingSink;
using testing_support::EngineMediaTest;
using testing_support::expect_same_reply;
using testing_support::MediaBook;
using testing_support::random_tokens;
using testing_support::Reply;
using testing_support::request;
using testing_support::some_picture;
using Kind = EngineFailure::Kind;

TEST_F(EngineMediaTest, RunningRepliesGoOnWhileAPictureIsEncoded) {
  Engine engine(*model_, options());
  const auto streaming = std::make_shared<CollectingSink>();
  EngineRequest stream = request(random_tokens(10, 1), 1, 400);
  const Reply expected = alone(stream);
  vision_.on_part = [&](int) { return streaming->n_tokens() >= 200; };
  engine.submit(std::move(stream), streaming);
  streaming->wait_for_tokens(3);
  MediaBook book;
  book.text(random_tokens(5, 2)).picture(some_picture(1)).text(random_tokens(5, 3));
  const Reply seen = ask(engine, about(book));
  ASSERT_TRUE(seen.result);
  EXPECT_EQ(seen.result->stats.media.pictures.encoded, 1);
  expect_same_reply(streaming->wait(), expected);
  vision_.on_part = [](int) { return true; };
  expect_same_reply(seen, alone(about(book)));
  EXPECT_GT(engine.stats().longest_encode_stall, 0);
}

TEST_F(EngineMediaTest, PromptsAndPicturesTakeTurnsBesideStreams) {
  Engine engine(*model_, options());
  const auto streaming = std::make_shared<CollectingSink>();
  engine.submit(request(random_tokens(10, 1), 1, 2000), streaming);
  streaming->wait_for_tokens(3);
  std::atomic<bool> text_done = false;
  vision_.on_part = [&](int) { return text_done.load(); };
  const auto waiting = std::make_shared<CollectingSink>();
  MediaBook book;
  book.text(random_tokens(5, 2)).picture(some_picture(1)).text(random_tokens(5, 3));
  engine.submit(about(book), waiting);
  EXPECT_TRUE(ask(engine, request(random_tokens(300, 4), 4, 2)).result)
      << "a prompt that came after the picture";
  text_done = true;
  EXPECT_TRUE(waiting->wait().result);
  streaming->wants_more = [](std::size_t) { return false; };
  streaming->wait();
}

TEST_F(EngineMediaTest, WhatFailsCostsItsOwnRequestAlone) {
  Engine engine(*model_, options());
  MediaBook book;
  book.text(random_tokens(5, 2)).picture(some_picture(1)).text(random_tokens(5, 3));
  const auto streaming = std::make_shared<CollectingSink>();
  EngineRequest stream = request(random_tokens(10, 1), 1, 300);
  const Reply expected = alone(stream);
  engine.submit(std::move(stream), streaming);

  vision_.on_begin = [] { throw LoadError("tower.gguf: no memory for it"); };
  Reply reply = ask(engine, about(book));
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, Kind::internal);
  EXPECT_THAT(reply.failure->message, HasSubstr("picture 0: tower.gguf: no memory for it"));
  vision_.on_begin = [] {};
  vision_.on_part = [](int part) {
    if (part == 1) throw std::bad_alloc();
    return false;
  };
  reply = ask(engine, about(book));
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, Kind::out_of_memory);
  EXPECT_THAT(reply.failure->message, HasSubstr("picture 0: there is no memory"));
  EXPECT_EQ(vision_.n_alive, 0);
  vision_.on_part = [](int) { return true; };
  reply = ask(engine, about(book));
  expect_same_reply(streaming->wait(), expected);
  expect_same_reply(reply, alone(about(book)));
}

TEST_F(EngineMediaTest, CancellingAndDeadlinesEndAnEncodingInItsMiddle) {
  Engine engine(*model_, options());
  MediaBook book;
  book.text(random_tokens(5, 2)).picture(some_picture(1)).text(random_tokens(5, 3));
  std::atomic<int> n_parts = 0;
  vision_.on_part = [&](int) {
    ++n_parts;
    return false;
  };
  const auto sink = std::make_shared<CollectingSink>();
  const Engine::RequestId id = engine.submit(about(book), sink);
  while (n_parts < 3) std::this_thread::yield();
  engine.cancel(id);
  const Reply cancelled = sink->wait();
  ASSERT_TRUE(cancelled.result);
  EXPECT_EQ(cancelled.result->reason, FinishReason::cancelled);
  EngineRequest hurried = about(book);
  hurried.deadline = monotonic_seconds() + 0.01;
  const Reply late = ask(engine, std::move(hurried));
  ASSERT_TRUE(late.failure);
  EXPECT_EQ(late.failure->kind, Kind::deadline);
  vision_.on_part = [](int) { return true; };
  expect_same_reply(ask(engine, about(book)), alone(about(book)));
  EXPECT_EQ(vision_.n_alive, 0);
}

TEST_F(EngineMediaTest, APictureThatSomebodyElseWantsIsNotGivenUp) {
  Engine engine(*model_, options());
  std::atomic<bool> may_end = false;
  std::atomic<int> n_parts = 0;
  vision_.on_part = [&](int) {
    ++n_parts;
    return may_end.load();
  };
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  std::vector<Engine::RequestId> ids;
  for (std::uint32_t i = 0; i < 2; ++i) {
    MediaBook book;
    book.text(random_tokens(5, i)).picture(some_picture(1)).text(random_tokens(5, 3));
    sinks.push_back(std::make_shared<CollectingSink>());
    ids.push_back(engine.submit(about(book), sinks.back()));
  }
  while (n_parts < 3) std::this_thread::yield();
  engine.cancel(ids[0]);
  EXPECT_EQ(sinks[0]->wait().result->reason, FinishReason::cancelled);
  may_end = true;
  const Reply other = sinks[1]->wait();
  ASSERT_TRUE(other.result);
  EXPECT_EQ(other.result->stats.media.pictures.encoded, 1);
  EXPECT_EQ(vision_.n_begun, 1);
}

TEST_F(EngineMediaTest, TheDestructorWaitsForNoPicture) {
  vision_.on_part = [](int) { return false; };
  const auto sink = std::make_shared<CollectingSink>();
  {
    Engine engine(*model_, options());
    MediaBook book;
    book.picture(some_picture(1)).text(random_tokens(5, 3));
    engine.submit(about(book), sink);
    while (vision_.n_begun == 0) std::this_thread::yield();
  }
  const Reply reply = sink->wait();
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, Kind::shutting_down);
  EXPECT_EQ(vision_.n_alive, 0);
}

}  // namespace
}  // namespace pleiad
