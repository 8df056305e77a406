#pragma once

#include <span>
#include <vector>

// What the scale of an audio tower's queries (per_dim_scale) goes through. Files of Hugging Face
// hold it before, GGUF files after.

namespace pleiad::gemma4 {

/// ln(1 + e^x), and above 20 x itself, in f32 as the reference has it.
float softplus(float x);

/// Values whose softplus are these, which are positive and finite: as numbers of bf16, or else of
/// f16, where such have them all (to an error of others' arithmetic), else of f32. So what was
/// written from 16 bits comes back bit for bit, unless it is so close to zero (1e-3) that its
/// neighbours have the same softplus; from f32 the softplus does.
std::vector<float> inverse_softplus(std::span<const float> values);

}  // namespace pleiad::gemma4
