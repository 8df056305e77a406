#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/isa.h"
#include "model/checkpoint.h"
#include "model/gemma4/audio/encoder.h"
#include "model/gemma4/vision/encoder.h"
#include "model/model.h"

// What tests of towers and embedders share, of pictures as of sounds.

namespace pleiad::testing_support {

struct RunnerOptions {
  std::string isa = {};
  int n_threads = 1;
  int max_rows = 512;
  std::filesystem::path projector = {};
};

/// A checkpoint's encoder with a backend of its own.
template <typename Encoder>
class EncoderRunner {
 public:
  explicit EncoderRunner(const std::filesystem::path& path, const RunnerOptions& options = {})
      : checkpoint_(Checkpoint::open(path, {.projector = options.projector})),
        backend_(
            {.isa = options.isa, .n_threads = options.n_threads, .max_rows = options.max_rows}) {
    if constexpr (std::is_same_v<Encoder, VisionEncoder>) {
      encoder_ = gemma4::make_vision_encoder(checkpoint_, backend_, {.max_rows = options.max_rows});
    } else {
      encoder_ = gemma4::make_audio_encoder(checkpoint_, backend_, {.max_rows = options.max_rows});
    }
  }

  /// Soft tokens, computed in parts of so many rows.
  template <typename Input>
  std::vector<float> encode(const Input& input, std::int64_t rows = 1 << 20) {
    const auto encoding = encoder_->begin(input);
    while (!encoding->advance(rows)) {
    }
    return encoding->take();
  }
  const Checkpoint& checkpoint() const { return checkpoint_; }
  Encoder& encoder() { return *encoder_; }

 private:
  Checkpoint checkpoint_;
  cpu::CpuBackend backend_;
  std::unique_ptr<Encoder> encoder_;
};

using VisionRunner = EncoderRunner<VisionEncoder>;
using SoundRunner = EncoderRunner<AudioEncoder>;

/// The largest difference beside the largest value.
inline double relative_difference(const std::vector<float>& found,
                                  const std::vector<float>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    if (!std::isfinite(found[i])) return INFINITY;
    largest = std::max<double>(largest, std::abs(expected[i]));
    worst = std::max<double>(worst, std::abs(found[i] - expected[i]));
  }
  return worst / largest;
}

inline std::vector<std::string> isa_names() {
  std::vector<std::string> names;
  for (const cpu::Isa isa : cpu::usable_isas()) names.emplace_back(cpu::name(isa));
  return names;
}

/// Of soft tokens, from the reference's: on the matrix unit activations are rounded to bf16 before
/// they meet bf16 weights.
inline double encoder_tolerance(const std::string& isa) {
  return isa.starts_with("amx") ? 3e-2 : 1e-4;
}

/// "folder_avx512" of "folder-avx512": names of tests have no hyphens.
inline std::string test_name(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Parts of so many rows, operations of at most so many, and two threads in parts of their own give
/// the bits of the whole.
template <typename Encoder, typename Input>
void expect_same_bits_however_cut(const std::filesystem::path& path, const Input& input,
                                  std::initializer_list<std::int64_t> parts,
                                  std::initializer_list<int> most_rows,
                                  std::int64_t part_of_two_threads) {
  EncoderRunner<Encoder> runner(path);
  const std::vector<float> whole = runner.encode(input);
  for (const std::int64_t rows : parts) EXPECT_EQ(runner.encode(input, rows), whole);
  for (const int max_rows : most_rows) {
    EncoderRunner<Encoder> other(path, {.max_rows = max_rows});
    EXPECT_EQ(other.encode(input), whole) << "at most " << max_rows << " rows";
  }
  EncoderRunner<Encoder> two_threads(path, {.n_threads = 2});
  EXPECT_EQ(two_threads.encode(input, part_of_two_threads), whole);
}

/// An encoder with a backend of its own whose tensors its first encodings load.
template <typename Encoder>
class OnTheWayRunner {
 public:
  explicit OnTheWayRunner(const std::filesystem::path& path)
      : checkpoint_(Checkpoint::open(path)),
        backend_({.isa = "", .n_threads = 1, .max_rows = 512}) {
    const LoadProgress progress = [this](std::uint64_t done, std::uint64_t total) {
      loaded_ = done;
      in_all_ = total;
    };
    if constexpr (std::is_same_v<Encoder, VisionEncoder>) {
      encoder_ = gemma4::make_vision_encoder(checkpoint_, backend_,
                                             {.max_rows = 512, .load_on_the_way = true}, progress);
    } else {
      encoder_ = gemma4::make_audio_encoder(checkpoint_, backend_,
                                            {.max_rows = 512, .load_on_the_way = true}, progress);
    }
  }

  Encoder& encoder() { return *encoder_; }
  std::uint64_t loaded() const { return loaded_; }  // bytes
  std::uint64_t in_all() const { return in_all_; }

 private:
  Checkpoint checkpoint_;
  cpu::CpuBackend backend_;
  std::uint64_t loaded_ = 0;
  std::uint64_t in_all_ = 0;
  std::unique_ptr<Encoder> encoder_;
};

/// Two encodings that load the encoder between them, a part in each call, come out as those of one
/// that was loaded whole. `has_parts`: it takes more than one call.
template <typename Encoder, typename Input>
void expect_same_bits_on_the_way(const std::filesystem::path& path, const Input& input,
                                 std::int64_t rows, bool has_parts = true) {
  EncoderRunner<Encoder> whole(path);
  OnTheWayRunner<Encoder> runner(path);
  EXPECT_EQ(runner.loaded(), 0U);
  EXPECT_EQ(runner.encoder().info().weight_bytes, whole.encoder().info().weight_bytes);
  const auto first = runner.encoder().begin(input);
  const auto second = runner.encoder().begin(input);  // both load it
  EXPECT_FALSE(first->advance(rows));
  const std::uint64_t after_first = runner.loaded();
  EXPECT_GT(after_first, 0U);
  EXPECT_EQ(first->progress(), 0.0);
  const bool second_done = second->advance(rows);
  if (has_parts) {
    EXPECT_LT(after_first, runner.in_all());
    EXPECT_LT(after_first, runner.loaded());
    EXPECT_FALSE(second_done);
  }
  while (!first->advance(rows)) {
  }
  while (!second->advance(rows)) {
  }
  // Of the table of positions a picture reads its own rows from the file.
  EXPECT_GT(runner.loaded(), runner.in_all() / 2);
  EXPECT_EQ(first->take(), whole.encode(input));
  EXPECT_EQ(second->take(), whole.encode(input));
}

/// Two encodings that take turns, in parts of so many rows, come out as each does alone.
template <typename Encoder, typename Input>
void expect_undisturbed(EncoderRunner<Encoder>& runner, const Input& first, std::int64_t first_rows,
                        const Input& second, std::int64_t second_rows) {
  const auto a = runner.encoder().begin(first);
  const auto b = runner.encoder().begin(second);
  double progress = 0.0;
  for (bool done = false; !done;) {
    const bool a_done = a->advance(first_rows);
    const bool b_done = b->advance(second_rows);
    EXPECT_GE(a->progress(), progress);
    EXPECT_LE(a->progress(), 1.0);
    progress = a->progress();
    done = a_done && b_done;
  }
  EXPECT_EQ(a->progress(), 1.0);
  EXPECT_EQ(a->take(), runner.encode(first));
  EXPECT_EQ(b->take(), runner.encode(second));
}

}  // namespace pleiad::testing_support
