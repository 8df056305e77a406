#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/stored_tensors.h"
#include "verify/scan.h"

namespace pleiad::verify {

/// wrong: the model cannot compute what it was trained to; suspicious: may be meant so.
enum class Severity : std::uint8_t { wrong, suspicious };

enum class Kind : std::uint8_t {
  cannot_load,  // the model as a whole: a tensor is missing, has another shape
  nan,
  infinite,
  bad_scale,  // NaN, infinite, negative, or zero where a whole row or tensor would be
  zero_tensor,
  constant,  // every value of a tensor is the same
  zero_rows,
  zero_blocks,
  unused_codes,   // a scale that leaves codes without use
  far_out,        // a value or a scale far beyond what the tensor's others reach
  unlike_layers,  // a tensor far larger or smaller than the same of other layers
  not_checked,    // of a type that cannot be decoded
};

/// "nan", "zero_rows"
std::string_view name(Kind kind);
std::string_view name(Severity severity);

struct Finding {
  Severity severity = Severity::wrong;
  Kind kind = Kind::nan;
  std::string tensor;  // as in the file; empty: the model as a whole
  std::string ours;    // our name, where there is one
  std::uint64_t count = 1;
  Place first;
  std::string text;  // "3 of 16,384 values are NaN"
};

/// What is to be said of a tensor of values, in the order of Kind.
void judge(const StoredTensor& tensor, const Scan& scan, std::vector<Finding>& findings);
/// The same of a tensor of factors.
void judge(const StoredTensor& tensor, const ScaleScan& scan, std::vector<Finding>& findings);

}  // namespace pleiad::verify
