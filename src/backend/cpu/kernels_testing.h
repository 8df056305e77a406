#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "backend/cpu/isa.h"
#include "tensor/decode.h"
#include "tensor/float16.h"

// What the tests of kernels share: an instruction set, and weights of every type.

namespace pleiad::cpu {

/// A tensor that owns its bytes.
struct StoredTensor {
  std::vector<std::byte> data;
  std::vector<std::byte> block_scales;
  HostTensor host;
};

/// Random numbers, blocks and tensors, the same in every run.
class TensorMaker {
 public:
  std::mt19937 random_{7};

  std::vector<float> normal(std::size_t n, float deviation = 1.0F) {
    std::normal_distribution<float> distribution;
    std::vector<float> values(n);
    for (float& value : values) value = deviation * distribution(random_);
    return values;
  }

  /// Blocks with any quants and scales of a sensible size.
  std::vector<std::byte> blocks(DType type, std::size_t n_elements) {
    std::vector<std::byte> data(row_bytes(type, n_elements));
    for (std::byte& b : data) b = static_cast<std::byte>(random_() & 0xFF);
    const auto set_f16 = [&](std::size_t at) {
      const std::uint16_t bits =
          f16_from_f32(std::uniform_real_distribution<float>(-0.1F, 0.1F)(random_));
      std::memcpy(data.data() + at, &bits, 2);
    };
    const auto size = static_cast<std::size_t>(traits(type).block_bytes);
    if (type == DType::f32) {
      const std::vector<float> values = normal(n_elements);
      std::memcpy(data.data(), values.data(), data.size());
      return data;
    }
    for (std::size_t at = 0; at < data.size(); at += size) {
      switch (type) {
        case DType::bf16: {
          const std::uint16_t bits = bf16_from_f32(normal(1)[0]);
          std::memcpy(data.data() + at, &bits, 2);
          break;
        }
        case DType::f16:
        case DType::q8_0:
        case DType::q4_0:
        case DType::q5_0:
          set_f16(at);
          break;
        case DType::q4_1:
        case DType::q5_1:
        case DType::q4_k:
        case DType::q5_k:
          set_f16(at);
          set_f16(at + 2);
          break;
        case DType::q6_k:
          set_f16(at + 208);
          break;
        case DType::f8_e4m3:
          if ((std::to_integer<int>(data[at]) & 0x7F) == 0x7F) data[at] = std::byte{0x11};
          break;
        default:
          break;
      }
    }
    return data;
  }

  /// A tensor of such blocks, with the block scales that its type wants.
  StoredTensor stored(DType type, Shape shape) {
    StoredTensor tensor;
    tensor.host.dtype = type;
    tensor.host.shape = std::move(shape);
    for (std::int64_t row = 0; row < tensor.host.rows(); ++row) {
      const auto one = blocks(type, static_cast<std::size_t>(tensor.host.cols()));
      tensor.data.insert(tensor.data.end(), one.begin(), one.end());
    }
    if (type == DType::nvfp4_packed) {
      tensor.block_scales.resize(static_cast<std::size_t>(element_count(tensor.host.shape) / 16));
      for (std::byte& b : tensor.block_scales) b = static_cast<std::byte>(random_() % 0x7F);
    }
    tensor.host.data = tensor.data;
    tensor.host.scales.block_scales = tensor.block_scales;
    return tensor;
  }
};

class KernelsTest : public ::testing::TestWithParam<Isa>, protected TensorMaker {
 protected:
  const kernels::Kernels kernels_ = kernels_for(GetParam());
};

inline const std::vector<DType> kAllTypes = {
    DType::f32,  DType::f16,  DType::bf16, DType::f8_e4m3, DType::q8_0, DType::q4_0,  DType::q4_1,
    DType::q5_0, DType::q5_1, DType::q4_k, DType::q5_k,    DType::q6_k, DType::nvfp4,
};

inline const std::vector<DType> kPackedTypes = {
    DType::f32,  DType::f16,  DType::bf16, DType::f8_e4m3, DType::q8_0,  DType::q4_0,
    DType::q5_0, DType::q4_k, DType::q5_k, DType::q6_k,    DType::nvfp4, DType::nvfp4_packed,
};

inline std::string isa_name(const ::testing::TestParamInfo<Isa>& item) {
  return std::string(name(item.param));
}

}  // namespace pleiad::cpu
