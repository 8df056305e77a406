#include "backend/cpu/huge_page_use.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "backend/cpu/huge_memory.h"

namespace pleiad::cpu {
namespace {

using Memory = std::vector<std::span<const std::byte>>;

/// Pieces of memory that nobody reads.
std::span<const std::byte> piece(std::uintptr_t start, std::size_t bytes) {
  return {reinterpret_cast<const std::byte*>(start), bytes};
}

std::string mapping(std::uintptr_t start, std::size_t bytes, int huge_kilobytes) {
  return fmt::format(
      "{:x}-{:x} rw-p 00000000 00:00 0 \nSize: {} kB\nAnonHugePages: {:8} kB\nVmFlags: rd wr\n",
      start, start + bytes, bytes / 1024, huge_kilobytes);
}

std::optional<std::size_t> bytes_of(const Memory& memory, const std::string& smaps) {
  std::istringstream stream(smaps);
  return bytes_in_huge_pages(memory, stream);
}

constexpr std::uintptr_t kStart = 0x7f0000000000;
constexpr std::size_t kMega = 1 << 20;

TEST(HugePageUse, CountsTheMappingsOfThePiecesAlone) {
  const std::string smaps = mapping(kStart - 8 * kMega, 8 * kMega, 4096) +
                            mapping(kStart, 8 * kMega, 6144) +
                            mapping(kStart + 8 * kMega, 8 * kMega, 2048);
  EXPECT_EQ(bytes_of({piece(kStart, 8 * kMega)}, smaps), 6 * kMega);
}

TEST(HugePageUse, AddsTheMappingsThatAPieceIsCutInto) {
  const std::string smaps =
      mapping(kStart, 2 * kMega, 2048) + mapping(kStart + 2 * kMega, 6 * kMega, 4096);
  EXPECT_EQ(bytes_of({piece(kStart, 8 * kMega)}, smaps), 6 * kMega);
}

TEST(HugePageUse, IsNeverMoreThanThePiecesOfAMapping) {
  const std::string smaps = mapping(kStart, 16 * kMega, 16384);
  const Memory memory = {piece(kStart, 3 * kMega), piece(kStart + 8 * kMega, kMega)};
  EXPECT_EQ(bytes_of(memory, smaps), 4 * kMega);
}

TEST(HugePageUse, IsUnknownWhereTheSystemDoesNotSay) {
  EXPECT_EQ(bytes_of({piece(kStart, kMega)}, ""), std::nullopt);
  EXPECT_EQ(bytes_of({piece(kStart, kMega)}, "7f0000000000-7f0000100000 rw-p\nSize: 1024 kB\n"),
            std::nullopt);
}

TEST(HugePageUse, IsWhatTheSystemGaveHere) {
  const HugeMemory memory(std::size_t{16} << 20);
  const Memory all = {{memory.data(), memory.size()}};
  EXPECT_EQ(bytes_in_huge_pages(all).value_or(0), 0U);  // nothing was written
  std::memset(memory.data(), 1, memory.size());
  const std::size_t huge = bytes_in_huge_pages(all).value_or(0);
  EXPECT_LE(huge, memory.size());
  if (huge_page_mode() == "never") {
    EXPECT_EQ(huge, 0U);
  }
}

TEST(HugePageMode, IsTheWordInBrackets) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("pleiad_huge_page_mode" + std::to_string(::getpid()));
  std::ofstream(file) << "always [madvise] never\n";
  EXPECT_EQ(huge_page_mode(file), "madvise");
  std::ofstream(file) << "always madvise [never]\n";
  EXPECT_EQ(huge_page_mode(file), "never");
  std::filesystem::remove(file);
  EXPECT_EQ(huge_page_mode(file), "");
}

}  // namespace
}  // namespace pleiad::cpu
