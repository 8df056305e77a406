#include "convert/write_gguf.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/check.h"
#include "base/error.h"
#include "base/free_space.h"
#include "convert/gguf_keys.h"
#include "convert/gguf_tokenizer.h"
#include "convert/source_tensors.h"
#include "convert/target_check.h"
#include "convert/tower_plan.h"
#include "convert/write_projector.h"
#include "formats/gguf/reader.h"
#include "formats/gguf/writer.h"
#include "model/gemma4/encoder_source.h"
#include "model/gemma4/projector_file.h"

namespace pleiad::convert {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRopeFreqs = "rope_freqs.weight";
constexpr std::string_view kExpertScale = "router.per_expert_scale";
constexpr std::string_view kDown = "experts.down_proj";

/// "blk.3.attn_q.scale" of "blk.3.attn_q.weight"
std::string scale_name(std::string_view weight) {
  constexpr std::string_view end = ".weight";
  CHECK(weight.ends_with(end), "{}", weight);
  return std::string(weight.substr(0, weight.size() - end.size())) + ".scale";
}

/// One factor for each pair of a full layer's head that divides its angle: pairs
/// that stand still have a huge one.
std::vector<float> rope_factors(const gemma4::Config& config) {
  std::vector<float> factors;
  for (const gemma4::LayerConfig& layer : config.layers) {
    if (layer.attention != gemma4::AttentionKind::full) continue;
    factors.assign(static_cast<std::size_t>(layer.head_dim / 2), 1e30F);
    for (int i = 0; i < config.full_rope.n_rotated_pairs; ++i) {
      factors[static_cast<std::size_t>(i)] = 1.0F;
    }
    break;
  }
  return factors;
}

class GgufWriter {
 public:
  GgufWriter(const Checkpoint& source, const fs::path& path, const WriteOptions& options)
      : source_(source), options_(options), writer_(path) {
    const auto table =
        gemma4::tensor_table(source.config(), experts_layout_for(options.mix, source));
    planned_ = plan(options.mix, source.config(), table, source_types(source, table));
    if (options.mix.type == FileType::as_is) refuse_what_would_change();
  }

  WriteReport write(const fs::path& path) {
    declare();
    report_.source_bytes = source_.tensor_bytes();
    report_.left_out = source_.unused();
    report_.has_tokenizer = source_.tokenizer_source() != TokenizerSource::none;
    report_.bytes = writer_.file_size();
    plan_projector(path);
    if (!rope_.empty()) writer_.write(std::as_bytes(std::span(rope_)));
    for (const PlannedTensor& tensor : planned_) {
      if (!is_folded(tensor)) write_tensor(tensor);
    }
    if (projector_) projector_->write([this](std::uint64_t bytes) { tell(bytes); });
    source_.check_unchanged();
    // The projector first: where the model is, it can see.
    if (projector_) projector_->finish(report_);
    writer_.finish();
    return std::move(report_);
  }

 private:
  /// Makes a writer where there is a tower to be written, and checks the space of both files.
  void plan_projector(const fs::path& path) {
    std::uint64_t beside = 0;
    count_left_out_towers();
    if (writes_projector(source_, options_)) {
      const fs::path place = projector_place(path, options_);
      projector_.emplace(source_, place, options_);
      report_.source_bytes += projector_->source_bytes();
      if (place.parent_path() == path.parent_path()) {
        beside = projector_->file_size();
      } else {
        check_free_space(place, projector_->file_size());
      }
    }
    check_free_space(path, report_.bytes + beside);
  }

  /// Whichever file they lie in. Those that cannot be used are among what the model's own files
  /// hold beside it.
  void count_left_out_towers() {
    for (const gemma4::EncoderKind kind : gemma4::kEncoderKinds) {
      const gemma4::EncoderSource tower(source_, kind);
      if (!tower.is_there()) continue;
      report_.left_out.of(kind) = is_written(source_, kind, options_) ? 0 : tower.n_tensors();
    }
  }

  void refuse_what_would_change() const {
    for (const PlannedTensor& tensor : planned_) {
      if (tensor.type == DType::f8_e4m3) {
        throw Error(
            "tensor '{}' is FP8, which GGUF does not have; 'pleiad quantize' writes it as another "
            "type",
            tensor.spec.name);
      }
      if (!tensor.wanted) continue;
      throw Error("tensor '{}' is {}, and its {} columns do not fit the blocks that GGUF has of it",
                  tensor.spec.name, name(*tensor.wanted), tensor.spec.shape.back());
    }
  }

  /// Scales of experts' outputs that become part of the scales of their last matrix,
  /// whose place in the file they have.
  bool is_folded(const PlannedTensor& tensor) const {
    const std::string& name = tensor.spec.name;
    if (!name.ends_with(kExpertScale)) return false;
    return down_type(name.substr(0, name.size() - kExpertScale.size())) == DType::nvfp4;
  }

  DType down_type(const std::string& layer) const {
    for (const PlannedTensor& tensor : planned_) {
      if (tensor.spec.name == layer + std::string(kDown)) return tensor.type;
    }
    CHECK(false, "{}{}", layer, kDown);
    return DType::f32;
  }

  void declare() {
    const std::uint32_t file_type =
        carried_file_type().value_or(gguf_file_type(options_.mix.type, source_.main_dtype()));
    if (source_.gguf() != nullptr) {
      carry_keys(writer_, source_, file_type);
    } else {
      set_model_keys(writer_, source_, file_type);
      set_tokenizer_keys(writer_, source_);
    }
    rope_ = rope_factors(source_.config());
    if (!rope_.empty()) {
      writer_.add_tensor(kRopeFreqs, DType::f32, {static_cast<std::int64_t>(rope_.size())});
    }
    for (const PlannedTensor& tensor : planned_) {
      report_.count(tensor, options_.mix.type);
      if (is_folded(tensor)) continue;
      writer_.add_tensor(tensor.spec.gguf_name, tensor.type, tensor.spec.shape);
      if (tensor.type != DType::nvfp4) continue;
      const std::int64_t n_scales = tensor.spec.shape.size() > 2 ? tensor.spec.shape[0] : 1;
      writer_.add_tensor(scale_name(tensor.spec.gguf_name), DType::f32, {n_scales});
    }
  }

  /// A file whose types stay keeps its own name for their mix.
  std::optional<std::uint32_t> carried_file_type() const {
    if (source_.gguf() == nullptr || options_.mix.type != FileType::as_is) return std::nullopt;
    const auto number = source_.gguf()->metadata().find_integer("general.file_type");
    if (!number) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
  }

  void write_tensor(const PlannedTensor& tensor) {
    const SourceRows rows = rows_of(source_, tensor.spec.name);
    EncodeTask task;
    task.type = tensor.type;
    task.rounding = options_.rounding;
    task.compare_rounding = options_.compare_rounding;
    if (options_.importance) task.importance = options_.importance(rows.importance);
    std::vector<float> scales;
    for (const HostTensor& part : rows.parts) {
      EncodedScales encoded = encode_tensor(part, task, stream());
      report_.of(tensor.tensor_class).error.add(encoded.error);
      scales.insert(scales.end(), encoded.tensor_scales.begin(), encoded.tensor_scales.end());
    }
    if (tensor.type != DType::nvfp4) return;
    if (tensor.spec.name.ends_with(kDown)) fold_expert_scales(tensor, scales);
    writer_.write(std::as_bytes(std::span(scales)));
  }

  void fold_expert_scales(const PlannedTensor& down, std::vector<float>& scales) {
    const std::string& name = down.spec.name;
    const std::string layer = name.substr(0, name.size() - kDown.size());
    std::vector<float> of_outputs(scales.size());
    const HostTensor& tensor = source_.get(layer + std::string(kExpertScale));
    EncodeStream collect = stream();
    std::size_t at = 0;
    collect.sink = [&](std::span<const std::byte> bytes) {
      std::memcpy(reinterpret_cast<std::byte*>(of_outputs.data()) + at, bytes.data(), bytes.size());
      at += bytes.size();
    };
    EncodeTask task;
    task.type = DType::f32;
    encode_tensor(tensor, task, collect);
    CHECK(at == of_outputs.size() * sizeof(float), "{} bytes", at);
    for (std::size_t i = 0; i < scales.size(); ++i) scales[i] *= of_outputs[i];
  }

  EncodeStream stream() {
    EncodeStream stream;
    stream.n_threads = options_.n_threads;
    stream.sink = [this](std::span<const std::byte> bytes) { writer_.write(bytes); };
    stream.progress = [this](std::uint64_t bytes) {
      source_.check_unchanged();  // the rest is not worth the time
      tell(bytes);
    };
    stream.drop = [this](std::span<const std::byte> bytes) {
      HostTensor part;
      part.data = bytes;
      source_.drop_pages(part);
    };
    return stream;
  }

  void tell(std::uint64_t bytes) {
    done_ += bytes;
    if (options_.progress) options_.progress(done_, report_.source_bytes);
  }

  const Checkpoint& source_;
  const WriteOptions& options_;
  gguf::Writer writer_;
  std::optional<ProjectorWriter> projector_;
  std::vector<PlannedTensor> planned_;
  std::vector<float> rope_;
  std::uint64_t done_ = 0;
  WriteReport report_;
};

}  // namespace

bool writes_projector(const Checkpoint& source, const WriteOptions& options) {
  return std::ranges::any_of(gemma4::kEncoderKinds, [&](gemma4::EncoderKind kind) {
    return is_written(source, kind, options);
  });
}

fs::path projector_place(const fs::path& path, const WriteOptions& options) {
  return options.projector.empty() ? gemma4::projector_path_beside(path) : options.projector;
}

WriteReport write_gguf(const Checkpoint& source, const fs::path& path,
                       const WriteOptions& options) {
  check_is_not_source(path, source);
  refuse_lost_towers(source, Container::gguf, options);
  if (writes_projector(source, options)) {
    const fs::path projector = projector_place(path, options);
    check_is_not_source(projector, source);
    if (projector.lexically_normal() == path.lexically_normal()) {
      throw Error("{}: cannot be model and projector at once", path.string());
    }
  }
  return read_unchanged(source, [&] { return GgufWriter(source, path, options).write(path); });
}

}  // namespace pleiad::convert
