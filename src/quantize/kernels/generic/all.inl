// The encoders of one instruction set, in the order in which they need each other.

#include "quantize/kernels/generic/lanes.inl"
// Needs the above.
#include "quantize/kernels/generic/groups.inl"
// Needs the above.
#include "quantize/kernels/generic/affine.inl"
#include "quantize/kernels/generic/floats.inl"
#include "quantize/kernels/generic/nvfp4.inl"
#include "quantize/kernels/generic/symmetric.inl"
// Need these.
#include "quantize/kernels/generic/k_affine.inl"
#include "quantize/kernels/generic/q6_k.inl"

Kernels table(const char* isa) {
  Kernels kernels;
  kernels.isa = isa;
  kernels.f16 = encode_f16;
  kernels.bf16 = encode_bf16;
  kernels.f8_e4m3 = encode_f8_e4m3;
  kernels.q8_0 = encode_q8_0;
  kernels.q4_0 = encode_q4_0;
  kernels.q4_1 = encode_q4_1;
  kernels.q5_0 = encode_q5_0;
  kernels.q5_1 = encode_q5_1;
  kernels.q4_k = encode_q4_k;
  kernels.q5_k = encode_q5_k;
  kernels.q6_k = encode_q6_k;
  kernels.nvfp4 = encode_nvfp4;
  kernels.nvfp4_packed = encode_nvfp4_packed;
  return kernels;
}
