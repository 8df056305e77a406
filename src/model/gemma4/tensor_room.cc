#include "model/gemma4/tensor_room.h"

#include "base/round_up.h"

namespace pleiad::gemma4 {

std::size_t tensor_room(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t kFloatsOfALine = 16;
  return static_cast<std::size_t>(rounded_up(rows * cols, kFloatsOfALine)) * sizeof(float);
}

std::unique_ptr<Buffer> allocate_tensors(Backend& backend, std::span<const TensorPart> parts,
                                         Taken taken) {
  std::size_t total = 0;
  for (const TensorPart& part : parts) total += tensor_room(part.rows, part.cols);
  std::unique_ptr<Buffer> memory = backend.allocate(total, taken);
  std::byte* next = memory->data();
  for (const TensorPart& part : parts) {
    *part.tensor = Tensor(reinterpret_cast<float*>(next), part.rows, part.cols);
    next += tensor_room(part.rows, part.cols);
  }
  return memory;
}

}  // namespace pleiad::gemma4
