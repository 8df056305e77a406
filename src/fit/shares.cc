#include "fit/shares.h"

#include <array>

#include "base/check.h"

namespace pleiad::fit {
namespace {

/// By type: of the bandwidth for one token, of the matrix rate for a prompt.
struct TypeShares {
  DType type;
  double decode;
  double amx;      // beside bf16 tiles
  double vectors;  // beside f32 multiply-adds; above 1 where bytes are multiplied
};

// clang-format off
constexpr std::array kShares = {
    TypeShares{DType::f32, 0.96, 0.03, 0.70},
    TypeShares{DType::f16, 0.98, 0.03, 0.70},
    TypeShares{DType::bf16, 0.96, 0.38, 0.70},
    TypeShares{DType::f8_e4m3, 0.82, 0.31, 0.60},
    TypeShares{DType::q8_0, 0.91, 0.34, 1.40},
    TypeShares{DType::q4_0, 0.91, 0.37, 1.40},
    TypeShares{DType::q4_1, 0.60, 0.02, 0.30},
    TypeShares{DType::q5_0, 0.59, 0.34, 1.40},  // read as 34 bytes for 22
    TypeShares{DType::q5_1, 0.60, 0.02, 0.30},
    TypeShares{DType::q4_k, 0.85, 0.28, 1.10},
    TypeShares{DType::q5_k, 0.84, 0.32, 1.10},
    TypeShares{DType::q6_k, 0.82, 0.33, 1.10},
    TypeShares{DType::nvfp4, 0.90, 0.32, 1.10},
    TypeShares{DType::nvfp4_packed, 0.90, 0.32, 1.10},
};
static_assert(kShares.size() == kDTypeCount);
// clang-format on

const TypeShares& shares_of(DType type) {
  const TypeShares& shares = kShares[static_cast<std::size_t>(type)];
  CHECK(shares.type == type, "{}", name(type));
  return shares;
}

constexpr KernelCosts kMatrixUnit = {115e-6, 0.15, 0.7e-9};
constexpr KernelCosts kVectors = {115e-6, 0.50, 0.7e-9};

}  // namespace

double decode_share(DType type) { return shares_of(type).decode; }

const KernelCosts& costs_of(KernelSet kernels) {
  const bool vectors = kernels == KernelSet::avx512 || kernels == KernelSet::avx2 ||
                       kernels == KernelSet::neon || kernels == KernelSet::scalar;
  return vectors ? kVectors : kMatrixUnit;
}

double prompt_share(DType type, KernelSet kernels) {
  const TypeShares& shares = shares_of(type);
  return &costs_of(kernels) == &kVectors ? shares.vectors : shares.amx;
}

Errors prediction_errors(KernelSet kernels, bool has_experts) {
  Errors errors = {0.15, 0.25};
  if (kernels != KernelSet::amx) errors = {0.3, 0.5};
  if (has_experts) errors = {errors.decode + 0.1, errors.prefill + 0.1};
  return errors;
}

}  // namespace pleiad::fit
