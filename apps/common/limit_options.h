#pragma once

#include "apps/common/environment.h"
#include "backend/cpu/machine_limits.h"

namespace pleiad::apps {

/// How the machine's limits are measured. PLEIAD_READ_BUFFER_MIB is the memory that is read: more
/// where the processor's caches hold nearly a gibibyte, less where nobody looks at the figures.
/// Throws Error where it is no whole number of MiB from 16 to 65,536.
cpu::LimitOptions limit_options(const Environment& environment);

}  // namespace pleiad::apps
