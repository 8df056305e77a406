#include "model/gemma4/clipped_linear.h"

#include <array>
#include <cstddef>
#include <span>

#include "base/check.h"

namespace pleiad::gemma4 {

void clipped_products(Backend& backend, std::initializer_list<ClippedProduct> products, Tensor x,
                      Tensor room) {
  constexpr std::size_t kMost = 3;
  std::array<LinearTask, kMost> tasks = {};
  std::array<bool, kMost> is_done = {};
  CHECK(products.size() <= kMost);
  const auto* all = products.begin();
  for (std::size_t i = 0; i < products.size(); ++i) {
    if (is_done[i]) continue;
    const ClipBounds& bounds = all[i].linear->input;
    std::size_t n_tasks = 0;
    for (std::size_t j = i; j < products.size(); ++j) {
      if (is_done[j] || all[j].linear->input != bounds) continue;
      tasks[n_tasks++] = {all[j].out, &all[j].linear->weight};
      is_done[j] = true;
    }
    Tensor input = x;
    if (bounds.clips()) {
      input = room.top(x.rows).columns(0, x.cols);
      backend.clamp(input, x, bounds.low, bounds.high);
    }
    backend.linear(std::span(tasks).first(n_tasks), input);
  }
  for (const ClippedProduct& product : products) {
    const ClipBounds& bounds = product.linear->output;
    if (bounds.clips()) {
      backend.clamp(product.out, product.out, bounds.low, bounds.high);
    }
  }
}

}  // namespace pleiad::gemma4
