#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pleiad {

/// The SHA-256 (FIPS 180-4) of what is added, for digests of a few megabytes where no library
/// is linked: the model is built alone for other processors. Files of models are hashed by
/// OpenSSL (digest/sha256.h), which has the processor's own instructions.
class Sha256Digest {
 public:
  using Bytes = std::array<std::uint8_t, 32>;

  void add(std::span<const std::byte> bytes);

  /// Once, and last.
  Bytes finish();

 private:
  static constexpr std::size_t kBlock = 64;

  void add_block(const std::byte* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, kBlock> rest_ = {};  // of the bytes so far, less than a block
  std::uint64_t n_bytes_ = 0;
};

}  // namespace pleiad
