// Pictures and sound in the engine, on the demo model and with towers that only count: what a
// reply is must not show where its media came from, when, and beside whom.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "backend/cpu/cpu_backend.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/testing/paths.h"
#include "engine/testing/engine_test_support.h"
#include "engine/testing/fake_towers.h"

namespace pleiad {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing_support::ask;
using testing_support::CollectingSink;
using testing_support::expect_same_reply;
using testing_support::FakeAudio;
using testing_support::FakeVision;
using testing_support::MediaBook;
using testing_support::random_tokens;
using testing_support::Reply;
using testing_support::request;
using testing_support::some_picture;
using testing_support::some_sound;
using Kind = EngineFailure::Kind;

class EngineMediaTest : public ::testing::Test {
 protected:
  static constexpr int kMaxRows = 96;

  static void SetUpTestSuite() {
    backend_ = new cpu::CpuBackend({.isa = "", .n_threads = 1, .max_rows = kMaxRows});
    LoadOptions options;
    options.max_rows = kMaxRows;
    options.max_logit_rows = 32;
    model_ = new LoadedModel(source_path("models/demo/pleiad-demo.gguf"), *backend_, options);
  }
  static void TearDownTestSuite() {
    delete model_;
    delete backend_;
  }

  EngineOptions options() {
    EngineOptions options;
    options.kv_bytes = std::uint64_t{256} << 20;
    options.towers.vision = [this]() -> VisionEncoder& { return vision_; };
    options.towers.audio = [this]() -> AudioEncoder& { return audio_; };
    return options;
  }
  static EngineRequest about(const MediaBook& book, std::uint64_t seed = 1,
                             std::int64_t max_tokens = 8) {
    EngineRequest asked = request(book.tokens, seed, max_tokens);
    asked.media = book.media;
    return asked;
  }
  static EngineRequest cold(EngineRequest request) {
    request.use_cache = false;
    return request;
  }
  /// In an engine of its own: no other one may be at work.
  Reply alone(const EngineRequest& request) {
    Engine engine(*model_, options());
    EngineRequest copy;
    copy.prompt = request.prompt;
    copy.media = request.media;
    copy.generation = request.generation;
    return ask(engine, cold(std::move(copy)));
  }
  /// What the model itself makes of the prompt: the best next token.
  text::TokenId best_next(const MediaBook& book) {
    Model& model = model_->model();
    const auto cache = model.make_kv_cache({KvType::bf16, 64});
    KvSequence sequence(*cache);
    std::vector<std::vector<float>> rows;
    for (const PromptMedia& one : book.media) {
      rows.push_back(one.sound ? audio_.rows_of(*one.sound) : vision_.rows_of(*one.picture));
    }
    std::vector<SoftRows> soft;
    for (std::size_t i = 0; i < rows.size(); ++i) soft.push_back({book.media[i].first, rows[i]});
    sequence.reserve(std::ssize(book.tokens));
    Slice slice = {&sequence, book.tokens, WantLogits::last, Phase::prompt};
    slice.soft = soft;
    const auto logits = model.forward({&slice, 1}, *cache).row(0);
    return static_cast<text::TokenId>(std::max_element(logits.begin(), logits.end()) -
                                      logits.begin());
  }

  static inline cpu::CpuBackend* backend_ = nullptr;
  static inline LoadedModel* model_ = nullptr;
  FakeVision vision_{model_->model().info().model_dim};
  FakeAudio audio_{model_->model().info().model_dim};
};

TEST_F(EngineMediaTest, TheModelSeesWhatTheTowerMadeOfEachPictureInItsPlace) {
  Engine engine(*model_, options());
  for (const std::uint8_t second : {2, 3, 4}) {
    MediaBook book;
    book.text(random_tokens(5, 1)).picture(some_picture(1)).text(random_tokens(3, 2));
    book.picture(some_picture(second, 30)).text(random_tokens(4, 3));
    EngineRequest asked = about(book, 1, 1);
    asked.generation.sampling.temperature = 0;
    const Reply reply = ask(engine, std::move(asked));
    ASSERT_EQ(reply.tokens.size(), 1U);
    EXPECT_EQ(reply.ids().front(), best_next(book)) << int{second};
  }
}

TEST_F(EngineMediaTest, AnotherPictureInTheSamePlaceIsAnotherPrompt) {
  Engine engine(*model_, options());
  std::vector<std::vector<text::TokenId>> seen;
  // Its soft tokens begin and end at and beside the borders of pages.
  for (const std::size_t before : {3U, 44U, 63U, 64U, 65U, 100U}) {
    for (const std::uint8_t number : {1, 2}) {
      MediaBook book;
      book.text(random_tokens(before, 1)).picture(some_picture(number)).text(random_tokens(90, 2));
      const Reply reply = ask(engine, about(book));
      expect_same_reply(reply, alone(about(book)));
      EXPECT_EQ(reply.result->stats.cached_tokens, number == 1 ? 0 : (before / 64) * 64) << before;
      seen.push_back(reply.ids());
    }
    EXPECT_NE(seen[seen.size() - 1], seen[seen.size() - 2]) << before;
    engine.clear_cache();
  }
}

TEST_F(EngineMediaTest, ThoseWhoseTokensAreTheSameAtTheSameTimeAreToldApart) {
  Engine engine(*model_, options());
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  std::vector<EngineRequest> expected;
  for (const std::uint8_t number : {1, 2, 1, 3}) {
    MediaBook book;
    book.text(random_tokens(10, 1)).picture(some_picture(number)).text(random_tokens(150, 2));
    sinks.push_back(std::make_shared<CollectingSink>());
    engine.submit(about(book), sinks.back());
    expected.push_back(about(book));
  }
  for (const auto& sink : sinks) sink->wait();
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    expect_same_reply(sinks[i]->wait(), alone(expected[i]));
  }
}

TEST_F(EngineMediaTest, PixelsAreLetGoOfOnceTheyAreEncoded) {
  Engine engine(*model_, options());
  for (const bool stands_on_cached_pages : {false, true}) {
    MediaBook book;
    book.text(random_tokens(10, 1)).picture(some_picture(1, 60)).text(random_tokens(90, 2));
    const std::weak_ptr<const PictureInput> picture = book.media[0].picture;
    EngineRequest asked = about(book);
    book.media.clear();
    const auto sink = std::make_shared<CollectingSink>();
    bool is_held = true;
    sink->wants_more = [&](std::size_t) {
      is_held = !picture.expired();
      return true;
    };
    engine.submit(std::move(asked), sink);
    ASSERT_TRUE(sink->wait().result);
    EXPECT_FALSE(is_held) << "on cached pages: " << stands_on_cached_pages;
  }
}

TEST_F(EngineMediaTest, ASecondTurnComputesNothingOfThePicture) {
  Engine engine(*model_, options());
  MediaBook book;
  book.text(random_tokens(10, 1)).picture(some_picture(1, 60)).text(random_tokens(60, 2));
  const Reply first = ask(engine, about(book));
  EXPECT_EQ(first.result->stats.media.pictures.encoded, 1);
  EXPECT_EQ(first.result->stats.media.pictures.cached, 0);
  ASSERT_EQ(first.result->media.size(), 1U);
  EXPECT_FALSE(first.result->media[0].cached);
  EXPECT_EQ(vision_.n_begun, 1);
  book.text(first.ids()).text(random_tokens(20, 3));
  const Reply second = ask(engine, about(book, 2));
  EXPECT_EQ(second.result->stats.cached_tokens, 128) << "the picture ends at 70";
  EXPECT_EQ(second.result->stats.media.pictures.encoded, 0);
  EXPECT_EQ(second.result->stats.media.pictures.cached, 1);
  EXPECT_TRUE(second.result->media[0].cached);
  EXPECT_EQ(second.result->stats.media.seconds(), 0);
  EXPECT_EQ(vision_.n_begun, 1);
  expect_same_reply(second, alone(about(book, 2)));
  const EngineStats stats = engine.stats();
  EXPECT_EQ(stats.media.pictures.encoded, 1);
  EXPECT_EQ(stats.media.pictures.cached, 1);
  EXPECT_GT(stats.encodings_bytes, 0U);
}

// The cache of pages and that of pictures: what one has forgotten the other may have.
TEST_F(EngineMediaTest, APictureIsFoundInEveryPromptThatShowsIt) {
  Engine engine(*model_, options());
  MediaBook one;
  one.text(random_tokens(4, 1)).picture(some_picture(1)).text(random_tokens(4, 2));
  ask(engine, about(one));
  MediaBook other;
  other.text(random_tokens(30, 3)).picture(some_picture(2)).text(random_tokens(5, 4));
  other.picture(some_picture(1)).picture(some_picture(1)).text(random_tokens(3, 5));
  const Reply reply = ask(engine, about(other));
  EXPECT_EQ(reply.result->stats.media.pictures.encoded, 1);
  EXPECT_EQ(reply.result->stats.media.pictures.cached, 2);
  EXPECT_FALSE(reply.result->media.at(0).cached);
  EXPECT_TRUE(reply.result->media.at(1).cached);
  EXPECT_TRUE(reply.result->media.at(2).cached);
  EXPECT_EQ(vision_.n_begun, 2);
  expect_same_reply(reply, alone(about(other)));
}

TEST_F(EngineMediaTest, SeveralThatShowOnePictureHaveItEncodedOnce) {
  Engine engine(*model_, options());
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  std::vector<EngineRequest> expected;
  for (std::uint32_t i = 0; i < 5; ++i) {
    MediaBook book;
    book.text(random_tokens(5 + i, i)).picture(some_picture(1)).text(random_tokens(9, 10 + i));
    sinks.push_back(std::make_shared<CollectingSink>());
    engine.submit(about(book, i), sinks.back());
    expected.push_back(about(book, i));
  }
  std::int64_t n_encoded = 0;
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    n_encoded += sinks[i]->wait().result->stats.media.pictures.encoded;
  }
  EXPECT_EQ(vision_.n_begun, 1);
  EXPECT_EQ(n_encoded, 1);
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    expect_same_reply(sinks[i]->wait(), alone(expected[i]));
  }
}

TEST_F(EngineMediaTest, AScopeFindsItsOwnPicturesAlone) {
  Engine engine(*model_, options());
  MediaBook book;
  book.text(random_tokens(5, 1)).picture(some_picture(1)).text(random_tokens(70, 2));
  ask(engine, about(book));
  EngineRequest others = about(book);
  others.cache_scope = CacheScope{5};
  EXPECT_EQ(ask(engine, std::move(others)).result->stats.media.pictures.encoded, 1);
  EXPECT_EQ(vision_.n_begun, 2);
}

TEST_F(EngineMediaTest, ARequestWithoutTheCacheEncodesAnewAndKeepsNothing) {
  Engine engine(*model_, options());
  MediaBook book;
  book.text(random_tokens(5, 1)).picture(some_picture(1)).picture(some_picture(1));
  book.text(random_tokens(5, 2));
  const Reply first = ask(engine, cold(about(book)));
  EXPECT_EQ(first.result->stats.media.pictures.encoded, 1) << "once for both places";
  EXPECT_EQ(engine.stats().encodings_bytes, 0U);
  expect_same_reply(ask(engine, cold(about(book))), first);
  EXPECT_EQ(vision_.n_begun, 2);
  expect_same_reply(ask(engine, about(book)), first);
  EXPECT_EQ(vision_.n_begun, 3);
  expect_same_reply(ask(engine, cold(about(book))), first);
  EXPECT_EQ(vision_.n_begun, 4);
}

TEST_F(EngineMediaTest, TheOldestPicturesGoWhereTheirBytesAreMany) {
  EngineOptions few = options();
  const auto picture_bytes = static_cast<std::uint64_t>(20 * vision_.info().model_dim) * 4;
  few.encodings_bytes = 2 * picture_bytes;
  Engine engine(*model_, few);
  const auto show = [&](std::uint8_t number, std::uint32_t seed) {
    MediaBook book;  // too short for a page
    book.text(random_tokens(5, seed)).picture(some_picture(number)).text(random_tokens(5, seed));
    ask(engine, about(book));
    return vision_.n_begun.load();
  };
  EXPECT_EQ(show(1, 1), 1);
  EXPECT_EQ(show(2, 2), 2);
  EXPECT_EQ(show(1, 3), 2);
  EXPECT_EQ(show(3, 4), 3) << "2 goes";
  EXPECT_EQ(show(1, 5), 3);
  EXPECT_EQ(show(2, 6), 4);
  EXPECT_EQ(engine.stats().encodings_bytes, 2 * picture_bytes);
  engine.clear_cache();
  EXPECT_EQ(show(1, 7), 5);
}

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
  EXPECT_EQ(reply.failure->kind, Kind::no_memory);
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

TEST_F(EngineMediaTest, RefusesPicturesThatStandNowhere) {
  Engine engine(*model_, options());
  const auto refused = [&](std::vector<PromptMedia> pictures) {
    EngineRequest asked = request(random_tokens(40, 1));
    asked.media = std::move(pictures);
    const Reply reply = ask(engine, std::move(asked));
    return reply.failure && reply.failure->kind == Kind::bad_request ? reply.failure->message : "";
  };
  EXPECT_THAT(refused({{30, 20, some_picture(1)}}), HasSubstr("picture 0: expected"));
  EXPECT_THAT(refused({{-1, 20, some_picture(1)}}), HasSubstr("picture 0: expected"));
  EXPECT_THAT(refused({{0, 20, some_picture(1)}, {19, 20, some_picture(1)}}),
              HasSubstr("picture 1: expected"));
  EXPECT_THAT(refused({{0, 19, some_picture(1)}}),
              HasSubstr("picture 0: the prompt has 19 places for its 20 soft tokens"));
  EXPECT_EQ(refused({{0, 20, some_picture(1)}, {20, 20, some_picture(2)}}), "");
}

TEST_F(EngineMediaTest, AModelWithoutATowerSaysSoByName) {
  LoadOptions loaded;
  loaded.max_rows = kMaxRows;
  loaded.max_logit_rows = 32;
  LoadedModel blind(golden_path("models/e4b/e4b.gguf"), *backend_, loaded);
  EngineOptions its_own = options();
  its_own.towers = {};
  Engine engine(blind, its_own);
  MediaBook book;
  book.picture(some_picture(1)).text(random_tokens(5, 3));
  const Reply reply = ask(engine, about(book));
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, Kind::bad_request);
  EXPECT_THAT(reply.failure->message, HasSubstr(blind.checkpoint().config().name));
  EXPECT_THAT(reply.failure->message, HasSubstr("has no vision tower"));
}

TEST_F(EngineMediaTest, AModelWithoutAnAudioTowerSaysSoByName) {
  EngineOptions deaf = options();
  deaf.towers.audio = {};
  Engine engine(*model_, deaf);
  if (model_->has_audio()) GTEST_SKIP() << "the demo model hears";
  MediaBook book;
  book.sound(some_sound(1)).text(random_tokens(5, 3));
  const Reply reply = ask(engine, about(book));
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, Kind::bad_request);
  EXPECT_EQ(reply.failure->message,
            model_->checkpoint().config().name + " has no audio tower that can be used");
}

TEST_F(EngineMediaTest, SoundIsHeardWhereItStandsAndKnownWhenItComesAgain) {
  Engine engine(*model_, options());
  MediaBook book;
  book.text(random_tokens(5, 1)).sound(some_sound(1, 30)).text(random_tokens(3, 2));
  book.picture(some_picture(1, 30)).text(random_tokens(20, 3));
  EngineRequest greedy = about(book, 1, 1);
  greedy.generation.sampling.temperature = 0;
  const Reply first = ask(engine, std::move(greedy));
  EXPECT_EQ(first.ids(), std::vector<text::TokenId>{best_next(book)});
  EXPECT_EQ(first.result->stats.media.sounds.encoded, 1);
  EXPECT_EQ(first.result->stats.media.pictures.encoded, 1);
  book.text(random_tokens(60, 4));
  const Reply second = ask(engine, about(book, 2));
  EXPECT_EQ(second.result->stats.cached_tokens, 64) << "amid the picture";
  EXPECT_EQ(second.result->stats.media.sounds.cached, 1);
  EXPECT_EQ(second.result->stats.media.sounds.seconds, 0);
  EXPECT_EQ(second.result->stats.media.pictures.cached, 1);
  expect_same_reply(second, alone(about(book, 2)));
  // The other tower's, in the place of the first: no page of it is the same.
  MediaBook seen;
  seen.text(random_tokens(5, 1)).picture(some_picture(1, 30)).text(random_tokens(3, 2));
  seen.picture(some_picture(1, 30)).text(random_tokens(80, 3));
  const Reply other = ask(engine, about(seen, 2));
  EXPECT_EQ(other.result->stats.cached_tokens, 0);
  expect_same_reply(other, alone(about(seen, 2)));
  const EngineStats stats = engine.stats();
  EXPECT_EQ(stats.media.sounds.encoded, 1);
  EXPECT_EQ(stats.media.sounds.cached, 1);
}

TEST_F(EngineMediaTest, RunningRepliesGoOnWhileSoundIsEncoded) {
  Engine engine(*model_, options());
  const auto streaming = std::make_shared<CollectingSink>();
  EngineRequest stream = request(random_tokens(10, 1), 1, 400);
  const Reply expected = alone(stream);
  audio_.on_part = [&](int) { return streaming->n_tokens() >= 100; };
  engine.submit(std::move(stream), streaming);
  streaming->wait_for_tokens(3);
  MediaBook book;
  book.text(random_tokens(5, 2)).sound(some_sound(1)).text(random_tokens(5, 3));
  const std::weak_ptr<const SoundInput> sound = book.media[0].sound;
  EngineRequest asked = about(book);
  book.media.clear();
  const Reply heard = ask(engine, std::move(asked));
  ASSERT_TRUE(heard.result);
  EXPECT_EQ(heard.result->stats.media.sounds.encoded, 1);
  EXPECT_TRUE(sound.expired()) << "samples are let go of";
  expect_same_reply(streaming->wait(), expected);
  audio_.on_begin = [] { throw LoadError("tower.gguf: no memory for it"); };
  MediaBook next;
  next.sound(some_sound(2)).text(random_tokens(5, 3));
  const Reply failed = ask(engine, about(next));
  ASSERT_TRUE(failed.failure);
  EXPECT_THAT(failed.failure->message, HasSubstr("sound 0: tower.gguf: no memory for it"));
}

TEST_F(EngineMediaTest, AReplyIsWhatASessionGives) {
  MediaBook book;
  book.text(random_tokens(70, 1)).picture(some_picture(1, 40)).text(random_tokens(30, 2));
  book.picture(some_picture(2)).text(random_tokens(5, 3)).sound(some_sound(2)).text({9});
  SessionOptions session_options;
  session_options.towers = options().towers;
  Session session(*model_, session_options);
  const auto generate = [&](const MediaBook& asked, const Session::OnPrompt& on_prompt = {}) {
    GenerationOptions generation = request({}, 9, 20).generation;
    generation.sampling.n_logprobs.reset();
    std::vector<text::TokenId> tokens;
    const GenerationResult result = session.generate(
        {asked.tokens, asked.media}, generation,
        [&](text::TokenId token) {
          tokens.push_back(token);
          return true;
        },
        on_prompt);
    return std::pair(tokens, result.stats);
  };
  Engine engine(*model_, options());
  const auto expected = ask(engine, about(book, 9, 20)).ids();
  auto [tokens, stats] = generate(book);
  EXPECT_EQ(tokens, expected);
  EXPECT_EQ(stats.media.pictures.encoded, 2);
  EXPECT_EQ(stats.media.sounds.encoded, 1);
  // Again, from where the cache parts; watched, so in smaller chunks.
  std::tie(tokens, stats) = generate(book, [](auto) { return true; });
  EXPECT_EQ(tokens, expected);
  EXPECT_EQ(stats.media.pictures.encoded, 0);
  EXPECT_EQ(stats.media.pictures.cached, 2);
  EXPECT_EQ(stats.media.sounds.cached, 1);
  // Another picture in the first one's place: nothing from there on is reused.
  MediaBook other = book;
  other.media[0].picture = some_picture(3, 40);
  std::tie(tokens, stats) = generate(other);
  EXPECT_EQ(stats.cached_tokens, 70);
  EXPECT_EQ(stats.media.pictures.encoded, 1);
  EXPECT_EQ(stats.media.pictures.cached, 1) << "the second one is the same";
  EXPECT_EQ(tokens, ask(engine, about(other, 9, 20)).ids());
}

TEST_F(EngineMediaTest, ASessionTellsHowFarItsPicturesAre) {
  SessionOptions session_options;
  session_options.towers = options().towers;
  Session session(*model_, session_options);
  MediaBook book;
  book.text(random_tokens(10, 1)).picture(some_picture(1, 40));
  book.text(random_tokens(150, 2)).picture(some_picture(2, 20)).text(random_tokens(5, 3));
  // The first part takes longer than a slice may.
  vision_.on_part = [](int part) {
    if (part == 0) std::this_thread::sleep_for(std::chrono::milliseconds(110));
    return part == 1;
  };
  std::vector<PromptProgress> told;
  session.generate(
      {book.tokens, book.media}, request({}, 9, 1).generation, [](text::TokenId) { return true; },
      [&](const PromptProgress& progress) {
        told.push_back(progress);
        return true;
      });
  std::vector<std::int64_t> encoded;
  for (const PromptProgress& progress : told) {
    EXPECT_EQ(progress.total, std::ssize(book.tokens));
    if (progress.to_encode == 0) continue;
    EXPECT_EQ(progress.to_encode, 60);
    encoded.push_back(progress.encoded);
  }
  // Half of 40, and of the 20 after these.
  EXPECT_THAT(encoded, IsSupersetOf({20, 50}));
  EXPECT_TRUE(std::ranges::is_sorted(encoded));
  EXPECT_EQ(told.back().done, std::ssize(book.tokens));
  EXPECT_EQ(told.back().to_encode, 0);
}

TEST_F(EngineMediaTest, ASessionThatIsStoppedAmidAPictureGoesOnWithTheNextPrompt) {
  SessionOptions session_options;
  session_options.towers = options().towers;
  Session session(*model_, session_options);
  MediaBook book;
  book.text(random_tokens(10, 1)).picture(some_picture(1)).text(random_tokens(5, 2));
  vision_.on_part = [](int) { return false; };
  const GenerationOptions generation = request({}, 9, 5).generation;
  const auto ignore = [](text::TokenId) { return true; };
  const auto stopped =
      session.generate({book.tokens, book.media}, generation, ignore, [](auto) { return false; });
  EXPECT_EQ(stopped.reason, FinishReason::cancelled);
  EXPECT_EQ(vision_.n_alive, 0);
  vision_.on_part = [](int part) -> bool {
    if (part == 2) throw Error("torn");
    return false;
  };
  EXPECT_THROW(session.generate({book.tokens, book.media}, generation, ignore), Error);
  vision_.on_part = [](int) { return true; };
  const auto result = session.generate({book.tokens, book.media}, generation, ignore);
  EXPECT_EQ(result.stats.media.pictures.encoded, 1);
  EXPECT_EQ(result.stats.generated_tokens, 5);
}

}  // namespace
}  // namespace pleiad
