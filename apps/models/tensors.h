#pragma once

#include <string>

#include "model/stored_tensors.h"

namespace pleiad::apps {

/// All tensors of a model's files: names, types, shapes and bytes, and sums by type and
/// by what they are for. For people.
std::string tensors_text(const StoredTensors& stored);

/// The same as JSON.
std::string tensors_json(const StoredTensors& stored);

}  // namespace pleiad::apps
