#include "store/check_store.h"

#include "store/test_stores.h"

namespace pleiad::store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckStoreTest : public StoresTest {
 protected:
  CheckStoreTest() : catalog_(options_) {
    const std::string digest = put_blob(catalog_, read(kDemoFile));
    blob_ = options_.own / "blobs" / ("sha256-" + digest.substr(7));
    NewModel model;
    model.name = "mine";
    model.files = {{"model.gguf", digest}};
    catalog_.create(model);
  }

  StoreReport check() {
    return check_store(options_.own, [this](std::uint64_t done, std::uint64_t total) {
      EXPECT_GE(done, done_);
      done_ = done;
      total_ = total;
    });
  }

  Catalog catalog_;
  Path blob_;
  std::uint64_t done_ = 0, total_ = 0;
};

TEST_F(CheckStoreTest, AWholeStoreHasNoProblems) {
  const StoreReport report = check();
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_EQ(report.n_models, 1U);
  EXPECT_EQ(report.n_blobs, 1U);
  EXPECT_EQ(report.bytes, std::filesystem::file_size(kDemoFile));
  EXPECT_EQ(done_, total_);
}

TEST_F(CheckStoreTest, AByteThatIsNotWhatItWasIsFoundWithWhoNeedsIt) {
  {
    std::fstream file(blob_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(4'000'000);
    const char byte = static_cast<char>(file.get());
    file.seekp(4'000'000);
    file.put(static_cast<char>(byte ^ 1));
  }
  EXPECT_THAT(check().problems,
              ElementsAre(AllOf(HasSubstr(blob_.string()), HasSubstr("is damaged: its SHA-256 is"),
                                HasSubstr("needed by mine:latest"))));
}

TEST_F(CheckStoreTest, MissingBlobsAndManifestsThatCannotBeReadAreNamed) {
  std::filesystem::remove(blob_);
  write(options_.own / "manifests/registry.ollama.ai/library/broken/latest", "{");
  EXPECT_THAT(check().problems,
              ElementsAre(HasSubstr("broken:latest: "),
                          AllOf(HasSubstr("mine:latest: "), HasSubstr("is missing"))));
}

TEST_F(CheckStoreTest, ItsProgressMayEndIt) {
  struct Enough {};
  EXPECT_THROW(check_store(options_.own, [](std::uint64_t, std::uint64_t) { throw Enough(); }),
               Enough);
}

}  // namespace
}  // namespace pleiad::store
