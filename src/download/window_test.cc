#include "download/window.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace pleiad::download {
namespace {

std::string text_of(const Window::Ready& ready) {
  return {reinterpret_cast<const char*>(ready.bytes.data()), ready.bytes.size()};
}

TEST(Window, HandsOutPiecesInTheOrderOfTheFile) {
  Window window(10, 3);
  Piece& first = window.add(100, 4);
  Piece& second = window.add(104, 10);
  EXPECT_TRUE(window.fill(second, "secondpart"));
  EXPECT_FALSE(window.fill(first, "fi"));
  EXPECT_EQ(first.next_byte(), 102u);
  EXPECT_TRUE(window.fill(first, "rs"));
  auto ready = window.next();
  EXPECT_EQ(text_of(*ready), "firs");
  EXPECT_TRUE(window.take(*ready));
  ready = window.next();
  EXPECT_EQ(text_of(*ready), "secondpart");
  EXPECT_TRUE(window.take(*ready));
  window.close();
  EXPECT_FALSE(window.next());
}

TEST(Window, CountsWhatCouldBeAppended) {
  Window window(10, 3);
  Piece& first = window.add(0, 10);
  Piece& second = window.add(10, 10);
  window.fill(second, "second");
  EXPECT_EQ(window.backlog(), 0u) << "the first lacks";
  window.fill(first, "fir");
  EXPECT_EQ(window.backlog(), 3u);
  window.fill(first, "stpiece");
  EXPECT_EQ(window.backlog(), 16u);
  window.take(*window.next());
  EXPECT_EQ(window.backlog(), 6u);
}

TEST(Window, HasRoomForSoManyPieces) {
  Window window(10, 2);
  Piece& first = window.add(0, 10);
  EXPECT_TRUE(window.has_room());
  window.add(10, 10);
  EXPECT_FALSE(window.has_room());
  window.fill(first, "0123456789");
  EXPECT_FALSE(window.has_room()) << "it is not appended yet";
  EXPECT_TRUE(window.take(*window.next()));
  EXPECT_TRUE(window.has_room());
}

TEST(Window, WhenItIsClosedGivesWhatIsInOrder) {
  Window window(10, 3);
  Piece& first = window.add(0, 10);
  Piece& second = window.add(10, 10);
  window.fill(second, "notinorder");
  window.fill(first, "abc");
  window.close();
  const auto ready = window.next();
  ASSERT_TRUE(ready);
  EXPECT_EQ(text_of(*ready), "abc");
  EXPECT_FALSE(window.take(*ready));
  EXPECT_FALSE(window.next());
}

TEST(Window, APieceMayBecomeShorter) {
  Window window(10, 3);
  Piece& piece = window.add(0, 10);
  window.shorten(piece, 3);
  EXPECT_EQ(piece.end(), 3u);
  EXPECT_TRUE(window.fill(piece, "abc"));
}

TEST(Window, TheThreadThatAppendsWaits) {
  Window window(10, 3);
  std::string appended;
  std::thread thread([&] {
    while (const auto ready = window.next()) {
      appended += text_of(*ready);
      window.take(*ready);
    }
  });
  std::string expected;
  for (std::uint64_t at = 0; at < 2000; at += 10) {
    while (!window.has_room()) std::this_thread::yield();
    const std::string bytes = std::to_string(1'000'000'000 + at);
    expected += bytes;
    Piece& piece = window.add(at, 10);
    window.fill(piece, bytes.substr(0, 3));
    window.fill(piece, bytes.substr(3));
  }
  window.close();
  thread.join();
  EXPECT_EQ(appended, expected);
}

}  // namespace
}  // namespace pleiad::download
