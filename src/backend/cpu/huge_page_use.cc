#include "backend/cpu/huge_page_use.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>

namespace pleiad::cpu {
namespace {

/// Bytes of `memory` at addresses [first, last).
std::size_t bytes_between(const std::vector<std::span<const std::byte>>& memory,
                          std::uintptr_t first, std::uintptr_t last) {
  std::size_t bytes = 0;
  for (const auto& piece : memory) {
    const auto start = reinterpret_cast<std::uintptr_t>(piece.data());
    const std::uintptr_t from = std::max(first, start);
    const std::uintptr_t to = std::min(last, start + piece.size());
    if (from < to) bytes += to - from;
  }
  return bytes;
}

}  // namespace

std::optional<std::size_t> bytes_in_huge_pages(
    const std::vector<std::span<const std::byte>>& memory, std::istream& smaps) {
  std::optional<std::size_t> bytes;
  std::size_t inside = 0;  // of the mapping that the lines are about
  for (std::string line; std::getline(smaps, line);) {
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;
    std::size_t kilobytes = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &first, &last) == 2) {
      inside = bytes_between(memory, first, last);
    } else if (std::sscanf(line.c_str(), "AnonHugePages: %zu", &kilobytes) == 1) {
      bytes = bytes.value_or(0) + std::min(kilobytes * 1024, inside);
    }
  }
  return bytes;
}

std::optional<std::size_t> bytes_in_huge_pages(
    const std::vector<std::span<const std::byte>>& memory) {
  std::ifstream smaps("/proc/self/smaps");
  return bytes_in_huge_pages(memory, smaps);
}

std::string huge_page_mode(const std::filesystem::path& file) {
  std::ifstream stream(file);  // "always [madvise] never"
  for (std::string word; stream >> word;) {
    if (word.starts_with('[') && word.ends_with(']')) return word.substr(1, word.size() - 2);
  }
  return "";
}

}  // namespace pleiad::cpu
