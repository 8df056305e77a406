#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "quantize/encode.h"
#include "tensor/host_tensor.h"

namespace pleiad::convert {

/// How a whole tensor is written.
struct EncodeTask {
  DType type = DType::q8_0;
  quantize::Rounding rounding = quantize::Rounding::search;
  /// f8_e4m3: a scale for every row instead of one for the tensor.
  bool row_scales = false;
  /// The scale of the whole tensor (nvfp4, nvfp4_packed, f8_e4m3); nothing: the one that
  /// makes best use of the range, for every slice.
  std::optional<float> tensor_scale = {};
  /// Scales of rows are powers of two, so that products with them are exact.
  bool binary_row_scales = false;
  /// How much the squared error of each column counts: [cols], or for experts
  /// [experts * cols]; empty: all alike.
  std::span<const float> importance = {};
  /// Measure too what nearest rounding, and search without importance, would have
  /// cost, on the same sample.
  bool compare_rounding = false;
};

/// Sums over all values, estimated from a sample of rows; relative errors follow.
struct ErrorSums {
  std::uint64_t n_values = 0;  // of the sample
  double values = 0;           // sum of squares of the values
  double errors = 0;           // sum of squares of what decoding our bytes misses
  double nearest = 0;          // the same of nearest rounding, where compared; else errors
  // The same with every column's square times its importance.
  double weighted_values = 0;
  double weighted_errors = 0;
  double weighted_even = 0;  // of a search in which all columns count alike

  void add(const ErrorSums& other);
  void scale(double factor);
  /// Root of one of the sums of errors over that of the values; 0 where these are zeros.
  static double relative(double errors, double values);
};

/// What stands beside the data of an encoded tensor, known when it is written.
struct EncodedScales {
  std::vector<float> tensor_scales;     // nvfp4, nvfp4_packed, f8_e4m3: one, or one an expert
  std::vector<float> row_scales;        // [rows], with EncodeTask::row_scales
  std::vector<std::byte> block_scales;  // nvfp4_packed: E4M3, [rows, cols / 16]
  ErrorSums error;                      // none where the bytes were copied
};

/// What the work needs of its surroundings.
struct EncodeStream {
  int n_threads = 1;
  /// Takes the encoded bytes in order.
  std::function<void(std::span<const std::byte>)> sink;
  /// Told the bytes of the source that are done since the last call; what it
  /// throws ends the work.
  std::function<void(std::uint64_t)> progress = {};
  /// Gives memory of the source back: its data is not needed again.
  std::function<void(std::span<const std::byte>)> drop = {};
};

/// Encodes all rows of `source` in pieces of about a megabyte: every stored type
/// to every type of EncodeOptions, and a plain copy where the types are the same.
/// The bytes do not depend on the number of threads. What memory it takes is
/// bounded: a few pieces a thread and the scales. Where the type is the same, or
/// the other layout of NVFP4, values stay bit for bit and the scales are handed
/// back. Throws Error that names the tensor, the row and the column of a value that
/// is not finite or too large for F16.
EncodedScales encode_tensor(const HostTensor& source, const EncodeTask& task,
                            const EncodeStream& stream);

/// The largest magnitude among the values of each slice, of which experts are one each.
/// Uses threads and progress of `stream`. Throws Error as encode_tensor does.
std::vector<float> largest_magnitudes(const HostTensor& source, const EncodeStream& stream);

/// The least power of two that is no less than `scale`, which is positive; within limits
/// that its inverse has too.
float binary_scale(float scale);

/// Bytes that the sink gets.
std::uint64_t encoded_bytes(const Shape& shape, DType type);

}  // namespace pleiad::convert
