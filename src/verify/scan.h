#pragma once

#include <array>
#include <cstdint>

#include "tensor/host_tensor.h"
#include "verify/magnitudes.h"

namespace pleiad::verify {

/// Where in a tensor something is. All dimensions but the last count as rows.
struct Place {
  std::int64_t row = -1;
  std::int64_t col = -1;  // -1: the whole row

  bool operator==(const Place&) const = default;
};

/// How often something was seen, and where first.
struct Count {
  std::uint64_t n = 0;
  Place first;

  void note(Place place) {
    if (n++ == 0) first = place;
  }
  /// `later` lies behind what was counted so far.
  void add(const Count& later) {
    if (n == 0) first = later.first;
    n += later.n;
  }
};

/// What was found in a part of a tensor.
struct Scan {
  std::uint64_t n_values = 0;
  Count nan;
  Count infinite;
  Count bad_scales;   // inside of blocks: not finite, or negative where they have no sign
  Count zero_rows;    // of nothing but zeros
  Count zero_blocks;  // the same of blocks, in other rows
  float largest = 0;  // magnitude, of finite values and without scales that lie apart
  Place largest_at;   // its row, or the place in a single row
  /// The largest of each row; of a single row, each value.
  Magnitudes magnitudes;
  float first_value = 0;
  bool constant = true;  // every value is first_value
  /// Of types with codes: which of them appear, in one of sixteen rows of large tensors.
  std::array<bool, 256> codes = {};

  /// Of rows behind those that were scanned so far.
  void add(const Scan& later);
};

/// Codes that a stored type has; 0 for plain floats. Of NVFP4 and FP8, which have a sign
/// bit, those of one sign.
int code_count(DType type);

/// Scans rows [first, first + count) of values as they are stored: scales that lie in
/// tensors of their own are left out (those of `tensor` need not be set).
Scan scan_rows(const HostTensor& tensor, std::int64_t first, std::int64_t count);

/// What was found among factors.
struct ScaleScan {
  Count nan;
  Count infinite;
  Count negative;
  Count zero;
  float largest = 0;  // of the finite ones
  Place largest_at;
  Magnitudes magnitudes;
};

/// Scans a tensor of factors, of a plain float type or FP8.
ScaleScan scan_scales(const HostTensor& tensor);

}  // namespace pleiad::verify
