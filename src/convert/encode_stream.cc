#include "convert/encode_stream.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/piece_stream.h"
#include "base/text_format.h"
#include "convert/finite.h"
#include "convert/repack.h"
#include "convert/row_pieces.h"
#include "tensor/decode.h"

namespace pleiad::convert {
namespace {

bool has_tensor_scale(DType type) {
  return type == DType::nvfp4 || type == DType::nvfp4_packed || type == DType::f8_e4m3;
}

/// One row of a source that all values of are finite.
void decode_finite_row(const HostTensor& source, std::int64_t row, std::span<float> out) {
  decode_row(source, row, out.data());
  const auto wrong = std::ranges::find_if(out, [](float v) { return !std::isfinite(v); });
  if (wrong == out.end()) return;
  throw Error("tensor '{}': row {}, column {} is {}, which cannot be stored",
              printable(source.name), row, wrong - out.begin(), *wrong);
}

float largest_magnitude(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

/// The scale of each slice. One that is not the same for all reaches us as one for
/// each of its rows.
std::vector<float> tensor_scales_of(const HostTensor& source) {
  const auto n_slices = static_cast<std::size_t>(slice_count(source.shape));
  const std::vector<float>& by_row = source.scales.row_scales;
  std::vector<float> scales(n_slices, source.scales.tensor_scale);
  if (by_row.empty()) return scales;
  for (std::size_t i = 0; i < n_slices; ++i) scales[i] *= by_row[i * (by_row.size() / n_slices)];
  return scales;
}

/// Turns the rows of one tensor into those of another type.
class TensorEncoder {
 public:
  TensorEncoder(const HostTensor& source, const EncodeTask& task, const EncodeStream& stream)
      : source_(source),
        task_(task),
        stream_(stream),
        cols_(static_cast<std::size_t>(source.cols())),
        target_row_(row_bytes(task.type, cols_)),
        pieces_(row_pieces(source, target_row_)) {
    const auto n_slices = static_cast<std::size_t>(slice_count(source.shape));
    CHECK(task.importance.empty() || task.importance.size() == cols_ ||
              task.importance.size() == cols_ * n_slices,
          "{}: {} importances of {} columns", source.name, task.importance.size(), cols_);
  }

  EncodedScales run() {
    const auto rows = static_cast<std::size_t>(source_.rows());
    if (task_.type == DType::nvfp4_packed) result_.block_scales.resize(rows * (cols_ / 16));
    if (task_.row_scales) result_.row_scales.resize(rows);
    if (is_repack(source_.dtype, task_.type)) {
      result_.tensor_scales = tensor_scales_of(source_);
    } else if (has_tensor_scale(task_.type) && !task_.row_scales) {
      find_tensor_scales();
    }
    sums_.resize(pieces_.size());
    std::vector<std::size_t> sizes;
    for (const RowPiece& piece : pieces_) {
      sizes.push_back(static_cast<std::size_t>(piece.count) * target_row_);
    }
    produce(
        std::move(sizes),
        [this](std::size_t index, std::span<std::byte> out) { encode(index, out); },
        [this](std::size_t index, std::span<const std::byte> bytes) {
          stream_.sink(bytes);
          const auto done = source_bytes(source_, pieces_[index]);
          if (stream_.progress) stream_.progress(done.size());
          if (stream_.drop) stream_.drop(done);
        });
    for (const ErrorSums& sums : sums_) result_.error.add(sums);
    // As if all rows had been looked at, so that sums of several tensors can be added.
    const auto n_all = static_cast<double>(element_count(source_.shape));
    if (result_.error.n_values > 0) {
      result_.error.scale(n_all / static_cast<double>(result_.error.n_values));
    }
    if (stream_.drop) stream_.drop(source_.data);
    return std::move(result_);
  }

  /// Of each slice.
  std::vector<float> largest() const {
    std::vector<float> largest(static_cast<std::size_t>(slice_count(source_.shape)), 0.0F);
    produce(
        std::vector<std::size_t>(pieces_.size(), sizeof(float)),
        [this](std::size_t index, std::span<std::byte> out) {
          const float found = largest_of(pieces_[index]);
          std::memcpy(out.data(), &found, sizeof found);
        },
        [&](std::size_t index, std::span<const std::byte> bytes) {
          float found = 0;
          std::memcpy(&found, bytes.data(), sizeof found);
          float& of_slice = largest[static_cast<std::size_t>(pieces_[index].slice)];
          of_slice = std::max(of_slice, found);
          if (stream_.progress) stream_.progress(0);
        });
    return largest;
  }

 private:
  /// Makes pieces on the stream's threads and takes them in order on this one. A
  /// single piece is not worth a thread.
  template <typename Make, typename Take>
  void produce(std::vector<std::size_t> sizes, Make make, Take take) const {
    if (sizes.size() == 1) {
      std::vector<std::byte> bytes(sizes[0]);
      make(std::size_t{0}, std::span(bytes));
      take(std::size_t{0}, std::span<const std::byte>(bytes));
      return;
    }
    const std::size_t ahead = static_cast<std::size_t>(stream_.n_threads) * 2;
    PieceStream pieces(std::move(sizes), stream_.n_threads,
                       [&](std::size_t index, std::span<std::byte> out) {
                         if (index + ahead < pieces_.size()) {
                           request_pages(source_bytes(source_, pieces_[index + ahead]));
                         }
                         make(index, out);
                       });
    for (std::size_t i = 0; i < pieces_.size(); ++i) take(i, pieces.next());
  }

  void find_tensor_scales() {
    if (task_.tensor_scale) {
      result_.tensor_scales.assign(static_cast<std::size_t>(slice_count(source_.shape)),
                                   *task_.tensor_scale);
      return;
    }
    for (const float value : largest()) {
      result_.tensor_scales.push_back(task_.type == DType::f8_e4m3
                                          ? quantize::fp8_tensor_scale(value)
                                          : quantize::nvfp4_tensor_scale(value));
    }
  }

  float largest_of(const RowPiece& piece) const {
    std::vector<float> values(cols_);
    float largest = 0;
    for (std::int64_t row = piece.first; row < piece.first + piece.count; ++row) {
      decode_finite_row(source_, row, values);
      largest = std::max(largest, largest_magnitude(values));
    }
    return largest;
  }

  quantize::EncodeOptions options_for(const RowPiece& piece) const {
    quantize::EncodeOptions options;
    options.type = task_.type;
    options.rounding = task_.rounding;
    const auto slice = static_cast<std::size_t>(piece.slice);
    if (!result_.tensor_scales.empty()) options.tensor_scale = result_.tensor_scales[slice];
    const bool by_slice = task_.importance.size() > cols_;
    if (!task_.importance.empty()) {
      options.importance = task_.importance.subspan(by_slice ? slice * cols_ : 0, cols_);
    }
    return options;
  }

  std::span<std::byte> block_scales_of(std::int64_t row) {
    if (result_.block_scales.empty()) return {};
    const std::size_t count = cols_ / 16;
    return std::span(result_.block_scales).subspan(static_cast<std::size_t>(row) * count, count);
  }

  void encode(std::size_t index, std::span<std::byte> out) {
    const RowPiece& piece = pieces_[index];
    if (is_repack(source_.dtype, task_.type)) return repack(piece, out);
    quantize::EncodeOptions options = options_for(piece);
    std::vector<float> values(cols_);
    for (std::int64_t row = piece.first; row < piece.first + piece.count; ++row) {
      decode_finite_row(source_, row, values);
      std::byte* target = out.data() + static_cast<std::size_t>(row - piece.first) * target_row_;
      if (task_.type == DType::f32) {
        std::memcpy(target, values.data(), target_row_);
        continue;
      }
      const auto place = static_cast<std::size_t>(row);
      if (task_.row_scales) {
        const float scale = quantize::fp8_tensor_scale(largest_magnitude(values));
        options.tensor_scale = task_.binary_row_scales ? binary_scale(scale) : scale;
        result_.row_scales[place] = options.tensor_scale;
      }
      if (!has_tensor_scale(task_.type)) check_range(row, values);
      const std::span<std::byte> block_scales = block_scales_of(row);
      quantize::encode_row(options, values, target, block_scales.data());
      measure(row, values, options, {target, target_row_}, block_scales, sums_[index]);
    }
  }

  void repack(const RowPiece& piece, std::span<std::byte> out) {
    for (std::int64_t row = piece.first; row < piece.first + piece.count; ++row) {
      const auto data = source_bytes(source_, {row, 1, piece.slice});
      std::byte* target = out.data() + static_cast<std::size_t>(row - piece.first) * target_row_;
      if (task_.type == DType::nvfp4_packed) {
        packed_from_blocks(data, target, block_scales_of(row).data());
        continue;
      }
      const std::size_t count = cols_ / 16;
      const auto scales =
          source_.scales.block_scales.subspan(static_cast<std::size_t>(row) * count, count);
      if (blocks_from_packed(data, scales, target)) continue;
      throw Error("tensor '{}': row {} has a scale that is not a number", printable(source_.name),
                  row);
    }
  }

  /// A value beyond what the type can hold would be cut off.
  void check_range(std::int64_t row, std::span<const float> values) const {
    const float largest = quantize::largest_value(task_.type);
    const auto wrong =
        std::ranges::find_if(values, [&](float v) { return std::fabs(v) > largest; });
    if (wrong == values.end()) return;
    throw Error("tensor '{}': row {}, column {} is {}, too large for {}", printable(source_.name),
                row, wrong - values.begin(), *wrong, name(task_.type));
  }

  /// Every row of small tensors, one of sixteen of large ones.
  bool is_in_sample(std::int64_t row) const { return source_.rows() < 256 || row % 16 == 0; }

  void measure(std::int64_t row, std::span<const float> values,
               const quantize::EncodeOptions& options, std::span<const std::byte> data,
               std::span<const std::byte> block_scales, ErrorSums& sums) const {
    if (!is_in_sample(row)) return;
    std::vector<float> decoded(cols_);
    decode_encoded(options, data, block_scales, decoded);
    std::vector<float> nearest = decoded;
    std::vector<float> even = decoded;
    if (task_.compare_rounding && options.rounding == quantize::Rounding::search) {
      quantize::EncodeOptions other = options;
      other.importance = {};
      if (!options.importance.empty()) encode_and_decode(other, values, even);
      other.rounding = quantize::Rounding::nearest;
      encode_and_decode(other, values, nearest);
    }
    const auto square = [](double value) { return value * value; };
    for (std::size_t col = 0; col < cols_; ++col) {
      const double weight = options.importance.empty() ? 1.0 : options.importance[col];
      sums.values += square(values[col]);
      sums.errors += square(values[col] - decoded[col]);
      sums.nearest += square(values[col] - nearest[col]);
      sums.weighted_values += weight * square(values[col]);
      sums.weighted_errors += weight * square(values[col] - decoded[col]);
      sums.weighted_even += weight * square(values[col] - even[col]);
    }
    sums.n_values += cols_;
  }

  void encode_and_decode(const quantize::EncodeOptions& options, std::span<const float> values,
                         std::span<float> out) const {
    std::vector<std::byte> bytes(target_row_);
    std::vector<std::byte> scales(task_.type == DType::nvfp4_packed ? cols_ / 16 : 0);
    quantize::encode_row(options, values, bytes.data(), scales.data());
    decode_encoded(options, bytes, scales, out);
  }

  void decode_encoded(const quantize::EncodeOptions& options, std::span<const std::byte> data,
                      std::span<const std::byte> block_scales, std::span<float> out) const {
    HostTensor row{source_.name, task_.type, {1, source_.cols()}, data, {}};
    row.scales.block_scales = block_scales;
    row.scales.tensor_scale = options.tensor_scale;
    decode_row(row, 0, out.data());
  }

  const HostTensor& source_;
  const EncodeTask& task_;
  const EncodeStream& stream_;
  std::size_t cols_;
  std::size_t target_row_;
  std::vector<RowPiece> pieces_;
  std::vector<ErrorSums> sums_;  // by piece, so that threads do not change their order
  EncodedScales result_;
};

/// Scales whose data is kept.
EncodedScales scales_of(const HostTensor& source, bool as_rows) {
  EncodedScales scales;
  const SideScales& from = source.scales;
  scales.block_scales.assign(from.block_scales.begin(), from.block_scales.end());
  if (!has_tensor_scale(source.dtype)) return scales;
  if (!as_rows) {
    scales.tensor_scales = tensor_scales_of(source);
    return scales;
  }
  scales.row_scales = from.row_scales;
  if (from.row_scales.empty()) {
    scales.row_scales.assign(static_cast<std::size_t>(source.rows()), 1.0F);
  }
  for (float& scale : scales.row_scales) scale *= from.tensor_scale;
  return scales;
}

/// Bytes that are kept, in pieces.
EncodedScales copy(const HostTensor& source, bool as_rows, const EncodeStream& stream) {
  const auto pieces = row_pieces(source, source.bytes_per_row());
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i + kAhead < pieces.size()) request_pages(source_bytes(source, pieces[i + kAhead]));
    const auto bytes = source_bytes(source, pieces[i]);
    check_finite(source.name, source.dtype, bytes, pieces[i].first * source.cols(), source.cols());
    stream.sink(bytes);
    if (stream.progress) stream.progress(bytes.size());
    if (stream.drop) stream.drop(bytes);
  }
  if (stream.drop) stream.drop(source.data);
  return scales_of(source, as_rows);
}

}  // namespace

void ErrorSums::add(const ErrorSums& other) {
  n_values += other.n_values;
  values += other.values;
  errors += other.errors;
  nearest += other.nearest;
  weighted_values += other.weighted_values;
  weighted_errors += other.weighted_errors;
  weighted_even += other.weighted_even;
}

void ErrorSums::scale(double factor) {
  for (double* sum :
       {&values, &errors, &nearest, &weighted_values, &weighted_errors, &weighted_even}) {
    *sum *= factor;
  }
}

double ErrorSums::relative(double errors, double values) {
  return values > 0 ? std::sqrt(errors / values) : 0;
}

std::vector<float> largest_magnitudes(const HostTensor& source, const EncodeStream& stream) {
  EncodeTask task;
  task.type = DType::f32;
  return TensorEncoder(source, task, stream).largest();
}

float binary_scale(float scale) {
  CHECK(scale > 0, "scale {}", scale);
  int exponent = 0;
  const float fraction = std::frexp(scale, &exponent);  // from one half to one
  constexpr int kMost = 100;
  return std::ldexp(1.0F, std::clamp(fraction == 0.5F ? exponent - 1 : exponent, -kMost, kMost));
}

std::uint64_t encoded_bytes(const Shape& shape, DType type) {
  const auto cols = static_cast<std::size_t>(shape.back());
  return static_cast<std::uint64_t>(element_count(shape)) / cols * row_bytes(type, cols);
}

EncodedScales encode_tensor(const HostTensor& source, const EncodeTask& task,
                            const EncodeStream& stream) {
  // Rows of FP8 that have a scale each cannot share one.
  const bool rows_stay =
      source.dtype != DType::f8_e4m3 || source.scales.row_scales.empty() || task.row_scales;
  const bool stays = source.dtype == task.type && rows_stay;
  EncodedScales scales =
      stays ? copy(source, task.row_scales, stream) : TensorEncoder(source, task, stream).run();
  const std::size_t scale_bytes = source.scales.block_scales.size();
  if (scale_bytes > 0 && stream.progress) stream.progress(scale_bytes);
  return scales;
}

}  // namespace pleiad::convert
