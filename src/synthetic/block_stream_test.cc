#include "synthetic/block_stream.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pleiad::synthetic {
namespace {

const std::vector<SyntheticTensor> kTensors = {
    {"large", DType::q4_0, {3000, 2048}, 0, 0.1F},  // several pieces and a rest
    {"left out", DType::f16, {3, 5}, 0, 0.1F},
    {"given", DType::f32, {2}, 0, 0, {0.5F, 4.0F}},
    {"odd", DType::bf16, {3, 7}, 0, 0.1F},
};

bool is_left_out(const SyntheticTensor& tensor) { return tensor.name == "left out"; }

std::vector<std::byte> read_all(std::uint64_t seed, int n_threads) {
  BlockStream stream(kTensors, seed, n_threads, is_left_out);
  std::vector<std::byte> all;
  std::uint64_t total = 0;
  for (const auto& tensor : kTensors) total += is_left_out(tensor) ? 0 : byte_size(tensor);
  while (all.size() < total) {
    const auto piece = stream.next();
    all.insert(all.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(all.size(), total);
  return all;
}

TEST(BlockStream, GivesTheSameBytesWithAnyNumberOfThreads) {
  const auto alone = read_all(1, 1);
  EXPECT_EQ(alone, read_all(1, 2));
  EXPECT_EQ(alone, read_all(1, 7));
  EXPECT_NE(alone, read_all(2, 2));
}

TEST(BlockStream, GivesGivenValuesAsTheyAre) {
  const auto all = read_all(1, 2);
  const auto given = std::as_bytes(std::span(kTensors[2].given));
  EXPECT_TRUE(std::ranges::equal(std::span(all).subspan(byte_size(kTensors[0]), 8), given));
}

TEST(BlockStream, NoPieceIsLikeAnother) {
  BlockStream stream(kTensors, 1, 2, is_left_out);
  std::vector<std::vector<std::byte>> starts;
  for (int i = 0; i < 3; ++i) {
    const auto piece = stream.next();
    starts.emplace_back(piece.begin(), piece.begin() + 64);
  }
  EXPECT_NE(starts[0], starts[1]);
  EXPECT_NE(starts[1], starts[2]);
}

TEST(BlockStream, CanBeLeftBeforeItsEnd) {
  BlockStream stream(kTensors, 1, 3, is_left_out);
  EXPECT_FALSE(stream.next().empty());
}

}  // namespace
}  // namespace pleiad::synthetic
