#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/gguf/reader.h"
#include "formats/problem_list.h"
#include "model/gemma4/config.h"
#include "model/gemma4/gguf_keys.h"

// What the readers of both towers' configurations in GGUF files share.

namespace pleiad::gemma4 {

/// "projection_dim", which is the text model's width; `prefix` is that of the keys.
int projection_dim(const Keys& keys, std::string_view prefix, const Config& text,
                   ProblemList& problems);

/// Whether any matrix of the layers ("v.blk.") has a clip bound of its own.
bool has_clip_bounds(const gguf::File& file, std::string_view layers);

/// The tokens that the file's vocabulary spells so; those of a file without one are empty.
std::vector<std::optional<std::int32_t>> tokens_spelled(
    const gguf::File& file, std::initializer_list<std::string_view> pieces);

}  // namespace pleiad::gemma4
