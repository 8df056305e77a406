#include "convert/report.h"

#include "convert/tower_plan.h"

namespace pleiad::convert {

void WriteReport::count(const PlannedTensor& tensor, FileType file_type) {
  const auto elements = static_cast<std::uint64_t>(tensor.n_elements());
  TypeShare& share = of(tensor.tensor_class).types[tensor.type];
  ++share.n_tensors;
  share.n_elements += elements;
  share.bytes += tensor.bytes(file_type);
  n_elements += elements;
  if (!tensor.wanted) return;
  fallbacks.push_back({tensor.spec.name, tensor.spec.shape.back(), *tensor.wanted, tensor.type});
}

void TowerReport::count(DType type, std::uint64_t n_elements, std::uint64_t n_bytes) {
  TypeShare& share = types[type];
  ++share.n_tensors;
  share.n_elements += n_elements;
  share.bytes += n_bytes;
  bytes += n_bytes;
}

void TowerReport::count(const TowerTensor& tensor) {
  count(tensor.type, static_cast<std::uint64_t>(element_count(tensor.spec.shape)), tensor.bytes());
  if (!tensor.wanted) return;
  fallbacks.push_back({tensor.spec.name, tensor.spec.shape.back(), *tensor.wanted, tensor.type});
}

double WriteReport::bits_per_weight() const {
  std::uint64_t tensor_bytes = 0;
  for (const ClassReport& report : classes) {
    for (const auto& [type, share] : report.types) tensor_bytes += share.bytes;
  }
  if (n_elements == 0) return 0;
  return 8.0 * static_cast<double>(tensor_bytes) / static_cast<double>(n_elements);
}

ErrorSums WriteReport::total_error() const {
  ErrorSums total;
  for (const ClassReport& report : classes) total.add(report.error);
  return total;
}

}  // namespace pleiad::convert
