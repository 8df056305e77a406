#include "backend/cpu/huge_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>

#include "base/error.h"
#include "base/text_format.h"

namespace pleiad::cpu {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

HugeMemory::HugeMemory(std::size_t bytes) : size_(rounded_up(bytes, kHugePage)) {
  if (bytes == 0) return;
  // One huge page more than asked for, so that an aligned part can be kept.
  const std::size_t mapped = size_ + kHugePage;
  void* address = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    throw Error("{} of memory cannot be had: {}", format_bytes(size_), errno_text(errno));
  }
  auto* start = static_cast<std::byte*>(address);
  const std::size_t skip = rounded_up(reinterpret_cast<std::size_t>(start), kHugePage) -
                           reinterpret_cast<std::size_t>(start);
  if (skip > 0) ::munmap(start, skip);
  if (skip < kHugePage) ::munmap(start + skip + size_, kHugePage - skip);
  memory_ = std::unique_ptr<std::byte, Unmap>(start + skip, Unmap{size_});
  // Where it cannot be had the memory is as good as any other.
  ::madvise(memory_.get(), size_, MADV_HUGEPAGE);
}

void HugeMemory::Unmap::operator()(std::byte* memory) const { ::munmap(memory, bytes); }

HugeArena::Piece HugeArena::allocate(std::size_t bytes) {
  constexpr std::size_t kBlock = std::size_t{256} << 20;
  constexpr std::size_t kLine = 64;
  const std::size_t size = rounded_up(bytes, kLine);
  if (!block_ || used_ + size > block_->size()) {
    block_ = std::make_shared<const HugeMemory>(std::max(size, kBlock));
    used_ = 0;
  }
  const Piece piece = {block_->data() + used_, block_};
  used_ += size;
  return piece;
}

long long huge_page_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string line;
  while (std::getline(file, line)) {
    constexpr std::string_view kName = "AnonHugePages:";
    if (line.starts_with(kName)) return std::stoll(line.substr(kName.size())) * 1024;
  }
  return -1;
}

}  // namespace pleiad::cpu
