#include "convert/write_projector.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "convert/tower_plan.h"
#include "formats/gguf/writer.h"
#include "model/gemma4/encoder_source.h"
#include "model/gemma4/projector_file.h"

namespace pleiad::convert {
namespace {

using gemma4::EncoderKind;
using gemma4::EncoderSource;

/// What most of the towers' matrices are stored as.
DType main_type(const gemma4::PerEncoder<TowerPlan>& plans) {
  std::array<std::int64_t, kDTypeCount> weights = {};
  for (const EncoderKind kind : gemma4::kEncoderKinds) {
    for (const TowerTensor& tensor : plans.of(kind).tensors) {
      if (!gemma4::is_tower_matrix(tensor.spec)) continue;
      weights[static_cast<std::size_t>(tensor.type)] += element_count(tensor.spec.shape);
    }
  }
  return static_cast<DType>(std::ranges::max_element(weights) - weights.begin());
}

}  // namespace

class ProjectorWriter::Impl {
 public:
  Impl(const Checkpoint& source, const std::filesystem::path& path, const WriteOptions& options)
      : source_(source), options_(options), writer_(path) {
    for (const EncoderKind kind : gemma4::kEncoderKinds) {
      if (!is_written(source, kind, options)) continue;
      plans_.of(kind) = plan_tower(source, kind, options.towers.of(kind).type, Container::gguf);
      reports_.of(kind).emplace().is_embedder = EncoderSource(source, kind).is_embedder();
    }
    gemma4::set_projector_keys(writer_, source.config().name, main_type(plans_));
    if (reports_.vision) gemma4::set_vision_keys(writer_, *source.vision());
    if (reports_.audio) gemma4::set_audio_keys(writer_, *source.audio());
    for (const EncoderKind kind : gemma4::kEncoderKinds) {
      for (const TowerTensor& tensor : plans_.of(kind).tensors) {
        writer_.add_tensor(tensor.spec.gguf_name, tensor.type, tensor.spec.gguf_shape);
        reports_.of(kind)->count(tensor);
      }
    }
    file_ = {path, writer_.file_size()};
  }

  std::uint64_t file_size() const { return writer_.file_size(); }
  std::uint64_t source_bytes() const {
    return plans_.vision.source_bytes() + plans_.audio.source_bytes();
  }

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
    for (const EncoderKind kind : gemma4::kEncoderKinds) {
      for (const TowerTensor& tensor : plans_.of(kind).tensors) {
        reports_.of(kind)->error.add(encode_tower_tensor(tensor, task, stream));
      }
    }
    check_unchanged();
  }

  void finish(WriteReport& report) {
    writer_.finish();
    report.towers = std::move(reports_);
    report.projector = std::move(file_);
  }

 private:
  void check_unchanged() const {
    source_.check_vision_unchanged();
    source_.check_audio_unchanged();
  }

  const Checkpoint& source_;
  const WriteOptions& options_;
  gemma4::PerEncoder<TowerPlan> plans_;  // empty: not written
  gguf::Writer writer_;
  gemma4::PerEncoder<std::optional<TowerReport>> reports_;
  ProjectorReport file_;
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
void ProjectorWriter::finish(WriteReport& report) { impl_->finish(report); }

}  // namespace pleiad::convert
