#include "fit/shares.h"

#include <array>

#include "base/check.h"

namespace pleiad::fit {
namespace {

/// Of the bandwidth for one token, of the matrix rate for a prompt.
struct Reached {
  double decode;
  double prompt;
};

/// By type and set.
struct TypeShares {
  DType type;
  Reached amx;     // prompts beside bf16 tiles
  Reached avx512;  // beside f32 multiply-adds; above 1 where bytes are multiplied
  Reached avx2;    // and of all that has neither
};

// clang-format off
constexpr std::array kShares = {
    TypeShares{DType::f32, {0.96, 0.035}, {0.94, 0.94}, {0.94, 0.77}},
    TypeShares{DType::f16, {0.98, 0.03}, {0.87, 0.92}, {0.87, 0.67}},
    TypeShares{DType::bf16, {0.96, 0.33}, {0.85, 0.94}, {0.85, 0.83}},
    TypeShares{DType::f8_e4m3, {0.85, 0.34}, {0.60, 0.90}, {0.50, 0.82}},
    TypeShares{DType::q8_0, {0.91, 0.36}, {0.88, 2.70}, {0.85, 0.99}},
    TypeShares{DType::q4_0, {0.93, 0.41}, {0.86, 2.60}, {0.87, 1.87}},
    TypeShares{DType::q4_1, {0.60, 0.02}, {0.60, 0.30}, {0.60, 0.30}},
    TypeShares{DType::q5_0, {0.59, 0.36}, {0.57, 2.70}, {0.55, 0.99}},  // read as 34 bytes for 22
    TypeShares{DType::q5_1, {0.60, 0.02}, {0.60, 0.30}, {0.60, 0.30}},
    TypeShares{DType::q4_k, {0.88, 0.35}, {0.84, 2.30}, {0.69, 1.68}},
    TypeShares{DType::q5_k, {0.85, 0.35}, {0.40, 2.10}, {0.57, 1.38}},
    TypeShares{DType::q6_k, {0.87, 0.39}, {0.54, 2.00}, {0.40, 1.12}},
    TypeShares{DType::nvfp4, {0.90, 0.38}, {0.80, 2.00}, {0.74, 1.54}},
    TypeShares{DType::nvfp4_packed, {0.90, 0.38}, {0.80, 2.00}, {0.74, 1.54}},
};
static_assert(kShares.size() == kDTypeCount);
// clang-format on

const Reached& reached(DType type, KernelSet kernels) {
  const TypeShares& shares = kShares[static_cast<std::size_t>(type)];
  CHECK(shares.type == type, "{}", name(type));
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

constexpr KernelCosts kMatrixUnit = {115e-6, 0.15, 0.17e-9};
constexpr KernelCosts kVectors = {115e-6, 0.50, 0.17e-9};

}  // namespace

double decode_share(DType type, KernelSet kernels) { return reached(type, kernels).decode; }

const KernelCosts& costs_of(KernelSet kernels) {
  const bool tiles = kernels == KernelSet::amx || kernels == KernelSet::unknown;
  return tiles ? kMatrixUnit : kVectors;
}

double prompt_share(DType type, KernelSet kernels) { return reached(type, kernels).prompt; }

Errors prediction_errors(KernelSet kernels, bool has_experts) {
  Errors errors = {0.15, 0.25};
  if (kernels != KernelSet::amx) errors = {0.3, 0.5};
  if (has_experts) errors = {errors.decode + 0.1, errors.prefill + 0.1};
  return errors;
}

}  // namespace pleiad::fit
