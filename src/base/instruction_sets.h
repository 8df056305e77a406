#pragma once

/// What the processor can run and the system saves the registers of. libgcc asks both.
namespace pleiad {

#if defined(__x86_64__)
inline bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }

/// F, DQ, BW and VL: what our kernels for AVX-512 are compiled for.
inline bool has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}

inline bool has_avx512vnni() { return has_avx512() && __builtin_cpu_supports("avx512vnni") != 0; }
#endif

}  // namespace pleiad
