#include "convert/write_projector.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/error.h"
#include "convert/tower_plan.h"
#include "formats/gguf/writer.h"
#include "model/gemma4/projector_file.h"

namespace pleiad::convert {
namespace {

/// What most of a tower's matrices are stored as.
DType main_type(const TowerPlan& plan) {
  std::array<std::int64_t, kDTypeCount> weights = {};
  for (const TowerTensor& tensor : plan.tensors) {
    if (!gemma4::is_tower_matrix(tensor.spec)) continue;
    weights[static_cast<std::size_t>(tensor.type)] += element_count(tensor.spec.shape);
  }
  return static_cast<DType>(std::ranges::max_element(weights) - weights.begin());
}

}  // namespace

class ProjectorWriter::Impl {
 public:
  Impl(const Checkpoint& source, const std::filesystem::path& path, const WriteOptions& options)
      : source_(source),
        options_(options),
        plan_(plan_tower(source, options.vision_type, Container::gguf)),
        writer_(path) {
    gemma4::set_projector_keys(writer_, *source.vision(), source.config().name, main_type(plan_));
    if (has_sound_embedder(source)) gemma4::set_sound_keys(writer_, *source.audio());
    for (const TowerTensor& tensor : plan_.tensors) {
      const bool is_patches = tensor.spec.gguf_shape.size() != tensor.spec.shape.size();
      writer_.add_tensor(tensor.spec.gguf_name, tensor.type,
                         is_patches ? tensor.spec.gguf_shape : tensor.spec.shape);
      report_.count(tensor);
    }
    report_.file = path;
    report_.bytes = writer_.file_size();
  }

  std::uint64_t file_size() const { return writer_.file_size(); }
  std::uint64_t source_bytes() const { return plan_.source_bytes(); }

  void write(const std::function<void(std::uint64_t)>& progress) {
    EncodeTask task;
    task.rounding = options_.rounding;
    task.compare_rounding = options_.compare_rounding;
    EncodeStream stream;
    stream.n_threads = options_.n_threads;
    stream.sink = [this](std::span<const std::byte> bytes) { writer_.write(bytes); };
    stream.progress = [&](std::uint64_t bytes) {
      check_unchanged();  // the rest is not worth the time
      progress(bytes);
    };
    stream.drop = [this](std::span<const std::byte> bytes) {
      HostTensor part;
      part.data = bytes;
      source_.drop_pages(part);
    };
    for (const TowerTensor& tensor : plan_.tensors) {
      report_.error.add(encode_tower_tensor(tensor, task, stream));
    }
    check_unchanged();
  }

  TowerReport finish() {
    writer_.finish();
    return std::move(report_);
  }

 private:
  void check_unchanged() const {
    source_.check_vision_unchanged();
    source_.check_audio_unchanged();
  }

  const Checkpoint& source_;
  const WriteOptions& options_;
  TowerPlan plan_;
  gguf::Writer writer_;
  TowerReport report_;
};

ProjectorWriter::ProjectorWriter(const Checkpoint& source, const std::filesystem::path& path,
                                 const WriteOptions& options)
    : impl_(std::make_unique<Impl>(source, path, options)) {}
ProjectorWriter::~ProjectorWriter() = default;

std::uint64_t ProjectorWriter::file_size() const { return impl_->file_size(); }
std::uint64_t ProjectorWriter::source_bytes() const { return impl_->source_bytes(); }
void ProjectorWriter::write(const std::function<void(std::uint64_t)>& progress) {
  impl_->write(progress);
}
TowerReport ProjectorWriter::finish() { return impl_->finish(); }

}  // namespace pleiad::convert
