// Sessions that see and hear: their replies are the engine's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/testing/engine_media_testing.h"

namespace pleiad {
namespace {

using ::testing::IsSupersetOf;
using testing_support::ask;
using testing_support::EngineMediaTest;
using testing_support::MediaBook;
using testing_support::random_tokens;
using testing_support::request;
using testing_support::some_picture;
using testing_support::some_sound;

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
