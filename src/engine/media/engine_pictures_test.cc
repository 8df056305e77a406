// Pictures in the engine, on the demo model and with a tower that only counts: what a reply is must
// not show where its pictures came from, when, and beside whom.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "engine/testing/engine_media_testing.h"

namespace pleiad {
namespace {

using ::testing::HasSubstr;
using testing_support::ask;
using testing_support::cold;
using testing_support::CollectingSink;
using testing_support::EngineMediaTest;
using testing_support::expect_same_reply;
using testing_support::MediaBook;
using testing_support::random_tokens;
using testing_support::Reply;
using testing_support::request;
using testing_support::some_picture;
using Kind = EngineFailure::Kind;

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
      // Before the picture; of a first page nothing where that is little.
      const std::size_t shared = before < 16 ? 0 : before;
      EXPECT_EQ(reply.result->stats.cached_tokens, number == 1 ? 0 : shared) << before;
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
  EXPECT_EQ(second.result->stats.cached_tokens, 130 + 7) << "all but the reply's last token";
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
  LoadedModel blind = model_without_towers();
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

}  // namespace
}  // namespace pleiad
