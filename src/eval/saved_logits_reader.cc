#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "eval/saved_logits.h"
#include "eval/saved_logits_format.h"
#include "sampling/softmax.h"

namespace pleiad::eval {
namespace {

constexpr std::int64_t kMaxVocabulary = std::int64_t{1} << 24;
constexpr std::int64_t kMaxContext = std::int64_t{1} << 30;

WindowOptions read_windows(ByteReader& in) {
  WindowOptions options;
  const std::uint64_t method = in.number(1);
  if (method > static_cast<std::uint64_t>(WindowMethod::chunks)) {
    in.fail("an unknown way of cutting the text");
  }
  options.method = static_cast<WindowMethod>(method);
  options.context = static_cast<std::int64_t>(in.number(8));
  options.stride = static_cast<std::int64_t>(in.number(8));
  options.max_windows = static_cast<std::int64_t>(in.number(8));
  if (options.context < 4 || options.context > kMaxContext || options.stride < 1 ||
      options.stride >= options.context || options.max_windows < 0) {
    in.fail("an impossible context or stride");
  }
  return options;
}

}  // namespace

SavedLogitsReader::SavedLogitsReader(std::span<const std::byte> bytes, std::string source)
    : bytes_(bytes), source_(std::move(source)) {}

SavedLogitsReader SavedLogitsReader::open(const std::filesystem::path& path) {
  auto file = std::make_unique<MappedFile>(path);
  SavedLogitsReader reader(file->bytes(), path.string());
  reader.file_ = std::move(file);
  read_unchanged(*reader.file_, [&] { reader.read_header(); });
  return reader;
}

SavedLogitsReader SavedLogitsReader::from_bytes(std::span<const std::byte> bytes,
                                                std::string source) {
  SavedLogitsReader reader(bytes, std::move(source));
  reader.read_header();
  return reader;
}

void SavedLogitsReader::read_header() {
  ByteReader in(bytes_, at_, source_);
  const bool is_ours = bytes_.size() >= sizeof(kSavedLogitsMagic) &&
                       std::equal(std::begin(kSavedLogitsMagic), std::end(kSavedLogitsMagic),
                                  bytes_.begin(), [](char expected, std::byte found) {
                                    return static_cast<std::byte>(expected) == found;
                                  });
  if (!is_ours) {
    throw LoadError(
        "{}: is no file of saved logits: expected one that `pleiad eval "
        "--save-logits` wrote",
        source_);
  }
  at_ = sizeof(kSavedLogitsMagic);
  const std::uint64_t version = in.number(4);
  if (version != kSavedLogitsVersion) {
    throw LoadError("{}: is of version {}, this program reads version {}{}", source_, version,
                    kSavedLogitsVersion,
                    version < kSavedLogitsVersion
                        ? ": it does not say which tokenizer it is of; write it again"
                        : "");
  }
  header_.vocab_size = static_cast<std::int64_t>(in.number(4));
  if (header_.vocab_size < 1 || header_.vocab_size > kMaxVocabulary) {
    in.fail("an impossible size of the vocabulary");
  }
  header_.tokenizer = in.number(8);
  header_.tail = in.f64();
  if (!(header_.tail > 0 && header_.tail < 1)) in.fail("an impossible tail");
  header_.windows = read_windows(in);
  const std::uint64_t name_size = in.number(1);
  in.need(name_size);
  for (std::uint64_t i = 0; i < name_size; ++i) {
    header_.model += static_cast<char>(bytes_[at_ + i]);
  }
  at_ += name_size;
  const auto read_token = [&] {
    const std::uint64_t token = in.number(4);
    if (token >= static_cast<std::uint64_t>(header_.vocab_size)) in.fail("an unknown token");
    return static_cast<text::TokenId>(token);
  };
  header_.bos = read_token();
  const std::uint64_t n_tokens = in.number(8);
  if (n_tokens > in.left() / 4) in.fail("more tokens than the file has room for");
  header_.tokens.resize(n_tokens);
  for (text::TokenId& token : header_.tokens) token = read_token();
  windows_ = cut_windows(static_cast<std::int64_t>(n_tokens), header_.windows);
  for (const TextWindow& window : windows_) n_left_ += window.n_scored();
}

bool SavedLogitsReader::next(SavedRow& row) {
  if (!file_) return read_row(row);
  return read_unchanged(*file_, [&] { return read_row(row); });
}

bool SavedLogitsReader::read_row(SavedRow& row) {
  ByteReader in(bytes_, at_, source_);
  if (n_left_ == 0) {
    if (in.left() != 0) in.fail("there are bytes after the last row");
    return false;
  }
  --n_left_;
  const auto vocab_size = static_cast<std::uint64_t>(header_.vocab_size);
  const std::uint64_t n_kept = in.varint();
  const std::uint64_t top = in.varint();
  if (n_kept > vocab_size || top >= vocab_size) in.fail("a token that is not in the vocabulary");
  constexpr std::size_t kSmallestEntry = 4;
  in.need(static_cast<std::size_t>(n_kept) * kSmallestEntry);
  row.top = static_cast<text::TokenId>(top);
  row.target = double{in.f32()};
  row.tail = double{in.f32()};
  row.largest_in_tail = double{in.f32()};
  row.ids.clear();
  row.log_probabilities.clear();
  double sum = row.tail;
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < n_kept; ++i) {
    next += in.varint();
    if (next >= vocab_size) in.fail("a token that is not in the vocabulary");
    row.ids.push_back(static_cast<text::TokenId>(next++));
    row.log_probabilities.push_back(-static_cast<double>(in.number(3)) / kCodesPerNat);
    sum += sampling::exp_nonpositive(row.log_probabilities.back());
  }
  // Also where one of them is no number.
  const bool is_distribution = std::abs(sum - 1) < 1e-3 && row.tail >= 0 && row.target <= 1e-3 &&
                               std::isfinite(row.target) && row.largest_in_tail <= 1e-3;
  if (!is_distribution) in.fail("probabilities that do not sum up to 1");
  return true;
}

void SavedLogitsReader::check() const {
  SavedLogitsReader other = from_bytes(bytes_, source_);
  SavedRow row;
  while (other.next(row)) {
  }
}

TokenComparison compare_saved(const SavedRow& reference, std::span<const float> judged,
                              text::TokenId target) {
  const double norm = sampling::log_sum_exp(judged);
  TokenComparison result;
  double tail = 0;  // of Q
  double smallest = std::numeric_limits<double>::infinity();
  std::size_t kept = 0;
  for (std::size_t id = 0; id < judged.size(); ++id) {
    const double log_judged = double{judged[id]} - norm;
    if (kept < reference.ids.size() && static_cast<std::size_t>(reference.ids[kept]) == id) {
      const double log_reference = reference.log_probabilities[kept++];
      result.divergence += sampling::exp_nonpositive(log_reference) * (log_reference - log_judged);
    } else {
      tail += std::exp(log_judged);
      smallest = std::min(smallest, log_judged);
    }
  }
  if (reference.tail > 0 && tail > 0) {
    const double log_tail = std::log(reference.tail);
    result.divergence += reference.tail * (log_tail - std::log(tail));
    result.bound = reference.tail * std::max(0.0, (reference.largest_in_tail - log_tail) +
                                                      (std::log(tail) - smallest));
  }
  result.divergence = std::max(0.0, result.divergence);
  result.reference = std::exp(reference.target);
  result.judged = std::exp(double{judged[static_cast<std::size_t>(target)]} - norm);
  result.same_top = top_token(judged) == reference.top;
  return result;
}

}  // namespace pleiad::eval
