#include "backend/cpu/packing.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"

namespace pleiad::cpu {
namespace {

using kernels::kPanelRows;
using kernels::PackedKind;

/// Where a row of the file goes: its lane in a panel.
struct RowTarget {
  std::byte* panel;
  int lane;
  std::int64_t cols;
};

/// `count` pieces of T, kPanelRows lanes side by side each.
template <typename T>
void spread(std::byte* out, int lane, const std::byte* row, std::int64_t count) {
  std::byte* target = out + lane * static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(target, row, sizeof(T));
    row += sizeof(T);
    target += kPanelRows * sizeof(T);
  }
}

/// The same in units of four bytes.
void spread_units(std::byte* out, int lane, const std::byte* row, std::int64_t bytes) {
  spread<std::uint32_t>(out, lane, row, bytes / 4);
}

void pack_q8_0(const RowTarget& to, const std::byte* row) {
  for (std::int64_t block = 0; block < to.cols / 32; ++block, row += 34) {
    std::byte* step = to.panel + block / 2 * 1088;
    spread<std::uint16_t>(step + block % 2 * 32, to.lane, row, 1);
    std::array<std::byte, 32> quants;
    for (std::size_t i = 0; i < 32; ++i) quants[i] = row[2 + i] ^ std::byte{0x80};
    spread_units(step + 64 + block % 2 * 512, to.lane, quants.data(), 32);
  }
}

// Five bits less 16 fit a signed byte: the same values as Q8_0.
void pack_q5_0(const RowTarget& to, const std::byte* row) {
  for (std::int64_t block = 0; block < to.cols / 32; ++block, row += 22) {
    std::byte* step = to.panel + block / 2 * 1088;
    spread<std::uint16_t>(step + block % 2 * 32, to.lane, row, 1);
    std::uint32_t fifth;
    std::memcpy(&fifth, row + 2, 4);
    std::array<std::byte, 32> quants;
    for (unsigned i = 0; i < 32; ++i) {
      const auto packed = std::to_integer<unsigned>(row[6 + i % 16]);
      const unsigned nibble = i < 16 ? packed & 15 : packed >> 4;
      quants[i] = static_cast<std::byte>((nibble | ((fifth >> i) & 1) << 4) + 128 - 16);
    }
    spread_units(step + 64 + block % 2 * 512, to.lane, quants.data(), 32);
  }
}

void pack_q4_0(const RowTarget& to, const std::byte* row) {
  for (std::int64_t block = 0; block < to.cols / 32; ++block, row += 18) {
    std::byte* step = to.panel + block / 2 * 576;
    spread<std::uint16_t>(step + block % 2 * 32, to.lane, row, 1);
    spread_units(step + 64 + block % 2 * 256, to.lane, row + 2, 16);
  }
}

void pack_nvfp4(const RowTarget& to, const std::byte* row) {
  for (std::int64_t block = 0; block < to.cols / 64; ++block, row += 36) {
    std::byte* step = to.panel + block * 576;
    for (int sub = 0; sub < 4; ++sub) {
      // 0x7F stands for 0; otherwise the sign does not count, and 0xFF is 480.
      step[16 * sub + to.lane] =
          row[sub] == std::byte{0x7F} ? std::byte{0} : row[sub] & std::byte{0x7F};
    }
    spread_units(step + 64, to.lane, row + 4, 32);
  }
}

// Columns 2 i and 2 i + 1 share a byte in the file, i and i + 8 in a panel.
void pack_nvfp4_packed(const RowTarget& to, const std::byte* row, const std::byte* scales) {
  for (std::int64_t group = 0; group < to.cols / 16; ++group, row += 8) {
    std::byte* step = to.panel + group / 4 * 576;
    step[group % 4 * 16 + to.lane] = scales[group];
    const auto element = [&](int i) { return (row[i / 2] >> (i % 2 * 4)) & std::byte{15}; };
    std::array<std::byte, 8> pairs;
    for (int i = 0; i < 8; ++i) {
      pairs[static_cast<std::size_t>(i)] = element(i) | (element(i + 8) << 4);
    }
    spread_units(step + 64 + group % 4 * 128, to.lane, pairs.data(), 8);
  }
}

void pack_q4_k(const RowTarget& to, const std::byte* row) {
  for (std::int64_t block = 0; block < to.cols / 256; ++block, row += 144) {
    std::byte* step = to.panel + block * 2304;
    spread<std::uint16_t>(step, to.lane, row, 2);
    spread_units(step + 64, to.lane, row + 4, 12);
    spread_units(step + 256, to.lane, row + 16, 128);
  }
}

void pack_q5_k(const RowTarget& to, const std::byte* row) {
  for (std::int64_t block = 0; block < to.cols / 256; ++block, row += 176) {
    std::byte* step = to.panel + block * 2816;
    spread<std::uint16_t>(step, to.lane, row, 2);
    spread_units(step + 64, to.lane, row + 4, 12);
    spread_units(step + 256, to.lane, row + 16, 32);
    spread_units(step + 768, to.lane, row + 48, 128);
  }
}

void pack_q6_k(const RowTarget& to, const std::byte* row) {
  for (std::int64_t block = 0; block < to.cols / 256; ++block, row += 210) {
    std::byte* step = to.panel + block * 3392;
    spread<std::uint16_t>(step, to.lane, row + 208, 1);
    for (int group = 0; group < 16; ++group) {
      step[64 + 16 * group + to.lane] = row[192 + kernels::q6_k_first_col(group) / 16];
    }
    // As they are met: of each half, of the even and the odd sixteens of its columns, the
    // bytes with low bits of two sixteens, of two more, and the high bits of all four.
    for (int part = 0; part < 4; ++part) {
      std::byte* units = step + 320 + 768 * part;
      const std::byte* low = row + part / 2 * 64 + part % 2 * 16;
      spread_units(units, to.lane, low, 16);
      spread_units(units + 256, to.lane, low + 32, 16);
      spread_units(units + 512, to.lane, row + 128 + part / 2 * 32 + part % 2 * 16, 16);
    }
  }
}

void pack_row(const HostTensor& tensor, std::int64_t row, const RowTarget& to) {
  const std::byte* data =
      tensor.data.data() + row * static_cast<std::int64_t>(tensor.bytes_per_row());
  switch (tensor.dtype) {
    case DType::f32:
      return spread<std::uint32_t>(to.panel, to.lane, data, to.cols);
    case DType::f16:
      return spread<std::uint16_t>(to.panel, to.lane, data, to.cols);
    case DType::bf16:
      spread<std::uint32_t>(to.panel, to.lane, data, to.cols / 2);
      if (to.cols % 2 == 1) {
        std::memcpy(to.panel + to.cols / 2 * 64 + 4 * to.lane, data + 2 * (to.cols - 1), 2);
      }
      return;
    case DType::f8_e4m3:
      spread<std::uint16_t>(to.panel, to.lane, data, to.cols / 2);
      if (to.cols % 2 == 1) to.panel[to.cols / 2 * 32 + 2 * to.lane] = data[to.cols - 1];
      return;
    case DType::q8_0:
      return pack_q8_0(to, data);
    case DType::q5_0:
      return pack_q5_0(to, data);
    case DType::q4_0:
      return pack_q4_0(to, data);
    case DType::nvfp4:
      return pack_nvfp4(to, data);
    case DType::nvfp4_packed:
      return pack_nvfp4_packed(to, data, tensor.scales.block_scales.data() + row * (to.cols / 16));
    case DType::q4_k:
      return pack_q4_k(to, data);
    case DType::q5_k:
      return pack_q5_k(to, data);
    case DType::q6_k:
      return pack_q6_k(to, data);
    case DType::q4_1:
    case DType::q5_1:
      break;
  }
  CHECK(false, "no packed form of {}", name(tensor.dtype));
}

bool has_e4m3_nan(std::span<const std::byte> codes) {
  return std::any_of(codes.begin(), codes.end(),
                     [](std::byte code) { return (code & std::byte{0x7F}) == std::byte{0x7F}; });
}

}  // namespace

std::optional<PackedKind> packed_kind(const HostTensor& tensor) {
  switch (tensor.dtype) {
    case DType::f32:
      return PackedKind::f32;
    case DType::f16:
      return PackedKind::f16;
    case DType::bf16:
      return PackedKind::bf16;
    case DType::f8_e4m3:
      if (has_e4m3_nan(tensor.data)) return std::nullopt;
      return PackedKind::f8;
    case DType::q8_0:
    case DType::q5_0:
      return PackedKind::q8;
    case DType::q4_0:
      return PackedKind::q4;
    case DType::nvfp4:
      return PackedKind::nvfp4;
    case DType::nvfp4_packed:
      if (has_e4m3_nan(tensor.scales.block_scales)) return std::nullopt;
      return PackedKind::nvfp4;
    case DType::q4_k:
      return PackedKind::q4_k;
    case DType::q5_k:
      return PackedKind::q5_k;
    case DType::q6_k:
      return PackedKind::q6_k;
    case DType::q4_1:
    case DType::q5_1:
      break;
  }
  return std::nullopt;
}

PackedMatrices pack(const HostTensor& tensor, PackedKind kind, HugeArena& arena, ThreadPool& pool) {
  const kernels::PackedLayout layout = kernels::layout_of(kind);
  const std::int64_t n_matrices = tensor.shape.size() == 3 ? tensor.shape[0] : 1;
  PackedMatrices packed;
  packed.kind = kind;
  packed.rows = tensor.rows() / n_matrices;
  packed.n_steps = (tensor.cols() + layout.step_cols - 1) / layout.step_cols;
  packed.panel_bytes = packed.n_steps * layout.step_bytes;
  packed.panels = (packed.rows + kPanelRows - 1) / kPanelRows;
  const std::int64_t n_panels = n_matrices * packed.panels;
  packed.memory = arena.allocate(static_cast<std::size_t>(n_panels * packed.panel_bytes));
  constexpr std::int64_t kPanelsPerTask = 8;
  pool.run((n_panels + kPanelsPerTask - 1) / kPanelsPerTask, [&](std::int64_t task, int) {
    const std::int64_t last = std::min((task + 1) * kPanelsPerTask, n_panels);
    for (std::int64_t panel = task * kPanelsPerTask; panel < last; ++panel) {
      const std::int64_t first_row = panel % packed.panels * kPanelRows;
      const auto n = static_cast<int>(std::min<std::int64_t>(kPanelRows, packed.rows - first_row));
      for (int lane = 0; lane < n; ++lane) {
        pack_row(tensor, panel / packed.panels * packed.rows + first_row + lane,
                 {packed.memory.data + panel * packed.panel_bytes, lane, tensor.cols()});
      }
    }
  });
  return packed;
}

}  // namespace pleiad::cpu
