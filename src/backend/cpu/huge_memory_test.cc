#include "backend/cpu/huge_memory.h"

#include <gtest/gtest.h>

#include <cstring>

#include "backend/cpu/huge_page_use.h"

namespace pleiad::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

TEST(HugeMemory, LiesOnALargeBoundaryAndIsZero) {
  for (const PageSize pages : {PageSize::base, PageSize::huge}) {
    const HugeMemory memory(5 * kHugePage - 7, pages);
    EXPECT_EQ(memory.size(), 5 * kHugePage);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % kHugePage, 0U);
    EXPECT_EQ(memory.data()[0], std::byte{0});
    EXPECT_EQ(memory.data()[memory.size() - 1], std::byte{0});
  }
}

TEST(HugeMemory, StaysInBasePagesWhereTheseWereAskedFor) {
  const HugeMemory memory(4 * kHugePage, PageSize::base);
  std::memset(memory.data(), 1, memory.size());
  EXPECT_EQ(bytes_in_huge_pages({{memory.data(), memory.size()}}).value_or(0), 0U);
}

TEST(HugeMemory, IsNothingWithoutBytes) {
  const HugeMemory memory(0);
  EXPECT_EQ(memory.data(), nullptr);
  EXPECT_EQ(memory.size(), 0U);
}

TEST(HugeArena, GivesPiecesThatKeepTheirBlock) {
  HugeArena::Piece first;
  {
    HugeArena arena;
    first = arena.allocate(100);
    const HugeArena::Piece second = arena.allocate(1);
    EXPECT_EQ(second.data - first.data, 128);
    EXPECT_EQ(second.block, first.block);
  }
  first.data[99] = std::byte{1};
  EXPECT_EQ(first.data[99], std::byte{1});
}

TEST(HugeArena, SaysWhatItGaveOutOfBlocksThatStillAre) {
  constexpr std::size_t kLarge = std::size_t{200} << 20;  // two do not fit into a block
  HugeArena arena;
  EXPECT_TRUE(arena.given_out().empty());
  HugeArena::Piece first = arena.allocate(kLarge);
  const HugeArena::Piece second = arena.allocate(kLarge);
  const auto both = arena.given_out();
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].data(), first.data);
  EXPECT_EQ(both[1].data(), second.data);
  EXPECT_EQ(both[1].size(), kLarge);
  first = {};
  EXPECT_EQ(arena.given_out().size(), 1U);
}

}  // namespace
}  // namespace pleiad::cpu
