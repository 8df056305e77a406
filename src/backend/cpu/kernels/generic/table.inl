// Fills a table with everything above but the products with packed weights. Included inside an
// anonymous namespace.

void fill(Kernels& table, const char* name) {
  table.name = name;
  for (int type = 0; type < static_cast<int>(sizeof(kDecoders) / sizeof(kDecoders[0])); ++type) {
    table.decode[type] = kDecoders[type];
  }
  table.linear = linear;
  table.rms_norm = rms_norm;
  table.norm_add = norm_add;
  table.rope = rope;
  table.gated_gelu = gated_gelu;
  table.softcap = softcap;
  table.silu = silu;
  table.sigmoid_gate = sigmoid_gate;
  table.convolve = convolve;
  table.local_attention = local_attention;
  table.axpby = axpby;
  table.clamp = clamp;
  table.attention = attention;
  table.encoder_attention = encoder_attention;
  table.store_key = store_key;
  table.store_value = store_value;
}
