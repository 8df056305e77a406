// A forward pass allocates nothing: this program counts every operator new,
// the aligned one of AlignedBuffer too.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/testing/paths.h"
#include "support/model_runner.h"

namespace {
std::atomic<long> g_allocations = 0;
}  // namespace

void* operator new(std::size_t size) {
  g_allocations.fetch_add(1);
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  g_allocations.fetch_add(1);
  const auto align = static_cast<std::size_t>(alignment);
  void* memory = std::aligned_alloc(align, (size + align - 1) / align * align);
  if (!memory) throw std::bad_alloc();
  return memory;
}
// Not inlined, or GCC takes the pair of `new` and `free` for a mistake.
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace pleiad {
namespace {

TEST(Forward, AllocatesNothing) {
  for (const std::string family : {"e2b", "26b-a4b"}) {
    testing_support::ModelRunner runner(golden_path("models/") + family);
    const auto cache = runner.model().make_kv_cache({KvType::bf16, 16});
    KvSequence first(*cache);
    KvSequence second(*cache);
    std::vector<std::int32_t> tokens(40);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(4 + i);
    // Two soft tokens amid a prompt's.
    const std::vector<float> rows(static_cast<std::size_t>(2 * runner.model().info().model_dim),
                                  0.5F);
    const std::array soft = {SoftRows{1, rows}};
    const auto pass = [&](std::size_t n_first, std::size_t n_second, Phase phase) {
      first.reserve(static_cast<std::int64_t>(n_first));
      second.reserve(static_cast<std::int64_t>(n_second));
      std::array batch = {
          Slice{&first, std::span(tokens).first(n_first), WantLogits::last, Phase::prompt},
          Slice{&second, std::span(tokens).first(n_second), WantLogits::all, phase}};
      if (n_first > 3) batch[0].soft = soft;
      if (n_second > 3 && phase == Phase::prompt) batch[1].soft = soft;
      const long before = g_allocations.load();
      runner.model().forward(batch, *cache);
      return g_allocations.load() - before;
    };
    for (const Phase phase : {Phase::prompt, Phase::generation}) {
      EXPECT_EQ(pass(7, 5, phase), 0) << family;
      EXPECT_EQ(pass(20, 3, phase), 0) << family;
      EXPECT_EQ(pass(1, 1, phase), 0) << family;
      EXPECT_EQ(pass(1, 40, phase), 0) << family;
    }
  }
}

}  // namespace
}  // namespace pleiad
