// Prompts with pictures against the reference: the soft tokens that it made are given to the
// model, in tiny checkpoints with pictures that are attended to causally (E2B), both ways on
// sliding layers (26B-A4B) and on all (12B, with sounds beside them that are text to it); and
// nothing of how a prompt is cut, nor of what is computed beside it, shows.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <random>

#include "model/testing/golden_media.h"
#include "support/model_runner.h"

namespace pleiad {
namespace {

using testing_support::golden_media;
using testing_support::GoldenMatrix;
using testing_support::GoldenPrompt;
using testing_support::kExactCache;
using testing_support::ModelRunner;
using testing_support::read_golden_matrix;
using testing_support::read_golden_media;

constexpr float kPictureTolerance = 2e-4F;

struct PictureSource {
  std::string family;
  std::string file;  // within the family's folder; "" is the folder itself
  std::string isa;
};

std::vector<PictureSource> picture_sources() {
  std::vector<PictureSource> all;
  for (const cpu::Isa isa : cpu::usable_isas()) {
    for (const std::string family : {"e2b", "12b", "26b-a4b"}) {
      if (isa == cpu::pick_isa("")) all.push_back({family, "", std::string(cpu::name(isa))});
      all.push_back({family, family + ".gguf", std::string(cpu::name(isa))});
    }
  }
  return all;
}

/// A prompt of the reference, and its pictures' soft tokens.
struct PicturePrompt {
  GoldenPrompt golden;
  GoldenMatrix soft;  // of all pictures
  GoldenMatrix logits;

  std::int64_t size() const { return static_cast<std::int64_t>(golden.tokens.size()); }

  /// The soft rows of `n` tokens after the first `done`, all of them within a slice.
  std::vector<SoftRows> soft_within(std::int64_t done, std::int64_t n) const {
    std::vector<SoftRows> found;
    std::int64_t row = 0;
    for (const auto& picture : golden.pictures) {
      const std::int64_t first = std::max(picture.first, done);
      const std::int64_t end = std::min(picture.first + picture.n, done + n);
      if (first < end) {
        found.push_back(
            {first - done,
             std::span(soft.values)
                 .subspan(static_cast<std::size_t>((row + first - picture.first) * soft.cols),
                          static_cast<std::size_t>((end - first) * soft.cols)),
             !picture.is_sound(), first - picture.first});
      }
      row += picture.n;
    }
    return found;
  }

  /// So many tokens after `done`, or up to the picture that these would cut, or its end.
  std::int64_t chunk_after(std::int64_t done, std::int64_t chunk, bool whole_blocks) const {
    const std::int64_t n = std::min(chunk, size() - done);
    for (const auto& picture : golden.pictures) {
      const std::int64_t end = picture.first + picture.n;
      if (!whole_blocks || picture.is_sound() || picture.first >= done + n || end <= done + n)
        continue;
      return picture.first > done ? picture.first - done : end - done;
    }
    return n;
  }
};

std::vector<PicturePrompt> picture_prompts(const std::string& family) {
  std::vector<PicturePrompt> prompts;
  testing_support::GoldenMedia media = read_golden_media(family);
  std::ranges::move(media.sound_prompts, std::back_inserter(media.prompts));
  for (GoldenPrompt& golden : media.prompts) {
    PicturePrompt prompt;
    if (!golden.soft_file.empty()) prompt.soft = read_golden_matrix(golden.soft_file);
    prompt.logits = read_golden_matrix(golden.logits_file);
    prompt.golden = std::move(golden);
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

class GoldenPictures : public ::testing::TestWithParam<PictureSource> {
 protected:
  static constexpr int kMaxRows = 128;

  std::filesystem::path path() const { return golden_media(GetParam().family) / GetParam().file; }

  /// Logits of every token, or of the last one alone (the next token being asked for).
  static std::vector<float> logits(ModelRunner& runner, const PicturePrompt& prompt,
                                   std::int64_t chunk, WantLogits want = WantLogits::all,
                                   const KvCacheOptions& options = kExactCache) {
    const auto cache = runner.model().make_kv_cache(options);
    KvSequence sequence(*cache);
    std::vector<float> all;
    const bool whole_blocks = runner.model().info().bidirectional_blocks;
    for (std::int64_t done = 0; done < prompt.size();) {
      const std::int64_t n = prompt.chunk_after(done, chunk, whole_blocks);
      sequence.reserve(n);
      const auto soft = prompt.soft_within(done, n);
      const auto tokens = std::span(prompt.golden.tokens)
                              .subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(n));
      const bool is_last = done + n == prompt.size();
      Slice slice = {&sequence, tokens,
                     is_last || want == WantLogits::all ? want : WantLogits::none, Phase::prompt};
      slice.soft = soft;
      const Logits found = runner.model().forward({&slice, 1}, *cache);
      all.insert(all.end(), found.values.begin(), found.values.end());
      done += n;
    }
    return all;
  }

  ModelRunner runner_{path(), GetParam().isa, 1, kMaxRows, kMaxRows};
  const std::vector<PicturePrompt> prompts_ = picture_prompts(GetParam().family);
};

TEST_P(GoldenPictures, LogitsOfWholePromptsEqualTheReference) {
  EXPECT_EQ(runner_.model().info().bidirectional_blocks, GetParam().family != "e2b");
  EXPECT_EQ(runner_.model().info().blocks_on_all_layers, GetParam().family == "12b");
  std::size_t most_pictures = 0;
  for (const PicturePrompt& prompt : prompts_) {
    SCOPED_TRACE(prompt.golden.name);
    most_pictures = std::max(most_pictures, prompt.golden.pictures.size());
    const std::vector<float> found = logits(runner_, prompt, kMaxRows);
    ASSERT_EQ(found.size(), prompt.logits.values.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], prompt.logits.values[i], kPictureTolerance)
          << "token " << static_cast<std::int64_t>(i) / prompt.logits.cols;
    }
  }
  EXPECT_GE(most_pictures, 2U);
}

TEST_P(GoldenPictures, AreTheSameBitsInChunks) {
  for (const PicturePrompt& prompt : prompts_) {
    SCOPED_TRACE(prompt.golden.name);
    const std::vector<float> whole = logits(runner_, prompt, kMaxRows);
    for (const std::int64_t chunk : {1, 7, 16, 23}) {
      EXPECT_EQ(logits(runner_, prompt, chunk), whole) << "chunks of " << chunk;
    }
  }
}

TEST_P(GoldenPictures, AreTheSameBitsWithAnyNumberOfThreads) {
  for (const int n_threads : {2, 3}) {
    ModelRunner other(path(), GetParam().isa, n_threads, kMaxRows, kMaxRows);
    for (const PicturePrompt& prompt : prompts_) {
      EXPECT_EQ(logits(other, prompt, 9), logits(runner_, prompt, kMaxRows)) << prompt.golden.name;
    }
  }
}

// Rows are dropped on the way, those of pictures among them; what the rest needs of the layers
// behind is made then, of soft rows too.
TEST_P(GoldenPictures, OfTheNextTokenAreTheSameBitsWhateverElseIsAskedFor) {
  for (const PicturePrompt& prompt : prompts_) {
    SCOPED_TRACE(prompt.golden.name);
    const auto next = logits(runner_, prompt, kMaxRows, WantLogits::last);
    for (const std::int64_t chunk : {1, 8, 17}) {
      EXPECT_EQ(logits(runner_, prompt, chunk, WantLogits::last), next) << "chunks of " << chunk;
    }
    const auto all = logits(runner_, prompt, kMaxRows);
    // One prompt with the logits of every row, beside one with none: its rows are kept and those
    // of the other are not.
    const auto cache = runner_.model().make_kv_cache(kExactCache);
    KvSequence kept(*cache);
    KvSequence dropped(*cache);
    const auto soft = prompt.soft_within(0, prompt.size());
    const auto n = std::min<std::int64_t>(prompt.size(), kMaxRows / 2);
    const std::int64_t n_whole = prompt.chunk_after(0, n, true);
    const auto part = prompt.soft_within(0, n_whole);
    const auto tokens = std::span(prompt.golden.tokens).first(static_cast<std::size_t>(n_whole));
    kept.reserve(n_whole);
    dropped.reserve(n_whole);
    std::array batch = {Slice{&dropped, tokens, WantLogits::none, Phase::prompt},
                        Slice{&kept, tokens, WantLogits::all, Phase::prompt}};
    for (Slice& slice : batch) slice.soft = part;
    const Logits found = runner_.model().forward(batch, *cache);
    ASSERT_EQ(found.n_rows(), n_whole);
    EXPECT_TRUE(std::equal(found.values.begin(), found.values.end(), all.begin()));
  }
}

TEST_P(GoldenPictures, GiveTheSameLogitsAFewRowsAtATime) {
  constexpr int kLogitRows = 7;
  ModelRunner few(path(), GetParam().isa, 1, kMaxRows, kLogitRows);
  Model& model = few.model();
  const std::int64_t most = std::min<std::int64_t>(kMaxRows, model.info().max_hidden_rows);
  for (const PicturePrompt& prompt : prompts_) {
    SCOPED_TRACE(prompt.golden.name);
    const std::vector<float> all = logits(runner_, prompt, kMaxRows);
    const auto cache = model.make_kv_cache(kExactCache);
    KvSequence sequence(*cache);
    std::vector<float> taken;
    const TakeLogits take = [&](std::span<const float> rows) {
      EXPECT_LE(std::ssize(rows), kLogitRows * model.info().vocab_size);
      taken.insert(taken.end(), rows.begin(), rows.end());
    };
    for (std::int64_t done = 0; done < prompt.size();) {
      const std::int64_t n = prompt.chunk_after(done, most, model.info().bidirectional_blocks);
      sequence.reserve(n);
      const auto soft = prompt.soft_within(done, n);
      Slice slice = {&sequence,
                     std::span(prompt.golden.tokens)
                         .subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(n)),
                     WantLogits::all, Phase::prompt};
      slice.soft = soft;
      slice.take_logits = &take;
      EXPECT_EQ(model.forward({&slice, 1}, *cache).n_rows(), 0);
      done += n;
    }
    EXPECT_EQ(taken, all);
  }
}

TEST_P(GoldenPictures, AreTheSameBitsInCompany) {
  std::mt19937 random(5);
  ModelRunner two_threads(path(), GetParam().isa, 2, kMaxRows, kMaxRows);
  Model& model = two_threads.model();
  const auto cache = model.make_kv_cache(kExactCache);
  std::vector<std::unique_ptr<KvSequence>> sequences;
  std::vector<std::int64_t> done(prompts_.size(), 0);
  std::vector<std::vector<float>> found(prompts_.size());
  for (std::size_t i = 0; i < prompts_.size(); ++i) {
    sequences.push_back(std::make_unique<KvSequence>(*cache));
  }
  for (bool any = true; any;) {
    any = false;
    std::vector<std::size_t> order(prompts_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Slice> batch;
    std::vector<std::size_t> owners;
    std::vector<std::vector<SoftRows>> soft(prompts_.size());
    std::int64_t room = kMaxRows;
    for (const std::size_t i : order) {
      const PicturePrompt& prompt = prompts_[i];
      if (done[i] == prompt.size()) continue;
      any = true;
      const std::int64_t n = prompt.chunk_after(
          done[i], 1 + static_cast<std::int64_t>(random() % 20), model.info().bidirectional_blocks);
      if (n > room) continue;
      room -= n;
      sequences[i]->reserve(n);
      soft[i] = prompt.soft_within(done[i], n);
      batch.push_back({sequences[i].get(),
                       std::span(prompt.golden.tokens)
                           .subspan(static_cast<std::size_t>(done[i]), static_cast<std::size_t>(n)),
                       WantLogits::all, Phase::prompt});
      batch.back().soft = soft[i];
      owners.push_back(i);
      done[i] += n;
    }
    if (batch.empty()) continue;
    const Logits logits = model.forward(batch, *cache);
    std::int64_t row = 0;
    for (std::size_t k = 0; k < batch.size(); ++k) {
      for (std::size_t t = 0; t < batch[k].tokens.size(); ++t, ++row) {
        found[owners[k]].insert(found[owners[k]].end(), logits.row(row).begin(),
                                logits.row(row).end());
      }
    }
  }
  for (std::size_t i = 0; i < prompts_.size(); ++i) {
    EXPECT_EQ(found[i], logits(runner_, prompts_[i], kMaxRows)) << prompts_[i].golden.name;
  }
}

// What a sequence goes back to may lie within a picture: the rest of it follows, in one slice.
TEST_P(GoldenPictures, AreTheSameBitsFromTheMiddleOfAPictureOn) {
  for (const PicturePrompt& prompt : prompts_) {
    if (prompt.golden.pictures.empty() || prompt.golden.pictures.front().n < 4) continue;
    if (prompt.size() > kMaxRows) continue;  // longer than the one pass that is gone back into
    SCOPED_TRACE(prompt.golden.name);
    const auto next = logits(runner_, prompt, kMaxRows, WantLogits::last);
    const auto cache = runner_.model().make_kv_cache(kExactCache);
    KvSequence sequence(*cache);
    const auto feed = [&](std::int64_t from) {
      sequence.reserve(prompt.size() - from);
      const auto soft = prompt.soft_within(from, prompt.size() - from);
      Slice slice = {&sequence,
                     std::span(prompt.golden.tokens).subspan(static_cast<std::size_t>(from)),
                     WantLogits::last, Phase::prompt};
      slice.soft = soft;
      const Logits found = runner_.model().forward({&slice, 1}, *cache);
      return std::vector<float>(found.values.begin(), found.values.end());
    };
    EXPECT_EQ(feed(0), next);
    const std::int64_t middle =
        prompt.golden.pictures.front().first + prompt.golden.pictures.front().n / 2;
    sequence.keep_from(prompt.golden.pictures.front().first);  // which all of a block may see
    ASSERT_TRUE(sequence.can_truncate(middle));
    sequence.truncate(middle);
    EXPECT_EQ(feed(middle), next);
  }
}

std::string picture_source_name(const ::testing::TestParamInfo<PictureSource>& item) {
  std::string name =
      item.param.family + (item.param.file.empty() ? "_folder_" : "_gguf_") + item.param.isa;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Reference, GoldenPictures, ::testing::ValuesIn(picture_sources()),
                         picture_source_name);

}  // namespace
}  // namespace pleiad
