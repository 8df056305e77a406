#include <atomic>
#include <thread>

#include "store/test_stores.h"

namespace pleiad::store {
namespace {

using ConcurrencyTest = StoresTest;

TEST_F(ConcurrencyTest, ModelsThatShareABlobAreMadeAndRemovedByManyAtOnce) {
  Catalog catalog(options_);
  const std::string digest = put_blob(catalog, read(kDemoFile));
  NewModel keeper;
  keeper.name = "keeper";
  keeper.files = {{"m.gguf", digest}};
  catalog.create(keeper);
  std::atomic<bool> done = false;
  std::atomic<int> failures = 0;
  const auto guarded = [&](const auto& work) {
    try {
      work();
    } catch (const std::exception& error) {
      ++failures;
      ADD_FAILURE() << error.what();
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      Catalog another(options_);  // as another process would have
      NewModel model = keeper;
      model.name = "model" + std::to_string(t);
      for (int i = 0; i < 10; ++i) {
        guarded([&] { another.create(model); });
        guarded([&] { another.copy(model.name, model.name + ":copy"); });
        guarded([&] { another.remove(model.name); });
        guarded([&] { another.remove(model.name + ":copy"); });
      }
    });
  }
  std::thread reader([&] {
    while (!done) {
      guarded([&] { (void)catalog.list(); });
      guarded([&] { EXPECT_EQ(catalog.find("keeper").value().problem, ""); });
    }
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  reader.join();
  EXPECT_EQ(failures, 0);
  EXPECT_TRUE(catalog.has_blob(digest));
  EXPECT_EQ(names(catalog.list()).size(), 2) << "keeper and demo";
  catalog.remove("keeper");
  EXPECT_FALSE(catalog.has_blob(digest));
}

}  // namespace
}  // namespace pleiad::store
