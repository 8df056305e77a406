#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <span>
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

}  // namespace pleiad::cpu
