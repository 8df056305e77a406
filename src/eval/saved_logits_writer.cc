#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "eval/saved_logits.h"
#include "eval/saved_logits_format.h"
#include "sampling/softmax.h"

namespace pleiad::eval {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
constexpr double kBucketsPerNat = 64;
constexpr std::size_t kBuckets = static_cast<std::size_t>(kMostNats * kBucketsPerNat);

std::size_t bucket_of(double negative_log) {
  return static_cast<std::size_t>(std::max(0.0, negative_log) * kBucketsPerNat);
}

}  // namespace

SavedLogitsWriter::SavedLogitsWriter(const std::filesystem::path& path,
                                     const SavedLogitsHeader& header)
    : file_(path), tail_(header.tail) {
  CHECK(header.tail >= 1e-7 && header.tail <= 0.1, "tail {}", header.tail);
  ByteWriter out(buffer_);
  for (const char c : kSavedLogitsMagic) out.number(static_cast<std::uint8_t>(c));
  out.number(kSavedLogitsVersion);
  out.number(static_cast<std::uint32_t>(header.vocab_size));
  out.number(header.tokenizer);
  out.f64(header.tail);
  out.number(static_cast<std::uint8_t>(header.windows.method));
  out.number(header.windows.context);
  out.number(header.windows.stride);
  out.number(header.windows.max_windows);
  const std::string name = header.model.substr(0, 255);
  out.number(static_cast<std::uint8_t>(name.size()));
  for (const char c : name) out.number(static_cast<std::uint8_t>(c));
  out.number(static_cast<std::uint32_t>(header.bos));
  out.number(static_cast<std::uint64_t>(header.tokens.size()));
  for (const text::TokenId token : header.tokens) out.number(static_cast<std::uint32_t>(token));
}

void SavedLogitsWriter::add(std::span<const float> logits, text::TokenId target) {
  const double norm = sampling::log_sum_exp(logits);
  const auto negative_log = [&](std::size_t id) { return norm - double{logits[id]}; };
  // How likely all tokens are together that are about as unlikely.
  mass_.assign(kBuckets + 1, 0.0);
  for (std::size_t id = 0; id < logits.size(); ++id) {
    const double nats = negative_log(id);
    mass_[std::min(bucket_of(nats), kBuckets)] += sampling::exp_nonpositive(-std::max(0.0, nats));
  }
  std::size_t first_dropped = kBuckets;
  double tail = mass_[kBuckets];
  while (first_dropped > 0 && tail + mass_[first_dropped - 1] <= tail_) {
    tail += mass_[--first_dropped];
  }
  std::uint64_t n_kept = 0;
  double likeliest_dropped = 1e9;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (bucket_of(negative_log(id)) < first_dropped) {
      ++n_kept;
    } else {
      likeliest_dropped = std::min(likeliest_dropped, negative_log(id));
    }
  }
  ByteWriter out(buffer_);
  out.varint(n_kept);
  out.varint(static_cast<std::uint64_t>(top_token(logits)));
  out.f32(static_cast<float>(-negative_log(static_cast<std::size_t>(target))));
  out.f32(static_cast<float>(tail));
  out.f32(static_cast<float>(-likeliest_dropped));
  std::size_t next = 0;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    const double nats = negative_log(id);
    if (bucket_of(nats) >= first_dropped) continue;
    const double code = std::round(std::max(0.0, nats) * kCodesPerNat);
    out.varint(id - next);
    out.number(std::min(static_cast<std::uint32_t>(code), kMaxCode), 3);
    next = id + 1;
  }
  if (buffer_.size() >= kFlushBytes) flush();
}

void SavedLogitsWriter::flush() {
  file_.write(buffer_);
  buffer_.clear();
}

void SavedLogitsWriter::finish() {
  flush();
  file_.finish();
}

}  // namespace pleiad::eval
