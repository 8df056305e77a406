#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pleiad::cpu {

/// Bytes of these pieces of memory that lie in huge pages; nothing where the
/// system does not say. It counts by mappings, and takes neighbours for one: what
/// lies beside a piece there and in huge pages counts as the piece's, up to its size.
std::optional<std::size_t> bytes_in_huge_pages(
    const std::vector<std::span<const std::byte>>& memory);

/// The same, from what /proc/self/smaps says.
std::optional<std::size_t> bytes_in_huge_pages(
    const std::vector<std::span<const std::byte>>& memory, std::istream& smaps);

/// How the system gives huge pages: "always", "madvise" or "never"; "" where it
/// does not say.
std::string huge_page_mode(
    const std::filesystem::path& file = "/sys/kernel/mm/transparent_hugepage/enabled");

/// How much of some memory lies in huge pages, and why not all of it.
struct HugePageUse {
  std::size_t bytes = 0;
  std::optional<std::size_t> huge_bytes;  // nothing: the system does not say
  std::string mode;                       // huge_page_mode()
};

}  // namespace pleiad::cpu
