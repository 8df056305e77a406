// Fills in the products with packed weights. Included inside an anonymous namespace.

void fill_packed(Kernels& table) {
  table.quantize_words = quantize_row<2>;
  table.quantize_superblocks = quantize_superblocks;
  table.quantize_bytes = quantize_row<1>;
  table.quantize_sixteens = quantize_sixteens;
  const auto both = [&](PackedKind kind, PackedLinear words, PackedLinear bytes) {
    table.word_linear[static_cast<int>(kind)] = words;
    table.byte_linear[static_cast<int>(kind)] = bytes;
  };
  both(PackedKind::f32, float_linear<FloatF32>, float_linear<FloatF32>);
  both(PackedKind::f16, float_linear<FloatF16>, float_linear<FloatF16>);
  both(PackedKind::bf16, float_linear<FloatBf16>, float_linear<FloatBf16>);
  both(PackedKind::f8, float_linear<FloatF8>, float_linear<FloatF8>);
  both(PackedKind::q8, integer_linear<PackedQ8, 2>, integer_linear<PackedQ8, 1>);
  both(PackedKind::q4, integer_linear<PackedQ4, 2>, integer_linear<PackedQ4, 1>);
  both(PackedKind::nvfp4, integer_linear<PackedNvfp4, 2>, integer_linear<PackedNvfp4, 1>);
  both(PackedKind::q4_k, superblock_linear<PackedQ4K>, integer_linear<PackedQ4K, 1>);
  both(PackedKind::q5_k, superblock_linear<PackedQ5K>, integer_linear<PackedQ5K, 1>);
  both(PackedKind::q6_k, superblock_linear<PackedQ6K>, integer_linear<PackedQ6K, 1>);
}
