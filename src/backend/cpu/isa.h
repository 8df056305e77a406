#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/kernels/kernels.h"

namespace pleiad::cpu {

/// Instruction sets that we have kernels for, worst first. neon is that of ARMv8.2
/// with the dot product, i8mm the same with matrix products of bytes; avx512 includes
/// VNNI; amx is avx512 with BF16, VBMI and GFNI, and the matrix unit.
enum class Isa : std::uint8_t { scalar, neon, i8mm, avx2, avxvnni, avx512, amx };

std::string_view name(Isa isa);

/// What this processor and this operating system can run, worst first; always
/// holds scalar. Asks the system for the matrix unit, for every thread of the process.
std::vector<Isa> usable_isas();

/// The best usable set; or the one that `forced` names ("" for none). Throws
/// Error for a name that is unknown or that this machine cannot run.
Isa pick_isa(std::string_view forced);

/// The kernels of one set, completed with those of the lesser ones.
kernels::Kernels kernels_for(Isa isa);

}  // namespace pleiad::cpu
