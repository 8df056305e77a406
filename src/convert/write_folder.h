#pragma once

#include <filesystem>

#include "convert/report.h"
#include "model/checkpoint.h"

namespace pleiad::convert {

/// Writes `source` as a Hugging Face folder that vLLM and transformers read: whole or
/// not at all. An older folder with nothing in it but the usual files of a Gemma 4 model
/// stays until then and is replaced; anything else at `path` is an Error, and so is the
/// folder that is read. Towers of a folder are carried along unchanged, but for what
/// options.towers say; a GGUF file's, and those of a projector file, become part of the folder.
///
/// With nvfp4a16, fp8 and fp8_dynamic all Linear modules of the text model are
/// quantized, in the layout of compressed-tensors. With as_is every tensor keeps its
/// values; what a folder cannot hold is decoded where options.dequantize says so, and
/// otherwise an Error. Throws Error that names the path or the tensor.
WriteReport write_folder(const Checkpoint& source, const std::filesystem::path& path,
                         const WriteOptions& options);

}  // namespace pleiad::convert
