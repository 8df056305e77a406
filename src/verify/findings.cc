#include "verify/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text_format.h"

namespace pleiad::verify {
namespace {

/// Fewer values than this prove nothing about how a scale was chosen.
constexpr std::uint64_t kValuesPerCode = 16;
/// Shorter vectors than this may well be of one value.
constexpr std::int64_t kLongVector = 16;
/// Of fewer rows or values nothing is typical.
constexpr std::uint64_t kFewMagnitudes = 8;
/// The largest weights of trained models are a few hundred times what rows typically reach; those
/// of norms vary more.
constexpr double kFarOutRow = 4096;
constexpr double kFarOutValue = 65536;

class Judge {
 public:
  Judge(const StoredTensor& tensor, std::vector<Finding>& findings)
      : tensor_(tensor), findings_(findings) {
    const std::int64_t cols = tensor.shape.empty() ? 1 : tensor.shape.back();
    rows_ = cols == 0 ? 0 : element_count(tensor.shape) / cols;
    cols_ = cols;
  }

  void values(const Scan& scan) {
    wrong_if(Kind::nan, scan.nan, "values are NaN", scan.n_values);
    // Limits that towers clamp to are infinite where there is none.
    const bool limit = tensor_.file_name.ends_with("_min") || tensor_.file_name.ends_with("_max");
    if (!limit) wrong_if(Kind::infinite, scan.infinite, "values are infinite", scan.n_values);
    wrong_if(Kind::bad_scale, scan.bad_scales, "blocks have a scale that is none", 0);
    dead_data(scan);
    codes(scan);
    const bool is_matrix = rows_ > 1;
    if (tensor_.role == TensorRole::auxiliary) return;
    far_out(scan.largest, scan.largest_at, scan.magnitudes, is_matrix ? kFarOutRow : kFarOutValue,
            is_matrix ? "rows typically reach" : "values typically are");
  }

  void scales(const ScaleScan& scan) {
    const auto total = static_cast<std::uint64_t>(rows_ * cols_);
    wrong_if(Kind::bad_scale, scan.nan, "scales are NaN", total);
    wrong_if(Kind::bad_scale, scan.infinite, "scales are infinite", total);
    wrong_if(Kind::bad_scale, scan.negative, "scales are negative", total);
    // One for each block is relative to that of the whole.
    if (tensor_.dtype != DType::f8_e4m3) {
      far_out(scan.largest, scan.largest_at, scan.magnitudes, kFarOutRow, "scales typically are");
    }
    if (scan.zero.n == 0) return;
    // A block of small values may be zero; a row or a whole tensor is dead then.
    const bool of_blocks = tensor_.dtype == DType::f8_e4m3 && rows_ * cols_ > 1;
    if (of_blocks && scan.zero.n < total) {
      add(Severity::suspicious, Kind::zero_blocks, scan.zero, "scales are zero", total);
    } else {
      add(Severity::wrong, Kind::bad_scale, scan.zero, "scales are zero", total);
    }
  }

 private:
  bool used() const { return tensor_.role == TensorRole::text; }
  Severity when_used() const { return used() ? Severity::wrong : Severity::suspicious; }

  void add(Severity severity, Kind kind, const Count& count, std::string_view what,
           std::uint64_t total) {
    std::string text = format_count(count.n);
    if (total > 1) text += fmt::format(" of {}", format_count(total));
    findings_.push_back({severity, kind, tensor_.file_name, tensor_.name, count.n, count.first,
                         fmt::format("{} {}", text, what)});
  }

  void wrong_if(Kind kind, const Count& count, std::string_view what, std::uint64_t total) {
    if (count.n > 0) add(Severity::wrong, kind, count, what, total);
  }

  void far_out(float largest, Place place, const Magnitudes& magnitudes, double most,
               std::string_view what) {
    const auto median = magnitudes.median();
    if (!median || magnitudes.n() < kFewMagnitudes || largest < most * *median) return;
    // Tables have rows for tokens that nothing was learned of.
    const bool counts =
        tensor_.name.starts_with("layers.") && (used() || tensor_.role == TensorRole::scale);
    findings_.push_back(
        {counts ? Severity::wrong : Severity::suspicious, Kind::far_out, tensor_.file_name,
         tensor_.name, 1, place,
         fmt::format("{:.3g} is {:.2g} times what {}", largest, largest / *median, what)});
  }

  void dead_data(const Scan& scan) {
    const auto rows = static_cast<std::uint64_t>(rows_);
    if (rows_ == 0 || (!used() && rows_ * cols_ < kLongVector)) return;
    if (scan.zero_rows.n == rows) {
      findings_.push_back({when_used(),
                           Kind::zero_tensor,
                           tensor_.file_name,
                           tensor_.name,
                           1,
                           {},
                           "all values are zero"});
      return;
    }
    if (scan.constant && (rows_ > 1 || cols_ >= kLongVector) && rows_ * cols_ > 1) {
      findings_.push_back({rows_ > 1 ? when_used() : Severity::suspicious,
                           Kind::constant,
                           tensor_.file_name,
                           tensor_.name,
                           1,
                           {},
                           fmt::format("all values are {}", scan.first_value)});
      return;
    }
    if (scan.zero_rows.n > 0) {
      // Tables have rows for tokens that nothing was learned of.
      const bool of_layer = tensor_.name.starts_with("layers.");
      add(of_layer ? when_used() : Severity::suspicious, Kind::zero_rows, scan.zero_rows,
          "rows are zeros", rows);
    }
    if (scan.zero_blocks.n > 0) {
      add(Severity::suspicious, Kind::zero_blocks, scan.zero_blocks, "blocks are zeros", 0);
    }
  }

  /// The largest code that is in use says whether the scale was chosen for the values.
  void codes(const Scan& scan) {
    const int count = tensor_.dtype ? code_count(*tensor_.dtype) : 0;
    if (count == 0 || scan.n_values < kValuesPerCode * static_cast<std::uint64_t>(count)) return;
    const auto begin = scan.codes.begin();
    const auto end = begin + count;
    const auto lowest = std::find(begin, end, true) - begin;
    int highest = count - 1;
    while (highest > 0 && !scan.codes[static_cast<std::size_t>(highest)]) --highest;
    if (scan.zero_rows.n == static_cast<std::uint64_t>(rows_)) return;
    // A factor of two between the largest code and the largest value there could be.
    bool unused = false;
    switch (*tensor_.dtype) {
      case DType::f8_e4m3:
        unused = scan.largest < 112.0F;  // scales may be powers of two, and shared
        break;
      case DType::nvfp4:
      case DType::nvfp4_packed:
        unused = highest <= 5;
        break;
      default:
        unused = (highest - lowest + 1) * 4 <= count * 3;
    }
    if (!unused) return;
    findings_.push_back(
        {Severity::suspicious,
         Kind::unused_codes,
         tensor_.file_name,
         tensor_.name,
         1,
         {},
         fmt::format("of codes 0 to {} only {} to {} are used", count - 1, lowest, highest)});
  }

  const StoredTensor& tensor_;
  std::vector<Finding>& findings_;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
};

}  // namespace

std::string_view name(Kind kind) {
  constexpr std::array<std::string_view, 12> kNames = {
      "cannot_load", "nan",         "infinite",     "bad_scale", "zero_tensor",   "constant",
      "zero_rows",   "zero_blocks", "unused_codes", "far_out",   "unlike_layers", "not_checked"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view name(Severity severity) {
  return severity == Severity::wrong ? "wrong" : "suspicious";
}

void judge(const StoredTensor& tensor, const Scan& scan, std::vector<Finding>& findings) {
  Judge(tensor, findings).values(scan);
}

void judge(const StoredTensor& tensor, const ScaleScan& scan, std::vector<Finding>& findings) {
  Judge(tensor, findings).scales(scan);
}

}  // namespace pleiad::verify
