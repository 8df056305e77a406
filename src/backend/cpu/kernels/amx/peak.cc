// The limits of AMX: products of tiles of 16 rows of 64 bytes.

#include <immintrin.h>

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

/// What LDTILECFG reads.
struct alignas(64) TileConfig {
  std::uint8_t palette;
  std::uint8_t start_row;
  std::uint8_t reserved[14];
  std::uint16_t row_bytes[16];
  std::uint8_t rows[16];
};
static_assert(sizeof(TileConfig) == 64);

// An object of static storage, and never a local one: GCC 12 believes that
// LDTILECFG reads eight bytes and deletes the stores to the others.
constexpr TileConfig kFullTiles = {
    1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};

constexpr std::int64_t kOutputs = 16 * 16;  // 32-bit sums of a tile

// 0x3F80 pairs are 1.0 in bf16 and harmless bytes in int8: not zeros, which
// some processors multiply with less power and so at a higher clock.
struct alignas(64) TileData {
  std::uint16_t values[512];
};
constexpr TileData ones() {
  TileData data = {};
  for (std::uint16_t& value : data.values) value = 0x3F80;
  return data;
}
constexpr TileData kOnes = ones();

/// Tiles as they are needed, and afterwards as the thread had them; that is
/// what TILERELEASE does where there was no configuration.
class Tiles {
 public:
  Tiles() {
    _tile_storeconfig(&before_);
    _tile_loadconfig(&kFullTiles);
    _tile_loadd(4, kOnes.values, 64);
    _tile_loadd(5, kOnes.values, 64);
    _tile_loadd(6, kOnes.values, 64);
    _tile_loadd(7, kOnes.values, 64);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  ~Tiles() {
    asm volatile("" : : "r"(&before_) : "memory");
    _tile_loadconfig(&before_);
  }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

 private:
  TileConfig before_;
};

double bf16_peak(std::int64_t iterations) {
  const Tiles tiles;
  for (std::int64_t i = 0; i < iterations; ++i) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  return static_cast<double>(iterations) * 4 * kOutputs * 32 * 2;
}

double int8_peak(std::int64_t iterations) {
  const Tiles tiles;
  for (std::int64_t i = 0; i < iterations; ++i) {
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  return static_cast<double>(iterations) * 4 * kOutputs * 64 * 2;
}

}  // namespace

void add_peak_amx(PeakKernels& kernels) {
  kernels.float_peak = bf16_peak;
  kernels.float_instructions = "amx_bf16";
  kernels.int8_peak = int8_peak;
  kernels.int8_instructions = "amx_int8";
}

}  // namespace pleiad::kernels
