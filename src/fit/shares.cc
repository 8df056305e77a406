#include "fit/shares.h"

#include <array>

#include "base/check.h"

namespace pleiad::fit {
namespace {

/// By type: of the bandwidth for one token, of the matrix rate for a prompt.
struct TypeShares {
  DType type;
  double decode;
  double amx;     // beside bf16 tiles
  double avx512;  // beside f32 multiply-adds; above 1 where bytes are multiplied
  double avx2;    // and of all that has neither
};

// clang-format off
constexpr std::array kShares = {
    TypeShares{DType::f32, 0.96, 0.035, 0.45, 0.50},
    TypeShares{DType::f16, 0.98, 0.03, 0.45, 0.50},
    TypeShares{DType::bf16, 0.96, 0.33, 0.44, 0.48},
    TypeShares{DType::f8_e4m3, 0.85, 0.34, 0.40, 0.55},
    TypeShares{DType::q8_0, 0.91, 0.36, 1.25, 0.80},
    TypeShares{DType::q4_0, 0.93, 0.41, 1.30, 1.28},
    TypeShares{DType::q4_1, 0.60, 0.02, 0.30, 0.30},
    TypeShares{DType::q5_0, 0.59, 0.36, 1.25, 0.80},  // read as 34 bytes for 22
    TypeShares{DType::q5_1, 0.60, 0.02, 0.30, 0.30},
    TypeShares{DType::q4_k, 0.88, 0.35, 1.25, 1.05},
    TypeShares{DType::q5_k, 0.85, 0.35, 1.20, 0.82},
    TypeShares{DType::q6_k, 0.87, 0.39, 1.20, 0.67},
    TypeShares{DType::nvfp4, 0.90, 0.38, 1.20, 1.05},
    TypeShares{DType::nvfp4_packed, 0.90, 0.38, 1.20, 1.05},
};
static_assert(kShares.size() == kDTypeCount);
// clang-format on

const TypeShares& shares_of(DType type) {
  const TypeShares& shares = kShares[static_cast<std::size_t>(type)];
  CHECK(shares.type == type, "{}", name(type));
  return shares;
}

constexpr KernelCosts kMatrixUnit = {115e-6, 0.15, 0.17e-9};
constexpr KernelCosts kVectors = {115e-6, 0.50, 0.17e-9};

}  // namespace

double decode_share(DType type) { return shares_of(type).decode; }

const KernelCosts& costs_of(KernelSet kernels) {
  const bool tiles = kernels == KernelSet::amx || kernels == KernelSet::unknown;
  return tiles ? kMatrixUnit : kVectors;
}

double prompt_share(DType type, KernelSet kernels) {
  const TypeShares& shares = shares_of(type);
  switch (kernels) {
    case KernelSet::amx:
    case KernelSet::unknown:
      return shares.amx;
    case KernelSet::avx512:
      return shares.avx512;
    case KernelSet::avx2:
    case KernelSet::neon:
    case KernelSet::scalar:
      return shares.avx2;
  }
  return shares.avx2;
}

Errors prediction_errors(KernelSet kernels, bool has_experts) {
  Errors errors = {0.15, 0.25};
  if (kernels != KernelSet::amx) errors = {0.3, 0.5};
  if (has_experts) errors = {errors.decode + 0.1, errors.prefill + 0.1};
  return errors;
}

}  // namespace pleiad::fit
