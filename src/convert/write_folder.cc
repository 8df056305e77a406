#include "convert/write_folder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/error.h"
#include "base/free_space.h"
#include "base/output_folder.h"
#include "convert/finite.h"
#include "convert/folder_files.h"
#include "convert/folder_plan.h"
#include "convert/target_check.h"
#include "convert/tower_plan.h"
#include "formats/gguf/reader.h"
#include "formats/safetensors/writer.h"

namespace pleiad::convert {
namespace {

namespace fs = std::filesystem;

/// The divisor whose inverse is `scale`, or where no float is, the nearest.
float divisor_of(float scale) {
  const float divisor = 1.0F / scale;
  for (const float candidate :
       {divisor, std::nextafter(divisor, 0.0F), std::nextafter(divisor, INFINITY)}) {
    if (1.0F / candidate == scale) return candidate;
  }
  return divisor;
}

class FolderMaker {
 public:
  FolderMaker(const Checkpoint& source, const fs::path& path, const WriteOptions& options)
      : source_(source),
        options_(options),
        stored_(StoredTensors::open(source.path())),
        plan_(plan_folder(source, stored_, options)),
        folder_(path, OutputFolder::Existing::replaced) {
    std::vector<safetensors::NewTensor> all;
    for (const FolderTensor& tensor : plan_.tensors) {
      first_.push_back(all.size());
      for (auto& stored : tensor.stored(row_scales())) all.push_back(std::move(stored));
      report_.source_bytes += tensor.source_bytes();
      const bool counts = !tensor.planned.spec.name.empty() && !tensor.is_dead;
      if (counts) report_.count(tensor.planned, plan_.quantization);
    }
    writer_.emplace(folder_.place(), all);
  }

  WriteReport write() {
    const auto files = folder_files(source_, plan_);
    report_.left_out = plan_.left_out;
    report_.towers = plan_.tower_reports;
    report_.has_tokenizer = source_.tokenizer_source() != TokenizerSource::none;
    report_.bytes = writer_->total_size();
    for (const FolderFile& file : files) report_.bytes += file.bytes();
    check_free_space(folder_.path(), report_.bytes);
    for (const FolderFile& file : files) write_file(folder_.place(), file);
    for (std::size_t i = 0; i < plan_.tensors.size(); ++i) {
      if (plan_.tensors[i].is_copied()) {
        copy(i);
      } else {
        encode(i);
      }
    }
    source_.check_unchanged();
    source_.check_vision_unchanged();
    source_.check_audio_unchanged();
    stored_.check_unchanged();
    writer_->finish();
    folder_.finish();
    return std::move(report_);
  }

 private:
  bool row_scales() const { return options_.mix.type == FileType::fp8_dynamic; }

  void copy(std::size_t index) {
    constexpr std::size_t kPiece = 8 << 20;
    const FolderTensor& tensor = plan_.tensors[index];
    const auto bytes = tensor.copied;
    const bool text = !tensor.planned.spec.name.empty();  // limits of other parts may be infinite
    const DType type = tensor.planned.type;
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      const auto piece = bytes.subspan(at, std::min(kPiece, bytes.size() - at));
      if (text) {
        const auto size = static_cast<std::size_t>(traits(type).block_bytes);  // of a float
        check_finite(tensor.name, type, piece, static_cast<std::int64_t>(at / size),
                     tensor.planned.spec.shape.back());
      }
      writer_->write(first_[index], piece);
      stored_.drop_pages(piece);
      tell(piece.size());
    }
  }

  void encode(std::size_t index) {
    const FolderTensor& tensor = plan_.tensors[index];
    EncodeTask task;
    task.type = tensor.planned.type;
    task.rounding = options_.rounding;
    task.compare_rounding = options_.compare_rounding;
    if (tensor.tower != nullptr) {
      report_.towers.of(tensor.tower_kind)
          ->error.add(encode_tower_tensor(*tensor.tower, task, stream(first_[index])));
      return;
    }
    task.row_scales = row_scales() && task.type == DType::f8_e4m3;
    task.binary_row_scales = task.row_scales;
    if (options_.importance) task.importance = options_.importance(tensor.planned.spec.name);
    task.tensor_scale = tensor_scale(tensor);
    const EncodeStream to_folder = stream(first_[index]);
    for (const HostTensor& part : tensor.parts) {
      const EncodedScales scales = encode_tensor(part, task, to_folder);
      if (!tensor.is_dead) report_.of(tensor.planned.tensor_class).error.add(scales.error);
      write_scales(index, scales);
    }
  }

  void write_scales(std::size_t index, const EncodedScales& scales) {
    const FolderTensor& tensor = plan_.tensors[index];
    const std::size_t first = first_[index];
    if (tensor.planned.type == DType::nvfp4_packed) {
      CHECK(scales.tensor_scales.size() == 1, "{}", tensor.name);
      const float divisor = divisor_of(scales.tensor_scales[0]);
      writer_->write(first + 1, scales.block_scales);
      writer_->write(first + 2, std::as_bytes(std::span(&divisor, 1)));
    } else if (tensor.planned.type == DType::f8_e4m3) {
      const auto& factors = row_scales() ? scales.row_scales : scales.tensor_scales;
      writer_->write(first + 1, std::as_bytes(std::span(factors)));
    }
  }

  /// A power of two, so that every reader's arithmetic gives the same values, and the
  /// same for tensors that vLLM multiplies as one.
  std::optional<float> tensor_scale(const FolderTensor& tensor) {
    const DType type = tensor.planned.type;
    const bool has_one = type == DType::nvfp4_packed || (type == DType::f8_e4m3 && !row_scales());
    if (!has_one || keeps_codes(tensor)) return std::nullopt;
    const std::string group = fused_group(tensor.planned.spec.name);
    const auto known = group_scales_.find(group);
    if (!group.empty() && known != group_scales_.end()) return known->second;
    float largest = 0;
    for (const FolderTensor& other : plan_.tensors) {
      const bool together = &other == &tensor ||
                            (!group.empty() && !other.is_copied() && other.planned.type == type &&
                             fused_group(other.planned.spec.name) == group);
      if (!together || keeps_codes(other)) continue;
      for (const HostTensor& part : other.parts) {
        for (const float found : largest_magnitudes(part, stream(0))) {
          largest = std::max(largest, found);
        }
      }
    }
    const float scale =
        binary_scale(type == DType::f8_e4m3 ? quantize::fp8_tensor_scale(largest)
                                            : quantize::nvfp4_tensor_scale(largest));
    if (!group.empty()) group_scales_[group] = scale;
    return scale;
  }

  /// Its codes and scales are taken over from the source.
  static bool keeps_codes(const FolderTensor& tensor) {
    const DType from = tensor.parts[0].dtype;
    const bool nvfp4 = from == DType::nvfp4 || from == DType::nvfp4_packed;
    const bool one_scale = from == DType::f8_e4m3 && tensor.parts[0].scales.row_scales.empty();
    return tensor.planned.type == DType::nvfp4_packed ? nvfp4 : one_scale;
  }

  EncodeStream stream(std::size_t index) {
    EncodeStream stream;
    stream.n_threads = options_.n_threads;
    stream.sink = [this, index](std::span<const std::byte> bytes) { writer_->write(index, bytes); };
    stream.progress = [this](std::uint64_t bytes) { tell(bytes); };
    stream.drop = [this](std::span<const std::byte> bytes) {
      HostTensor part;
      part.data = bytes;
      source_.drop_pages(part);
    };
    return stream;
  }

  void tell(std::uint64_t bytes) {
    source_.check_unchanged();  // the rest is not worth the time
    done_ += bytes;
    if (options_.progress) options_.progress(done_, report_.source_bytes);
  }

  const Checkpoint& source_;
  const WriteOptions& options_;
  StoredTensors stored_;
  FolderPlan plan_;
  OutputFolder folder_;
  std::optional<safetensors::FolderWriter> writer_;  // its files lie in folder_
  std::vector<std::size_t> first_;                   // of each tensor's stored ones
  std::map<std::string, float> group_scales_;
  std::uint64_t done_ = 0;
  WriteReport report_;
};

}  // namespace

WriteReport write_folder(const Checkpoint& source, const fs::path& path,
                         const WriteOptions& options) {
  check_is_not_source(path, source);
  refuse_lost_towers(source, Container::folder, options);
  check_is_replaceable(path);
  return read_unchanged(source, [&] { return FolderMaker(source, path, options).write(); });
}

}  // namespace pleiad::convert
