#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/encode_stream.h"
#include "convert/mix.h"
#include "model/checkpoint.h"
#include "model/gemma4/encoder_kind.h"
#include "quantize/encode.h"

namespace pleiad::convert {

/// What becomes of a tower, or of an embedder.
struct TowerOptions {
  /// The type of its matrices; nothing: they stay as they are. In a folder bf16, f16 or f32.
  std::optional<DType> type = {};
  bool left_out = false;
};

/// What a model is written with, whichever kind of file it becomes.
struct WriteOptions {
  Mix mix;
  quantize::Rounding rounding = quantize::Rounding::search;
  /// How much the columns of a matrix count, by our name of it, as EncodeTask has
  /// it; an empty span for a matrix that nothing is known of. Null: all alike.
  std::function<std::span<const float>(std::string_view tensor)> importance = {};
  /// Measure what nearest rounding would have cost, on the same sample.
  bool compare_rounding = false;
  /// A folder, with FileType::as_is: quantized values that it cannot hold as they are
  /// are decoded to BF16. Without that they are an Error.
  bool dequantize = false;
  gemma4::PerEncoder<TowerOptions> towers = {};
  /// Of a GGUF file: the projector file that its towers go into; empty: the one beside it
  /// (gemma4::projector_path_beside).
  std::filesystem::path projector = {};
  int n_threads = 1;
  /// Told the bytes of the source that are done and all of them, after each
  /// megabyte or so. What it throws ends the writing, and nothing is left behind.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// What tensors of one class take, stored as one type.
struct TypeShare {
  std::uint64_t n_tensors = 0;
  std::uint64_t n_elements = 0;
  std::uint64_t bytes = 0;
};

struct ClassReport {
  std::map<DType, TypeShare> types;
  ErrorSums error;  // of the tensors that were rounded
};

/// A tensor that is stored as another type than the mix asks for.
struct Fallback {
  std::string tensor;  // our name
  std::int64_t cols = 0;
  DType wanted = DType::f32;
  DType type = DType::f32;
};

struct TowerTensor;

/// What was written of a tower, or of an embedder.
struct TowerReport {
  bool is_embedder = false;
  std::uint64_t bytes = 0;  // of its tensors
  std::map<DType, TypeShare> types;
  std::vector<Fallback> fallbacks;
  ErrorSums error;  // of the tensors that were rounded

  void count(const TowerTensor& tensor);
  void count(DType type, std::uint64_t n_elements, std::uint64_t n_bytes);
};

/// The file beside a GGUF file that its towers went into.
struct ProjectorReport {
  std::filesystem::path file;
  std::uint64_t bytes = 0;
};

/// What was written, for the user.
struct WriteReport {
  std::uint64_t source_bytes = 0;  // of the tensors that the text model uses
  std::uint64_t bytes = 0;         // of all files written
  std::uint64_t n_elements = 0;    // weights
  std::array<ClassReport, kTensorClassCount> classes;
  std::vector<Fallback> fallbacks;
  UnusedTensors left_out;
  // Not in the sums above but for the bytes read; in a folder among all tensors.
  gemma4::PerEncoder<std::optional<TowerReport>> towers;
  std::optional<ProjectorReport> projector;
  bool has_tokenizer = false;

  ClassReport& of(TensorClass tensor_class) {
    return classes[static_cast<std::size_t>(tensor_class)];
  }
  const ClassReport& of(TensorClass tensor_class) const {
    return classes[static_cast<std::size_t>(tensor_class)];
  }

  /// Counts a planned tensor and its fallback, if it is one.
  void count(const PlannedTensor& tensor, FileType file_type);

  double bits_per_weight() const;
  /// Of all classes.
  ErrorSums total_error() const;
};

}  // namespace pleiad::convert
