#include "convert/folder_towers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/gemma4/encoder_source.h"
#include "model/gemma4/projector_file.h"
#include "model/gemma4/vision/tensor_table.h"

namespace pleiad::convert {

using gemma4::EncoderKind;
using gemma4::EncoderSource;

FolderTowers::FolderTowers(const Checkpoint& source, const WriteOptions& options, FolderPlan& plan)
    : source_(source), options_(options), plan_(plan) {
  for (const EncoderKind kind : gemma4::kEncoderKinds) {
    if (!convert::is_written(source, kind, options)) continue;
    plan.towers.of(kind) =
        plan_tower(source, kind, options.towers.of(kind).type, Container::folder);
    plan.tower_reports.of(kind).emplace().is_embedder = EncoderSource(source, kind).is_embedder();
  }
}

bool FolderTowers::is_written(EncoderKind kind) const {
  return plan_.tower_reports.of(kind).has_value();
}

bool FolderTowers::any() const {
  return std::ranges::any_of(gemma4::kEncoderKinds,
                             [this](EncoderKind kind) { return is_written(kind); });
}

bool FolderTowers::brings_any() const {
  return source_.folder() != nullptr &&
         std::ranges::any_of(gemma4::kEncoderKinds, [this](EncoderKind kind) {
           return is_written(kind) && !is_own(kind);
         });
}

bool FolderTowers::is_own(EncoderKind kind) const {
  return source_.folder() != nullptr && EncoderSource(source_, kind).projector().empty();
}

void FolderTowers::add_own(const StoredTensor& stored, EncoderKind kind) {
  if (options_.towers.of(kind).left_out) {
    ++plan_.left_out.of(kind);
    return;
  }
  if (is_written(kind) && !is_own(kind)) return;
  for (const TowerTensor& tensor : plan_.towers.of(kind).tensors) {
    const bool changes = tensor.type != tensor.values.dtype && gemma4::is_tower_matrix(tensor.spec);
    if (changes && tensor.values.name == stored.file_name) {
      return add(stored.file_name, tensor, kind);
    }
  }
  plan_.tensors.push_back(copied_tensor(stored));
  if (!is_written(kind) || !stored.dtype) return;
  plan_.tower_reports.of(kind)->count(
      *stored.dtype, static_cast<std::uint64_t>(element_count(stored.shape)), stored.data.size());
}

void FolderTowers::add_others() {
  for (const EncoderKind kind : gemma4::kEncoderKinds) {
    if (!is_written(kind) || is_own(kind)) continue;
    for (const TowerTensor& tensor : plan_.towers.of(kind).tensors) {
      add(fmt::format("{}{}", gemma4::kHfVisionPrefixes[0], tensor.spec.hf_name), tensor, kind);
    }
  }
}

void FolderTowers::count_left_out() {
  for (const EncoderKind kind : gemma4::kEncoderKinds) {
    const EncoderSource tower(source_, kind);
    if (!tower.is_there()) continue;
    plan_.left_out.of(kind) = is_written(kind) ? 0 : tower.n_tensors();
  }
}

void FolderTowers::add(const std::string& name, const TowerTensor& values, EncoderKind kind) {
  FolderTensor tensor;
  tensor.name = name;
  tensor.parts = {values.values};
  tensor.planned.type = values.type;
  tensor.planned.spec.shape = values.spec.optional ? Shape{} : values.spec.shape;
  tensor.tower = &values;
  tensor.tower_kind = kind;
  plan_.tensors.push_back(std::move(tensor));
  plan_.tower_reports.of(kind)->count(values);
}

}  // namespace pleiad::convert
