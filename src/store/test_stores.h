#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/testing/paths.h"
#include "base/testing/test_folder.h"
#include "digest/sha256.h"
#include "store/catalog.h"

namespace pleiad::store {

inline const std::filesystem::path kDemoFile =
    std::filesystem::path(source_path()) / "models" / "demo" / "pleiad-demo.gguf";
inline const std::filesystem::path kDemoTower = kDemoFile.parent_path() / "mmproj-pleiad-demo.gguf";

/// Folders with stores of all kinds, whose models are links to the demo model.
class StoresTest : public ::testing::Test {
 protected:
  using Path = std::filesystem::path;

  StoresTest() {
    options_.own = root_ / "own";
    options_.ollama = {root_ / "ollama"};
    options_.hugging_face = {root_ / "hub"};
    options_.folders = {root_ / "folder"};
    options_.demo = kDemoFile;
    options_.home = root_ / "home";
  }

  static void write(const Path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string read(const Path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void link(const Path& target, const Path& path) {
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::create_symlink(target, path);
  }

  /// A small checkpoint: links, and a tokenizer's file, which it must have.
  static void make_checkpoint(const Path& folder) {
    for (const char* file : {"config.json", "model.safetensors"}) {
      link(Path(golden_path()) / "models" / "e4b-fp8" / file, folder / file);
    }
    write(folder / "tokenizer.json", "{}");
  }

  /// A layer of a manifest of Ollama, its text a blob.
  Json add_layer(const std::string& kind, const std::string& text) const {
    const std::string hex = sha256_hex(text);
    write(root_ / "ollama/blobs" / ("sha256-" + hex), text);
    return layer(kind, hex, text.size());
  }
  static Json layer(const std::string& kind, const std::string& hex, std::size_t size) {
    return {{"mediaType", "application/vnd.ollama.image." + kind},
            {"digest", "sha256:" + hex},
            {"size", size}};
  }
  /// The demo model as a blob of Ollama, under any digest.
  Json add_model_layer(const Path& file = kDemoFile) const {
    const std::string hex = sha256_hex(file.string());
    const Path blob = root_ / "ollama/blobs" / ("sha256-" + hex);
    if (!std::filesystem::exists(blob)) link(file, blob);
    return layer("model", hex, std::filesystem::file_size(file));
  }
  /// `name` as its four folders.
  void add_ollama(const std::string& name, const std::vector<Json>& layers) const {
    const Json manifest = {{"schemaVersion", 2}, {"layers", layers}};
    write(root_ / "ollama/manifests" / name, to_text(manifest));
  }

  std::string put_blob(Catalog& catalog, const std::string& bytes) const {
    const std::string digest = "sha256:" + sha256_hex(bytes);
    auto writer = catalog.write_blob(digest);
    writer->write(bytes);
    writer->finish();
    return digest;
  }

  static NewModel from(const std::string& name, const std::string& base) {
    NewModel model;
    model.name = name;
    model.from = base;
    return model;
  }

  static std::vector<std::string> names(const std::vector<ModelEntry>& entries) {
    std::vector<std::string> result;
    for (const ModelEntry& entry : entries) result.push_back(entry.name);
    return result;
  }

  /// How many files, folders and links there are below a folder.
  static std::size_t count_below(const Path& folder) {
    if (!std::filesystem::exists(folder)) return 0;
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::recursive_directory_iterator(folder)) {
      ++count;
    }
    return count;
  }

  TestFolder root_;
  CatalogOptions options_;
};

}  // namespace pleiad::store
