#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace pleiad::cpu {

/// Weights are read in the same order for every generated token, so a thread that
/// waits for the others can ask for its part of the next ones: memory stays busy
/// while a norm is computed or a barrier fills. It is a hint only; no result
/// depends on it.
class ReadAhead {
 public:
  /// Where each thread begins to read in one product, and which product followed it
  /// the last time.
  class Product {
   public:
    explicit Product(int n_threads) : starts_(static_cast<std::size_t>(n_threads)) {}

   private:
    friend class ReadAhead;
    std::vector<std::atomic<const std::byte*>> starts_;
    std::atomic<const Product*> next_{nullptr};
  };

  explicit ReadAhead(int n_threads) : threads_(static_cast<std::size_t>(n_threads)) {}

  /// Lives as long as this object.
  Product* add() { return &products_.emplace_back(static_cast<int>(threads_.size())); }

  /// `product` is about to run: thread i begins at start(i).
  template <typename Start>
  void begin(Product& product, const Start& start) {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      product.starts_[i].store(start(static_cast<int>(i)), std::memory_order_relaxed);
    }
    if (last_) last_->next_.store(&product, std::memory_order_relaxed);
    last_ = &product;
    following_.store(product.next_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }

  /// What comes is no generated token.
  void stop() {
    last_ = nullptr;
    following_.store(nullptr, std::memory_order_relaxed);
  }

  /// Called by a thread that waits: asks for a few lines; false when there is
  /// nothing (more) to ask for.
  bool advance(int thread);

 private:
  struct alignas(64) Progress {
    const Product* of = nullptr;
    std::int64_t done = 0;  // bytes
  };

  std::deque<Product> products_;
  std::vector<Progress> threads_;  // each is its thread's own
  Product* last_ = nullptr;
  std::atomic<const Product*> following_{nullptr};
};

}  // namespace pleiad::cpu
