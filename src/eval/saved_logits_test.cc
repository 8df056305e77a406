#include "eval/saved_logits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include "base/error.h"
#include "base/testing/test_folder.h"
#include "eval/eval_testing.h"
#include "eval/text_evaluation.h"
#include "sampling/softmax.h"

namespace pleiad::eval {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SavedLogits : public ::testing::Test {
 protected:
  SavedLogits() : path_(fs::temp_directory_path() / fmt::format("saved-logits-{}", ::getpid())) {}
  ~SavedLogits() override { fs::remove(path_); }

  static SavedLogitsHeader header(std::int64_t vocab_size, std::size_t n_tokens, double tail) {
    SavedLogitsHeader header;
    header.model = "a model";
    header.vocab_size = vocab_size;
    header.tokenizer = 0x123456789ABCDEF0;
    header.tail = tail;
    header.windows = {WindowMethod::sliding, 64, 32, 0};
    header.bos = kBos;
    header.tokens = some_tokens(n_tokens);
    return header;
  }

  /// Rows as a language model's: few likely tokens, a long tail.
  static std::vector<float> row(std::mt19937& random, std::size_t vocab_size) {
    std::normal_distribution<float> normal(0.0F, 6.0F);
    std::vector<float> logits(vocab_size);
    for (float& logit : logits) logit = normal(random);
    return logits;
  }

  std::vector<std::byte> bytes() const { return bytes_of(path_); }
  static std::vector<std::byte> bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    std::vector<std::byte> found(text.size());
    std::memcpy(found.data(), text.data(), text.size());
    return found;
  }

  const fs::path path_;
};

TEST_F(SavedLogits, ComeBackWithinWhatIsPromised) {
  constexpr std::size_t kVocab = 3000;
  constexpr double kTail = 1e-4;
  std::mt19937 random(1);
  const SavedLogitsHeader wanted = header(kVocab, 5, kTail);
  std::vector<std::vector<float>> rows;
  SavedLogitsWriter writer(path_, wanted);
  for (const text::TokenId token : wanted.tokens) {
    rows.push_back(row(random, kVocab));
    writer.add(rows.back(), token);
  }
  EXPECT_FALSE(fs::exists(path_));
  writer.finish();

  SavedLogitsReader reader = SavedLogitsReader::open(path_);
  EXPECT_EQ(reader.header().model, "a model");
  EXPECT_EQ(reader.header().tokens, wanted.tokens);
  EXPECT_EQ(reader.header().windows.context, 64);
  EXPECT_EQ(reader.header().windows.stride, 32);
  SavedRow found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_TRUE(reader.next(found));
    const double norm = sampling::log_sum_exp(rows[i]);
    EXPECT_LT(found.ids.size(), kVocab / 2);  // compact
    EXPECT_LE(found.tail, kTail * (1 + 1e-6));
    EXPECT_EQ(found.top, top_token(rows[i]));
    EXPECT_NEAR(found.target, rows[i][static_cast<std::size_t>(wanted.tokens[i])] - norm, 1e-5);
    for (std::size_t k = 0; k < found.ids.size(); ++k) {
      EXPECT_NEAR(found.log_probabilities[k],
                  double{rows[i][static_cast<std::size_t>(found.ids[k])]} - norm, 0x1p-20 + 1e-12);
    }
  }
  EXPECT_FALSE(reader.next(found));
}

TEST_F(SavedLogits, TheDivergenceIsWithinItsBound) {
  constexpr std::size_t kVocab = 2000;
  std::mt19937 random(2);
  std::normal_distribution<float> noise(0.0F, 0.5F);
  for (const double tail : {1e-6, 1e-3, 0.05}) {
    const SavedLogitsHeader wanted = header(kVocab, 20, tail);
    std::vector<std::vector<float>> rows;
    SavedLogitsWriter writer(path_, wanted);
    for (const text::TokenId token : wanted.tokens) {
      rows.push_back(row(random, kVocab));
      writer.add(rows.back(), token);
    }
    writer.finish();
    SavedLogitsReader reader = SavedLogitsReader::open(path_);
    SavedRow saved;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_TRUE(reader.next(saved));
      std::vector<float> judged = rows[i];
      for (float& logit : judged) logit += noise(random);
      const double whole = RowComparison().compare(rows[i], judged, wanted.tokens[i]).divergence;
      const TokenComparison found = compare_saved(saved, judged, wanted.tokens[i]);
      EXPECT_LE(found.divergence, whole + 3e-6) << tail;
      EXPECT_GE(found.divergence + found.bound, whole - 3e-6) << tail;
      EXPECT_NEAR(found.divergence, whole, tail + 3e-6) << "what is left out is about as divergent";
    }
  }
}

TEST_F(SavedLogits, AModelDoesNotDivergeFromItsOwnFile) {
  TinyModel tiny("e2b");
  const auto tokens = some_tokens(60);
  TextRequest request;
  request.models = {{"tiny", &tiny.model}};
  request.tokens = tokens;
  request.bos = kBos;
  request.windows = {WindowMethod::sliding, 24, 9, 0};
  SavedLogitsHeader header;
  header.model = "tiny";
  header.vocab_size = tiny.model.info().vocab_size;
  header.windows = request.windows;
  header.bos = kBos;
  header.tokens = tokens;
  SavedLogitsWriter writer(path_, header);
  request.save = &writer;
  const TextReport first = evaluate_text(request);
  writer.finish();

  SavedLogitsReader reader = SavedLogitsReader::open(path_);
  request.save = nullptr;
  request.against = &reader;
  request.tokens = reader.header().tokens;
  const TextReport second = evaluate_text(request);
  EXPECT_EQ(second.models.front().loss.mean(), first.models.front().loss.mean());
  ASSERT_TRUE(second.comparison);
  EXPECT_EQ(second.comparison->reference, "tiny");
  EXPECT_LT(second.comparison->tokens.quantile(1), 3e-6);
  EXPECT_EQ(second.comparison->tokens.same_top().mean(), 1);
  EXPECT_NEAR(second.comparison->loss_difference.mean(), 0, 1e-6);

  const auto refusal = [](std::vector<std::byte> changed, TextRequest asked) -> std::string {
    SavedLogitsReader other = SavedLogitsReader::from_bytes(changed, "changed");
    asked.against = &other;
    try {
      evaluate_text(asked);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refusal(bytes(), request), "none");
  std::vector<std::byte> changed = bytes();
  changed.push_back(std::byte{0});
  EXPECT_THAT(refusal(changed, request), HasSubstr("bytes after the last row"));
  TextRequest another_bos = request;
  another_bos.bos = kBos + 1;
  EXPECT_THAT(refusal(bytes(), another_bos), HasSubstr("windows begin with token"));
  // A file of its own: the one that is read is mapped, and Windows lets nobody take its place.
  header.vocab_size += 1;
  const TestFolder folder;
  SavedLogitsWriter larger(folder / "larger", header);
  larger.finish();
  EXPECT_THAT(refusal(bytes_of(folder / "larger"), request),
              HasSubstr(fmt::format("a vocabulary of {} pieces", header.vocab_size)));
}

TEST_F(SavedLogits, DamageIsFoundWhereverItIs) {
  const SavedLogitsHeader wanted = header(300, 3, 1e-3);
  std::mt19937 random(3);
  SavedLogitsWriter writer(path_, wanted);
  for (const text::TokenId token : wanted.tokens) writer.add(row(random, 300), token);
  writer.finish();
  const std::vector<std::byte> whole = bytes();
  const auto read_all = [](std::span<const std::byte> bytes) {
    SavedLogitsReader reader = SavedLogitsReader::from_bytes(bytes, "test");
    SavedRow saved;
    while (reader.next(saved)) {
    }
  };
  EXPECT_NO_THROW(read_all(whole));
  for (std::size_t n = 0; n < whole.size(); n += n < 100 ? 1 : 7) {
    // Of memory that ends where the file does.
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_THROW(read_all(cut), LoadError) << n;
  }
  std::vector<std::byte> longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_THROW(read_all(longer), LoadError);
  std::vector<std::byte> later = whole;
  later[8] = std::byte{9};  // the version
  EXPECT_THROW(read_all(later), LoadError);
  later[8] = std::byte{1};
  try {
    read_all(later);
    ADD_FAILURE() << "a file that does not name its tokenizer";
  } catch (const LoadError& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not say which tokenizer"));
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {  // whatever it is, it ends in an Error
    std::vector<std::byte> damaged = whole;
    damaged[at] ^= std::byte{0xFF};
    try {
      read_all(damaged);
    } catch (const LoadError&) {
    }
  }
}

}  // namespace
}  // namespace pleiad::eval
