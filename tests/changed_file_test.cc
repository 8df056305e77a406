// A model's file that is cut off or written over while it is in use: whoever reads it says so, and
// gives nothing that was made of two files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <utility>

#include "backend/cpu/cpu_backend.h"
#include "base/file_changed_error.h"
#include "base/testing/paths.h"
#include "base/testing/test_folder.h"
#include "convert/write_folder.h"
#include "convert/write_gguf.h"
#include "engine/engine.h"
#include "engine/loaded_model.h"
#include "engine/session.h"
#include "engine/testing/engine_test_support.h"
#include "verify/verify.h"

namespace pleiad {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing_support::ask;
using testing_support::CollectingSink;
using testing_support::random_tokens;
using testing_support::request;

const fs::path kDemo = source_path("models/demo/pleiad-demo.gguf");

/// What happens to a file.
enum class Change : std::uint8_t { emptied, cut_off, same_size };

class ChangedFile : public ::testing::TestWithParam<Change> {
 protected:
  ChangedFile() {
    fs::copy_file(kDemo, path());
    // Times go in ticks of some milliseconds: the change is not to fall into the copy's.
    fs::last_write_time(path(), fs::last_write_time(path()) - std::chrono::hours(1));
  }

  fs::path path() const { return folder_ / "model.gguf"; }

  /// Other values where the tensors are.
  void change() const {
    const auto size = fs::file_size(path());
    if (GetParam() == Change::same_size) {
      std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(size / 2));
      file << std::string(size / 2, '\x11');
      return;
    }
    fs::resize_file(path(), GetParam() == Change::emptied ? 0 : size / 2);
  }

  template <typename Work>
  std::string change_found_by(Work work) const {
    try {
      work();
    } catch (const FileChangedError& error) {
      return error.what();
    }
    return "no change";
  }

  std::string expected() const { return path().string() + ": changed while it was in use"; }

  TestFolder folder_;
  cpu::CpuBackend backend_{{}};
};

TEST_P(ChangedFile, WhileItIsLoadedIsAnError) {
  LoadOptions options;
  bool done = false;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (!std::exchange(done, true)) change();
  };
  EXPECT_THAT(change_found_by([&] { LoadedModel(path(), backend_, options); }),
              HasSubstr(expected()));
}

TEST_P(ChangedFile, WhileASessionGeneratesEndsIt) {
  LoadedModel model(path(), backend_, {});
  Session session(model, {});
  // A reply that may not end by itself: the model's own can stop before the third token.
  const GenerationOptions endless = request({}).generation;
  int n_tokens = 0;
  EXPECT_THAT(change_found_by([&] {
                session.generate(random_tokens(20, 1), endless, [&](text::TokenId) {
                  if (++n_tokens == 3) change();
                  return true;
                });
              }),
              HasSubstr(expected()));
  EXPECT_EQ(n_tokens, 3);
}

TEST_P(ChangedFile, WhileItIsLoadedForNoOneIsFoundByTheNextPrompt) {
  LoadedModel model(path(), backend_, {});
  Session session(model, {});
  change();
  EXPECT_THAT(change_found_by([&] {
                session.generate(random_tokens(20, 1), {}, [](text::TokenId) { return false; });
              }),
              HasSubstr(expected()));
}

TEST_P(ChangedFile, EndsAllRequestsOfAnEngineAndThoseThatFollow) {
  LoadedModel model(path(), backend_, {});
  Engine engine(model, {.context_length = 512, .max_running = 2, .kv_bytes = 32 << 20});
  EXPECT_TRUE(ask(engine, request(random_tokens(9, 2))).result);
  const auto first = std::make_shared<CollectingSink>();
  const auto second = std::make_shared<CollectingSink>();
  const auto waiting = std::make_shared<CollectingSink>();
  first->wants_more = [&](std::size_t n) {
    if (n == 3) change();
    return true;
  };
  engine.submit(request(random_tokens(20, 3), 1, 200), first);
  engine.submit(request(random_tokens(20, 4), 1, 200), second);
  engine.submit(request(random_tokens(20, 5), 1, 200), waiting);
  for (const auto& sink : {first, second, waiting}) {
    const auto reply = sink->wait();
    ASSERT_TRUE(reply.failure);
    EXPECT_EQ(reply.failure->kind, EngineFailure::Kind::model_changed);
    EXPECT_THAT(reply.failure->message, HasSubstr(expected()));
  }
  EXPECT_FALSE(engine.is_usable());
  EXPECT_EQ(first->wait().tokens.size(), 3U);  // nothing that was computed after the change
  const auto later = ask(engine, request(random_tokens(9, 2)));
  ASSERT_TRUE(later.failure);
  EXPECT_EQ(later.failure->kind, EngineFailure::Kind::model_changed);
  EXPECT_EQ(engine.stats().running + engine.stats().waiting, 0U);
}

TEST_P(ChangedFile, EndsEmbeddings) {
  LoadedModel model(path(), backend_, {});
  Engine engine(model, {.context_length = 512, .max_running = 2, .kv_bytes = 32 << 20});
  change();
  std::promise<Engine::Embedding> told;
  engine.embed(random_tokens(9, 2), [&](Engine::Embedding found) { told.set_value(found); });
  const Engine::Embedding embedding = told.get_future().get();
  ASSERT_TRUE(embedding.failure);
  EXPECT_EQ(embedding.failure->kind, EngineFailure::Kind::model_changed);
  EXPECT_TRUE(embedding.values.empty());
}

TEST_P(ChangedFile, WhileItIsConvertedLeavesNothingBehind) {
  const Checkpoint source = Checkpoint::open(path());
  convert::WriteOptions options;
  options.mix.type = convert::FileType::q4_0;
  bool done = false;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (!std::exchange(done, true)) change();
  };
  EXPECT_THAT(change_found_by([&] { convert::write_gguf(source, folder_ / "out.gguf", options); }),
              HasSubstr(expected()));
  fs::remove(path());
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_P(ChangedFile, WhileItBecomesAFolderLeavesNothingBehind) {
  const Checkpoint source = Checkpoint::open(path());
  convert::WriteOptions options;
  options.mix.type = convert::FileType::as_is;
  options.dequantize = true;
  bool done = false;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (!std::exchange(done, true)) change();
  };
  EXPECT_THAT(change_found_by([&] { convert::write_folder(source, folder_ / "out", options); }),
              HasSubstr(expected()));
  fs::remove(path());
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_P(ChangedFile, WhileItIsVerifiedIsNoFindingButAnError) {
  verify::Options options;
  bool done = false;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (!std::exchange(done, true)) change();
  };
  EXPECT_THAT(change_found_by([&] { verify::check_model(path(), options); }),
              HasSubstr(expected()));
}

std::string change_name(const ::testing::TestParamInfo<Change>& change) {
  switch (change.param) {
    case Change::emptied:
      return "Emptied";
    case Change::cut_off:
      return "CutOff";
    case Change::same_size:
      break;
  }
  return "SameSize";
}

INSTANTIATE_TEST_SUITE_P(Changes, ChangedFile,
                         ::testing::Values(Change::emptied, Change::cut_off, Change::same_size),
                         change_name);

class ReplacedFile : public ChangedFile {};

TEST_P(ReplacedFile, GoesOnAsItWas) {
  const std::vector<text::TokenId> prompt = random_tokens(20, 1);
  LoadedModel model(path(), backend_, {});
  Session session(model, {});
  GenerationOptions options;
  options.max_tokens = 8;
  options.sampling.temperature = 0;
  std::vector<text::TokenId> before;
  session.generate(prompt, options, [&](text::TokenId token) {
    before.push_back(token);
    return true;
  });
  session.clear();
  std::vector<text::TokenId> after;
  std::ofstream(folder_ / "new.gguf") << "another model";
  session.generate(prompt, options, [&](text::TokenId token) {
    if (after.empty()) fs::rename(folder_ / "new.gguf", path());
    after.push_back(token);
    return true;
  });
  EXPECT_EQ(after, before);
}

INSTANTIATE_TEST_SUITE_P(ByRename, ReplacedFile, ::testing::Values(Change::emptied));

}  // namespace
}  // namespace pleiad
