// Decoders of every stored type, written once over the primitives of an
// instruction set (Vec, f16_value) and scalars.inl. Included inside an anonymous namespace.
// Formulas are those of tensor/decode.cc, in the same order of operations.

void decode_f32(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  __builtin_memcpy(out, data, static_cast<std::size_t>(n) * 4);
}

void decode_f16(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) Vec::load_f16(data + 2 * i).store(out + i);
  for (; i < n; ++i) out[i] = f16_value(load_u16(data + 2 * i));
}

void decode_bf16(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) Vec::load_bf16(data + 2 * i).store(out + i);
  for (; i < n; ++i) out[i] = bf16_value(load_u16(data + 2 * i));
}

// E4M3 as f16: the same bits three places up are the value times 2^-8.
inline float e4m3_value(std::uint8_t code) {
  if ((code & 0x7F) == 0x7F) return __builtin_nanf("");
  const auto bits = static_cast<std::uint16_t>(((code & 0x80) << 8) | ((code & 0x7F) << 7));
  return f16_value(bits) * 256.0F;
}

void decode_f8_e4m3(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  const std::uint8_t* code = as_u8(data);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    std::uint16_t half[kLanes];
    bool has_nan = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint8_t c = code[i + lane];
      half[lane] = static_cast<std::uint16_t>(((c & 0x80) << 8) | ((c & 0x7F) << 7));
      has_nan |= (c & 0x7F) == 0x7F;
    }
    (Vec::load_f16(reinterpret_cast<const std::byte*>(half)) * Vec::set(256.0F)).store(out + i);
    if (has_nan) {
      for (int lane = 0; lane < kLanes; ++lane) out[i + lane] = e4m3_value(code[i + lane]);
    }
  }
  for (; i < n; ++i) out[i] = e4m3_value(code[i]);
}

void decode_q8_0(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; i += 32, data += 34) {
    const Vec d = Vec::set(f16_value(load_u16(data)));
    const auto* q = reinterpret_cast<const std::int8_t*>(data + 2);
    (Vec::from_i8(q) * d).store(out + i);
    (Vec::from_i8(q + 16) * d).store(out + i + 16);
  }
}

// The nibbles of 16 bytes: low halves to q[0..15], high halves to q[16..31].
inline void split_nibbles(const std::byte* data, std::int8_t* q) {
  const std::uint8_t* packed = as_u8(data);
  for (int i = 0; i < 16; ++i) {
    q[i] = static_cast<std::int8_t>(packed[i] & 15);
    q[i + 16] = static_cast<std::int8_t>(packed[i] >> 4);
  }
}

void decode_q4_0(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  const Vec eight = Vec::set(8.0F);
  for (std::int64_t i = 0; i < n; i += 32, data += 18) {
    const Vec d = Vec::set(f16_value(load_u16(data)));
    Vec low;
    Vec high;
    Vec::from_nibbles(data + 2, low, high);
    ((low - eight) * d).store(out + i);
    ((high - eight) * d).store(out + i + 16);
  }
}

void decode_q4_1(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; i += 32, data += 20) {
    const Vec d = Vec::set(f16_value(load_u16(data)));
    const Vec m = Vec::set(f16_value(load_u16(data + 2)));
    Vec low;
    Vec high;
    Vec::from_nibbles(data + 4, low, high);
    (low * d + m).store(out + i);
    (high * d + m).store(out + i + 16);
  }
}

// The 32 fifth bits of a Q5_0 or Q5_1 block join the nibbles in q.
inline void add_fifth_bits(std::uint32_t bits, std::int8_t* q) {
  for (int i = 0; i < 32; ++i) q[i] = static_cast<std::int8_t>(q[i] | (((bits >> i) & 1) << 4));
}

void decode_q5_0(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; i += 32, data += 22) {
    const Vec d = Vec::set(f16_value(load_u16(data)));
    std::int8_t q[32];
    split_nibbles(data + 6, q);
    add_fifth_bits(load_u32(data + 2), q);
    for (int k = 0; k < 32; ++k) q[k] = static_cast<std::int8_t>(q[k] - 16);
    (Vec::from_i8(q) * d).store(out + i);
    (Vec::from_i8(q + 16) * d).store(out + i + 16);
  }
}

void decode_q5_1(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; i += 32, data += 24) {
    const Vec d = Vec::set(f16_value(load_u16(data)));
    const Vec m = Vec::set(f16_value(load_u16(data + 2)));
    std::int8_t q[32];
    split_nibbles(data + 8, q);
    add_fifth_bits(load_u32(data + 4), q);
    (Vec::from_i8(q) * d + m).store(out + i);
    (Vec::from_i8(q + 16) * d + m).store(out + i + 16);
  }
}

// Scale and minimum of sub-block j of a Q4_K or Q5_K block: 6 bits each, eight
// of both packed in 12 bytes; the last four borrow the top bits of the first.
inline void k_scale_min(const std::uint8_t* packed, int j, float& scale, float& minimum) {
  if (j < 4) {
    scale = static_cast<float>(packed[j] & 63);
    minimum = static_cast<float>(packed[j + 4] & 63);
  } else {
    scale = static_cast<float>((packed[j + 4] & 15) | ((packed[j - 4] >> 6) << 4));
    minimum = static_cast<float>((packed[j + 4] >> 4) | ((packed[j] >> 6) << 4));
  }
}

void decode_q4_k(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; i += 256, data += 144) {
    const float d = f16_value(load_u16(data));
    const float dmin = f16_value(load_u16(data + 2));
    for (int pair = 0; pair < 4; ++pair) {
      float scale[2];
      float minimum[2];
      k_scale_min(as_u8(data + 4), 2 * pair, scale[0], minimum[0]);
      k_scale_min(as_u8(data + 4), 2 * pair + 1, scale[1], minimum[1]);
      const Vec d_low = Vec::set(d * scale[0]);
      const Vec m_low = Vec::set(dmin * minimum[0]);
      const Vec d_high = Vec::set(d * scale[1]);
      const Vec m_high = Vec::set(dmin * minimum[1]);
      for (int half = 0; half < 2; ++half) {
        Vec low;
        Vec high;
        Vec::from_nibbles(data + 16 + 32 * pair + 16 * half, low, high);
        float* target = out + i + 64 * pair + 16 * half;
        (low * d_low - m_low).store(target);
        (high * d_high - m_high).store(target + 32);
      }
    }
  }
}

void decode_q5_k(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; i += 256, data += 176) {
    const float d = f16_value(load_u16(data));
    const float dmin = f16_value(load_u16(data + 2));
    const std::uint8_t* high_bits = as_u8(data + 16);
    const std::uint8_t* nibbles = as_u8(data + 48);
    for (int j = 0; j < 8; ++j) {
      float scale;
      float minimum;
      k_scale_min(as_u8(data + 4), j, scale, minimum);
      const Vec dv = Vec::set(d * scale);
      const Vec mv = Vec::set(dmin * minimum);
      const int shift = 4 * (j & 1);
      std::int8_t q[32];
      for (int k = 0; k < 32; ++k) {
        const int low = (nibbles[32 * (j / 2) + k] >> shift) & 15;
        q[k] = static_cast<std::int8_t>(low | (((high_bits[k] >> j) & 1) << 4));
      }
      (Vec::from_i8(q) * dv - mv).store(out + i + 32 * j);
      (Vec::from_i8(q + 16) * dv - mv).store(out + i + 32 * j + 16);
    }
  }
}

void decode_q6_k(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; i += 256, data += 210) {
    const float d = f16_value(load_u16(data + 208));
    const auto* scales = reinterpret_cast<const std::int8_t*>(data + 192);
    for (int half = 0; half < 2; ++half) {
      const std::uint8_t* low = as_u8(data) + 64 * half;
      const std::uint8_t* high = as_u8(data + 128) + 32 * half;
      for (int quarter = 0; quarter < 4; ++quarter) {
        const std::uint8_t* nibbles = low + 32 * (quarter & 1);
        const int low_shift = 4 * (quarter >> 1);
        const int high_shift = 2 * quarter;
        std::int8_t q[32];
        for (int k = 0; k < 32; ++k) {
          const int value = ((nibbles[k] >> low_shift) & 15) | (((high[k] >> high_shift) & 3) << 4);
          q[k] = static_cast<std::int8_t>(value - 32);
        }
        const int first = 8 * half + 2 * quarter;
        float* target = out + i + 128 * half + 32 * quarter;
        (Vec::from_i8(q) * Vec::set(d * static_cast<float>(scales[first]))).store(target);
        (Vec::from_i8(q + 16) * Vec::set(d * static_cast<float>(scales[first + 1])))
            .store(target + 16);
      }
    }
  }
}

// Twice the value of each E2M1 code.
constexpr std::int8_t kE2m1Doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

// Scale of an NVFP4 sub-block in GGUF: E4M3 without sign; the top bit is not
// looked at, and 0x7F means 0.
inline float ue4m3_value(std::uint8_t code) {
  if (code == 0x7F) return 0.0F;
  return f16_value(static_cast<std::uint16_t>((code & 0x7F) << 7)) * 256.0F;
}

void decode_nvfp4(const std::byte* data, const std::byte*, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; i += 64, data += 36) {
    for (int sub = 0; sub < 4; ++sub) {
      const Vec half_scale = Vec::set(0.5F * ue4m3_value(as_u8(data)[sub]));
      const std::uint8_t* nibbles = as_u8(data + 4) + 8 * sub;
      std::int8_t q[16];
      for (int k = 0; k < 8; ++k) {
        q[k] = kE2m1Doubled[nibbles[k] & 15];
        q[k + 8] = kE2m1Doubled[nibbles[k] >> 4];
      }
      (Vec::from_i8(q) * half_scale).store(out + i + 16 * sub);
    }
  }
}

void decode_nvfp4_packed(const std::byte* data, const std::byte* scales, std::int64_t n,
                         float* out) {
  for (std::int64_t i = 0; i < n; i += 16) {
    const Vec half_scale = Vec::set(0.5F * e4m3_value(as_u8(scales)[i / 16]));
    const std::uint8_t* nibbles = as_u8(data) + i / 2;
    std::int8_t q[16];
    for (int k = 0; k < 8; ++k) {
      q[2 * k] = kE2m1Doubled[nibbles[k] & 15];
      q[2 * k + 1] = kE2m1Doubled[nibbles[k] >> 4];
    }
    (Vec::from_i8(q) * half_scale).store(out + i);
  }
}

// In the order of DType.
constexpr Decode kDecoders[] = {
    decode_f32,  decode_f16,  decode_bf16,  decode_f8_e4m3,      decode_q8_0,
    decode_q4_0, decode_q4_1, decode_q5_0,  decode_q5_1,         decode_q4_k,
    decode_q5_k, decode_q6_k, decode_nvfp4, decode_nvfp4_packed,
};
