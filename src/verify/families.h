#pragma once

#include <optional>
#include <vector>

#include "model/stored_tensors.h"
#include "verify/findings.h"

namespace pleiad::verify {

/// Compares each tensor with those of the same name in other layers. `typical` has, for each of
/// `tensors`, how large it typically is; nothing where it is not to be compared.
void judge_families(const std::vector<StoredTensor>& tensors,
                    const std::vector<std::optional<double>>& typical,
                    std::vector<Finding>& findings);

}  // namespace pleiad::verify
