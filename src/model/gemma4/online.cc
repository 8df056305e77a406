#include "model/gemma4/online.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "quantize/encode.h"
#include "tensor/decode.h"

namespace pleiad::gemma4 {
namespace {

/// The matrices of a layer that are quantized; the router is not.
constexpr auto kMatrices = std::to_array<std::string_view>({
    "attention.q_proj",
    "attention.k_proj",
    "attention.v_proj",
    "attention.o_proj",
    "ffn.gate_proj",
    "ffn.up_proj",
    "ffn.down_proj",
    "experts.gate_up_proj",
    "experts.gate_proj",
    "experts.up_proj",
    "experts.down_proj",
    "per_layer_gate",
    "per_layer_proj",
});

bool is_layer_matrix(std::string_view name) {
  if (!name.starts_with("layers.")) return false;
  return std::ranges::any_of(kMatrices, [&](std::string_view matrix) {
    return name.ends_with(matrix) && name[name.size() - matrix.size() - 1] == '.';
  });
}

bool fits(const HostTensor& tensor, DType type) {
  return tensor.cols() % traits(type).block_size == 0;
}

/// Returns the first row with a value that is not finite, or -1.
std::int64_t encode_rows(const HostTensor& tensor, DType type, std::int64_t first,
                         std::int64_t last, EncodedTensor& to) {
  const auto cols = static_cast<std::size_t>(tensor.cols());
  std::vector<float> values(cols);
  quantize::EncodeOptions options;
  options.type = type;
  const std::size_t bytes = row_bytes(type, cols);
  for (std::int64_t row = first; row < last; ++row) {
    const auto index = static_cast<std::size_t>(row);
    decode_row(tensor, row, values.data());
    float largest = 0.0F;
    bool finite = true;
    for (const float value : values) {
      largest = std::max(largest, std::abs(value));
      finite &= std::isfinite(value);
    }
    if (!finite) return row;
    if (type == DType::f8_e4m3) {
      options.tensor_scale = quantize::fp8_tensor_scale(largest);
      to.tensor.scales.row_scales[index] = options.tensor_scale;
    }
    quantize::encode_row(options, values, to.data.data() + index * bytes);
  }
  return -1;
}

/// work(first, last) for pieces of [first, last), on all threads.
void in_parallel(int n_threads, std::int64_t first, std::int64_t last,
                 const std::function<void(std::int64_t, std::int64_t)>& work) {
  constexpr std::int64_t kRows = 16;
  std::atomic<std::int64_t> next = first;
  const auto run = [&] {
    for (;;) {
      const std::int64_t at = next.fetch_add(kRows);
      if (at >= last) return;
      work(at, std::min(at + kRows, last));
    }
  };
  std::vector<std::jthread> threads;
  try {
    for (int i = 1; i < n_threads; ++i) threads.emplace_back(run);
  } catch (const std::system_error&) {
    // The system has no more of them: those that run do the work.
  }
  run();
}

}  // namespace

std::optional<DType> online_type_from_name(std::string_view text) {
  for (const DType type : {DType::f8_e4m3, DType::q8_0, DType::q4_0}) {
    if (text == online_type_name(type)) return type;
  }
  return std::nullopt;
}

std::string_view online_type_name(DType type) {
  return type == DType::f8_e4m3 ? "fp8" : name(type);
}

bool quantizes_online(const Checkpoint& checkpoint, const OnlineOptions& options) {
  const DType found = checkpoint.main_dtype();
  if (is_unquantized(found)) return true;
  if (options.leave_quantized) return false;
  throw LoadError("{}: --online {}: expected weights in BF16, F16 or F32, found {}",
                  checkpoint.path().string(), online_type_name(options.type), name(found));
}

std::optional<DType> online_type(const Checkpoint& checkpoint, std::string_view name,
                                 const OnlineOptions& options) {
  const HostTensor* tensor = checkpoint.find(name);
  if (!tensor || !is_unquantized(tensor->dtype)) return std::nullopt;
  DType type = options.type;
  const bool is_head =
      name == "head" || (name == "embedding" && checkpoint.find("head") == nullptr);
  if (is_head) {
    type = type == DType::q4_0 && fits(*tensor, DType::q6_k) ? DType::q6_k : DType::q8_0;
  } else if (!is_layer_matrix(name)) {
    return std::nullopt;
  }
  return fits(*tensor, type) ? std::optional(type) : std::nullopt;
}

std::uint64_t loaded_bytes(const Checkpoint& checkpoint, std::string_view name,
                           const std::optional<OnlineOptions>& options) {
  const HostTensor& tensor = checkpoint.get(name);
  const auto type = options && quantizes_online(checkpoint, *options)
                        ? online_type(checkpoint, name, *options)
                        : std::nullopt;
  if (!type) {
    return tensor.data.size() + tensor.scales.block_scales.size() +
           tensor.scales.row_scales.size() * sizeof(float);
  }
  const auto rows = static_cast<std::uint64_t>(tensor.rows());
  const std::uint64_t scales = *type == DType::f8_e4m3 ? rows * sizeof(float) : 0;
  return rows * row_bytes(*type, static_cast<std::size_t>(tensor.cols())) + scales;
}

EncodedTensor encode_tensor(const HostTensor& tensor, DType type, int n_threads,
                            const std::function<void(std::span<const std::byte>)>& before,
                            const std::function<void(const HostTensor&)>& after) {
  const std::int64_t rows = tensor.rows();
  const auto cols = static_cast<std::size_t>(tensor.cols());
  EncodedTensor encoded;
  encoded.tensor.name = tensor.name;
  encoded.tensor.dtype = type;
  encoded.tensor.shape = tensor.shape;
  encoded.data.resize(static_cast<std::size_t>(rows) * row_bytes(type, cols));
  if (type == DType::f8_e4m3) {
    encoded.tensor.scales.row_scales.resize(static_cast<std::size_t>(rows));
  }

  constexpr std::size_t kPiece = std::size_t{64} << 20;
  const std::size_t file_row = tensor.bytes_per_row();
  const auto piece_rows = static_cast<std::int64_t>(
      std::max<std::size_t>(1, kPiece / std::max<std::size_t>(1, file_row)));
  for (std::int64_t first = 0; first < rows; first += piece_rows) {
    const std::int64_t last = std::min(first + piece_rows, rows);
    HostTensor piece;
    piece.name = tensor.name;
    piece.dtype = tensor.dtype;
    piece.shape = {last - first, tensor.cols()};
    piece.data = tensor.data.subspan(static_cast<std::size_t>(first) * file_row,
                                     static_cast<std::size_t>(last - first) * file_row);
    before(piece.data);
    std::atomic<std::int64_t> bad_row = -1;
    in_parallel(n_threads, first, last, [&](std::int64_t from, std::int64_t to) {
      if (const std::int64_t row = encode_rows(tensor, type, from, to, encoded); row >= 0) {
        bad_row = row;
      }
    });
    if (bad_row >= 0) {
      throw LoadError("{}: row {}: expected finite values to quantize, found NaN or infinity",
                      tensor.name, bad_row.load());
    }
    after(piece);
  }
  encoded.tensor.data = encoded.data;
  return encoded;
}

}  // namespace pleiad::gemma4
