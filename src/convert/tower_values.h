#pragma once

#include <vector>

#include "convert/mix.h"
#include "model/checkpoint.h"
#include "model/gemma4/tensor_table.h"
#include "tensor/host_tensor.h"

namespace pleiad::convert {

/// The values of a tower's tensor as `container` holds them, where its form is the container's own:
/// the order of a patch's values and of an embedder's places, the scale of an audio tower's queries
/// before or after its softplus. Empty where `values` stay as they are. Throws Error that names the
/// tensor.
std::vector<float> tower_values_for(const Checkpoint& source, const gemma4::EncoderTensorSpec& spec,
                                    const HostTensor& values, Container container);

/// The order of a patch's values in `container`.
gemma4::PatchOrder patch_order_of(Container container);

}  // namespace pleiad::convert
