#include "backend/cpu/huge_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t rounded_to_pages(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

HugeMemory::HugeMemory(std::size_t bytes, PageSize pages)
    : size_(rounded_to_pages(bytes, kHugePage)) {
  if (bytes == 0) return;
  // One huge page more than asked for, so that an aligned part can be kept.
  const std::size_t mapped = size_ + kHugePage;
  void* address = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    throw NoMemoryError("{} of memory cannot be had: {}", format_bytes(size_), errno_text(errno));
  }
  auto* start = static_cast<std::byte*>(address);
  const std::size_t skip = rounded_to_pages(reinterpret_cast<std::size_t>(start), kHugePage) -
                           reinterpret_cast<std::size_t>(start);
  if (skip > 0) ::munmap(start, skip);
  if (skip < kHugePage) ::munmap(start + skip + size_, kHugePage - skip);
  memory_ = std::unique_ptr<std::byte, Unmap>(start + skip, Unmap{size_});
  // Advice only: a system without huge pages gives base pages.
  ::madvise(memory_.get(), size_, pages == PageSize::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

void HugeMemory::Unmap::operator()(std::byte* memory) const { ::munmap(memory, bytes); }

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
