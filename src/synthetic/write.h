#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "formats/gguf/writer.h"
#include "synthetic/dimensions.h"
#include "synthetic/spec.h"
#include "synthetic/tensors.h"

namespace pleiad::synthetic {

struct WriteOptions {
  int n_threads = 1;                   // that make weights; the bytes do not depend on it
  bool empty_per_layer_table = false;  // zeros, a hole where the file can have one
  /// Told bytes of tensor data (holes included) after each megabyte or so. What
  /// it throws ends the writing, and nothing is left behind.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// Writes the data of all tensors of `writer`, which are `tensors`.
void write_tensors(gguf::Writer& writer, const std::vector<SyntheticTensor>& tensors,
                   std::uint64_t seed, const WriteOptions& options);

/// Adds the keys and tensors of the model to `writer`, and writes all data;
/// finish() is left to the caller. At most a few megabytes of data are held.
/// Throws Error where the writer does, or where no thread can be started.
void write_model(gguf::Writer& writer, const Spec& spec, const Dimensions& dimensions,
                 const WriteOptions& options);

/// Writes the GGUF file of the real size, whole or not at all; an older file
/// stays until then. Returns its bytes. Throws Error that names the path: not
/// enough free space (before anything is written), or whatever the disk says.
std::uint64_t write_file(const std::filesystem::path& path, const Spec& spec,
                         const WriteOptions& options);

}  // namespace pleiad::synthetic
