#include "support/random_blocks.h"

#include <cstring>
#include <stdexcept>

#include "tensor/float16.h"

namespace pleiad::testing_support {

std::vector<std::byte> random_blocks(DType type, std::size_t n_elements, float size,
                                     std::mt19937& random) {
  std::vector<std::byte> data(row_bytes(type, n_elements));
  for (std::byte& b : data) b = static_cast<std::byte>(random() & 0xFF);
  std::normal_distribution<float> normal(0.0F, size);
  std::uniform_real_distribution<float> factor(0.7F, 1.3F);
  const auto put_f16 = [&](std::size_t at, float value) {
    const std::uint16_t bits = f16_from_f32(value * factor(random));
    std::memcpy(data.data() + at, &bits, 2);
  };
  const auto step = static_cast<std::size_t>(traits(type).block_bytes);
  for (std::size_t at = 0; at < data.size(); at += step) {
    switch (type) {
      case DType::f32: {
        const float value = normal(random);
        std::memcpy(data.data() + at, &value, 4);
        break;
      }
      case DType::f16:
        put_f16(at, normal(random));
        break;
      case DType::bf16: {
        const std::uint16_t bits = bf16_from_f32(normal(random));
        std::memcpy(data.data() + at, &bits, 2);
        break;
      }
      case DType::q8_0:
        put_f16(at, size / 74);
        break;
      case DType::q4_0:
        put_f16(at, size / 4.6F);
        break;
      case DType::q5_0:
        put_f16(at, size / 9.2F);
        break;
      case DType::q4_1:
        put_f16(at, size / 4.6F);
        put_f16(at + 2, -size * 7.5F / 4.6F);
        break;
      case DType::q5_1:
        put_f16(at, size / 9.2F);
        put_f16(at + 2, -size * 15.5F / 9.2F);
        break;
      case DType::q4_k:
        put_f16(at, size / (32 * 4.6F));
        put_f16(at + 2, size / (32 * 4.6F) * 7.5F);
        break;
      case DType::q5_k:
        put_f16(at, size / (32 * 9.2F));
        put_f16(at + 2, size / (32 * 9.2F) * 15.5F);
        break;
      case DType::q6_k:
        put_f16(at + 208, size / (74 * 18.5F));
        break;
      case DType::nvfp4:
        // Scales between 2^-5 and 2^-3: codes 16 to 31.
        for (std::size_t i = 0; i < 4; ++i) {
          data[at + i] = static_cast<std::byte>(16 + (random() & 15));
        }
        break;
      default:
        throw std::runtime_error("random_blocks: not a GGUF type");
    }
  }
  return data;
}

}  // namespace pleiad::testing_support
