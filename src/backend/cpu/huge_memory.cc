#include "backend/cpu/huge_memory.h"

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::cpu {
namespace {

std::size_t rounded_to_pages(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

HugeMemory::HugeMemory(std::size_t bytes, PageSize pages)
    : size_(rounded_to_pages(bytes, os::kHugePage)) {
  if (bytes == 0) return;
  std::byte* memory = os::take_pages(size_, pages);
  if (memory == nullptr) {
    throw NoMemoryError("{} of memory cannot be had: {}", format_bytes(size_), errno_text(errno));
  }
  memory_ = std::unique_ptr<std::byte, Unmap>(memory, Unmap{size_});
}

void HugeMemory::Unmap::operator()(std::byte* memory) const { os::give_pages_back(memory, bytes); }

HugeArena::Piece HugeArena::allocate(std::size_t bytes) {
  constexpr std::size_t kBlock = std::size_t{256} << 20;
  constexpr std::size_t kLine = 64;
  const std::size_t size = rounded_to_pages(bytes, kLine);
  if (!block_ || used_ + size > block_->size()) {
    if (block_) full_.push_back({block_, used_});
    block_ = std::make_shared<const HugeMemory>(std::max(size, kBlock));
    used_ = 0;
  }
  const Piece piece = {block_->data() + used_, block_};
  used_ += size;
  return piece;
}

std::vector<std::span<const std::byte>> HugeArena::given_out() const {
  std::vector<std::span<const std::byte>> spans;
  for (const FullBlock& full : full_) {
    if (const auto memory = full.memory.lock()) spans.emplace_back(memory->data(), full.used);
  }
  if (block_) spans.emplace_back(block_->data(), used_);
  return spans;
}

}  // namespace pleiad::cpu
