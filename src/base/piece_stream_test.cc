#include "base/piece_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace pleiad {
namespace {

/// Piece i has i % 5 + 1 bytes of value i.
std::vector<std::size_t> some_sizes(std::size_t count) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < count; ++i) sizes.push_back(i % 5 + 1);
  return sizes;
}

void fill_with_index(std::size_t index, std::span<std::byte> out) {
  std::ranges::fill(out, static_cast<std::byte>(index));
}

TEST(PieceStream, GivesPiecesInOrderWithAnyNumberOfThreads) {
  for (const int n_threads : {1, 2, 7}) {
    PieceStream stream(some_sizes(100), n_threads, fill_with_index);
    for (std::size_t i = 0; i < 100; ++i) {
      const auto piece = stream.next();
      ASSERT_EQ(piece.size(), i % 5 + 1);
      for (const std::byte byte : piece) ASSERT_EQ(byte, static_cast<std::byte>(i));
    }
  }
}

TEST(PieceStream, ThrowsAtThePlaceOfThePieceThatCouldNotBeMade) {
  PieceStream stream(some_sizes(30), 3, [](std::size_t index, std::span<std::byte> out) {
    if (index == 7 || index == 9) throw std::runtime_error(std::to_string(index));
    fill_with_index(index, out);
  });
  for (int i = 0; i < 7; ++i) stream.next();
  try {
    stream.next();
    FAIL() << "piece 7 was given";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
}

TEST(PieceStream, CanBeLeftBeforeItsEnd) {
  PieceStream stream(some_sizes(50), 3, fill_with_index);
  EXPECT_EQ(stream.next().size(), 1U);
}

TEST(PieceStream, OfNothingStartsNothing) {
  const PieceStream stream({}, 4, fill_with_index);
  EXPECT_EQ(stream.n_pieces(), 0U);
}

}  // namespace
}  // namespace pleiad
