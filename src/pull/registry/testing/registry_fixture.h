#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/testing/paths.h"
#include "base/testing/test_folder.h"
#include "digest/sha256.h"
#include "pull/registry/registry_destination.h"
#include "pull/registry/registry_source.h"
#include "pull/registry/testing/memory_registry.h"

namespace pleiad::pull::testing {

/// A store of its own, and what talks with a registry on this machine, without long waits.
class RegistryTest : public ::testing::Test {
 protected:
  using Path = std::filesystem::path;

  RegistryTest() : catalog_(catalog_options(root_)), session_(surroundings()) {}

  static download::Surroundings surroundings() {
    download::Surroundings result;
    result.retry.attempts = 3;
    result.retry.first_wait = 0.01;
    result.retry.longest_wait = 0.05;
    result.retry.connect_seconds = 5;
    return result;
  }
  RegistryOptions options(const Credentials& credentials = {}) {
    return {session_, catalog_, root_ / "own", credentials};
  }
  static Credentials ann(const MemoryRegistry& registry, const std::string& password = "secret") {
    Credentials credentials;
    credentials.named[registry.host()] = {"ann", password};
    return credentials;
  }
  static ModelReference reference(const MemoryRegistry& registry, const std::string& name) {
    return ModelReference::parse(registry.host() + "/" + name).value();
  }

  static std::string read(const Path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static const std::string& demo_bytes() {
    static const std::string bytes = read(demo_file());
    return bytes;
  }
  static Path demo_file() { return Path(source_path()) / "models/demo/pleiad-demo.gguf"; }
  static Path demo_tower() { return Path(source_path()) / "models/demo/mmproj-pleiad-demo.gguf"; }
  static std::string ollama(const std::string& kind) {
    return "application/vnd.ollama.image." + kind;
  }

  /// The demo model under a name of a registry, with some texts.
  static void add_demo(MemoryRegistry& registry, const std::string& name,
                       const std::string& system = "Be brief.") {
    registry.add_model(
        name,
        Json::array({registry.add_blob(ollama("model"), demo_bytes()),
                     registry.add_blob(ollama("system"), system),
                     registry.add_blob(ollama("license"), "Apache License\nVersion 2.0"),
                     registry.add_blob(ollama("params"), R"({"top_k":3,"num_gpu":1})")}),
        registry.add_blob("application/vnd.docker.container.image.v1+json",
                          R"({"model_format":"gguf","model_family":"gemma4","file_type":"Q4_0"})"));
  }

  /// The offer and then the model; the first Failure of both.
  Result<TransferResult> pull(const MemoryRegistry& registry, const std::string& name,
                              const Credentials& credentials = {}, const Stop& stop = {}) {
    RegistrySource source(options(credentials));
    auto offer = source.offer(reference(registry, name), stop);
    if (!offer) return Failure{offer.message()};
    return source.fetch(offer.value(), sink(), stop);
  }
  ProgressSink sink() {
    return [this](const Progress& progress) { told_.push_back(progress); };
  }
  std::vector<std::string> statuses() const {
    std::vector<std::string> result;
    for (const Progress& progress : told_) {
      if (result.empty() || result.back() != progress.status) result.push_back(progress.status);
    }
    return result;
  }

  std::size_t count_below(const std::string& folder) const {
    std::error_code error;
    std::size_t n = 0;
    for (std::filesystem::recursive_directory_iterator entry(root_ / "own" / folder, error), end;
         !error && entry != end; entry.increment(error)) {
      ++n;
    }
    return n;
  }

 private:
  static store::CatalogOptions catalog_options(const Path& root) {
    store::CatalogOptions result;
    result.own = root / "own";
    return result;
  }

 protected:
  TestFolder root_;
  store::Catalog catalog_;
  download::Session session_;
  std::vector<Progress> told_;
};

}  // namespace pleiad::pull::testing
