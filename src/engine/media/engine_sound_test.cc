// Sound in the engine, beside pictures and without them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

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
using testing_support::some_sound;
using Kind = EngineFailure::Kind;

TEST_F(EngineMediaTest, AModelWithoutAnAudioTowerSaysSoByName) {
  LoadedModel deaf = model_without_towers();
  ASSERT_FALSE(deaf.has_audio());
  EngineOptions its_own = options();
  its_own.towers = {};
  Engine engine(deaf, its_own);
  MediaBook book;
  book.sound(some_sound(1)).text(random_tokens(5, 3));
  const Reply reply = ask(engine, about(book));
  ASSERT_TRUE(reply.failure);
  EXPECT_EQ(reply.failure->kind, Kind::bad_request);
  EXPECT_EQ(reply.failure->message,
            deaf.checkpoint().config().name + " has no audio tower that can be used");
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
  EngineRequest by_pages = about(book, 2);
  by_pages.within_pages = false;
  const Reply second = ask(engine, std::move(by_pages));
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

}  // namespace
}  // namespace pleiad
