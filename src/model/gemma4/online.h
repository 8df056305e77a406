#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "model/checkpoint.h"
#include "tensor/host_tensor.h"

namespace pleiad::gemma4 {

/// Quantizing a checkpoint of plain floats while it is loaded.
struct OnlineOptions {
  DType type = DType::q8_0;  // f8_e4m3, q8_0 or q4_0
  int n_threads = 1;
  /// A checkpoint that is quantized already: an error, or loaded as it is.
  bool leave_quantized = false;
};

/// "fp8", "q8_0" or "q4_0"; nothing for other names.
std::optional<DType> online_type_from_name(std::string_view text);
std::string_view online_type_name(DType type);

/// Whether the checkpoint's weights are plain floats. Throws LoadError where they are
/// not, unless the options leave such ones as they are.
bool quantizes_online(const Checkpoint& checkpoint, const OnlineOptions& options);

/// What the tensor of this name (ours) becomes, or nothing where it stays as the file has
/// it: norms, tables, the router, the projection of per-layer inputs, rows that are no
/// whole number of blocks. "embedding" stands for the head that is tied to it: as a head
/// it is kept in q8_0, for q4_0 in q6_k where its rows allow; as a table it stays.
std::optional<DType> online_type(const Checkpoint& checkpoint, std::string_view name,
                                 const OnlineOptions& options);

/// Bytes of a tensor of this name once it is loaded; without options, as in the file.
std::uint64_t loaded_bytes(const Checkpoint& checkpoint, std::string_view name,
                           const std::optional<OnlineOptions>& options);

/// A tensor that owns its bytes.
struct EncodedTensor {
  HostTensor tensor;
  std::vector<std::byte> data;
};

/// Encodes a tensor of plain floats to `type`, several rows at a time on each thread;
/// f8_e4m3 has a scale for each row. `before` is called with a piece of the file's bytes
/// before it is read, `after` once nobody needs it any more. The same bytes with any
/// number of threads.
EncodedTensor encode_tensor(const HostTensor& tensor, DType type, int n_threads,
                            const std::function<void(std::span<const std::byte>)>& before,
                            const std::function<void(const HostTensor&)>& after);

}  // namespace pleiad::gemma4
