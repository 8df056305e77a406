#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/testing/json.h"
#include "base/testing/paths.h"
#include "formats/npy/reader.h"
#include "model/picture_input.h"

// The tiny models with vision towers of tests/golden/media, and what the reference computed with
// them (tools/reference/media).

namespace pleiad::testing_support {

/// "e2b", "12b" or "26b-a4b"; holds the folder's checkpoint, NAME.gguf and mmproj-NAME.gguf.
inline std::filesystem::path golden_media(const std::string& family) {
  return std::filesystem::path(golden_path()) / "media" / family;
}

/// The picture that a formula makes (tools/reference/media/pictures.py).
inline PictureInput pattern_picture(int width, int height, int seed) {
  std::vector<std::uint8_t> rgb;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      for (std::int64_t c = 0; c < 3; ++c) {
        const std::int64_t wave = x * (3 + seed) + y * (5 + c) + x * y / (16 + 4 * seed) + 85 * c;
        const std::int64_t edge = (x / (20 + seed) + y / 24) % 2 * 90;
        const std::int64_t noise =
            (x * 7919 + y * 104'729 + c * 1'299'709 + seed * std::int64_t{15'485'863}) % 31;
        rgb.push_back(static_cast<std::uint8_t>((wave / 4 + edge + noise) % 256));
      }
    }
  }
  return make_picture_input(width, height, std::move(rgb));
}

struct GoldenMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> values;  // [rows, cols]
};

inline GoldenMatrix read_golden_matrix(const std::filesystem::path& path) {
  const npy::File file = npy::File::open(path);
  GoldenMatrix matrix{file.rows(), file.cols(), {}};
  matrix.values.resize(static_cast<std::size_t>(matrix.rows * matrix.cols));
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    file.read_row(row, std::span(matrix.values)
                           .subspan(static_cast<std::size_t>(row * matrix.cols),
                                    static_cast<std::size_t>(matrix.cols)));
  }
  return matrix;
}

/// A picture of the formula and its soft tokens.
struct GoldenEmbedding {
  std::string name;
  int width = 0;
  int height = 0;
  int seed = 0;
  std::filesystem::path file;  // .npy [soft tokens, model_dim]
};

/// A picture in a file, at a budget: what it is resized to, and its soft tokens.
struct GoldenPictureFile {
  std::string name;
  std::filesystem::path picture;
  bool lossy = false;
  int budget = 0;
  int width = 0;  // after the resize
  int height = 0;
  std::string pixels_sha256;   // of the resized pixels, [height, width, 3]
  std::filesystem::path file;  // .npy [soft tokens, model_dim]
};

/// A prompt with pictures of the formula, or with sounds of theirs too: the logits of every token.
struct GoldenPrompt {
  struct Picture {
    std::int64_t first = 0;  // position of the first soft token
    std::int64_t n = 0;
    int width = 0;
    int height = 0;
    int seed = 0;
    std::int64_t samples = 0;  // of a sound; 0: a picture

    bool is_sound() const { return samples > 0; }
  };
  std::string name;
  std::vector<std::int32_t> tokens;
  std::vector<Picture> pictures;
  std::filesystem::path logits_file;  // .npy [tokens, vocab_size]
  std::filesystem::path soft_file;    // .npy: all pictures' soft tokens; empty without pictures
};

/// A prompt with a picture in a file, at a budget: the logits of some of its tokens.
struct GoldenBudgetPrompt {
  std::string name;
  std::filesystem::path picture;
  int budget = 0;
  std::vector<std::int32_t> tokens;  // placeholders among them
  std::int64_t first = 0;            // position of the first soft token
  std::int64_t n = 0;
  std::vector<std::int64_t> rows;     // whose logits are known
  std::filesystem::path logits_file;  // .npy [rows, vocab_size]
};

struct GoldenMedia {
  std::vector<GoldenEmbedding> embeddings;
  std::vector<GoldenPictureFile> files;
  std::vector<GoldenPrompt> prompts;
  std::vector<GoldenPrompt> sound_prompts;  // 12B alone
  std::vector<GoldenBudgetPrompt> budget_prompts;
};

inline std::vector<GoldenPrompt> golden_prompts(const Json& said, const char* key,
                                                const std::filesystem::path& folder) {
  std::vector<GoldenPrompt> prompts;
  for (const Json& item : said.value(key, Json::array())) {
    GoldenPrompt prompt;
    prompt.name = item.at("name");
    prompt.tokens = item.at("tokens").get<std::vector<std::int32_t>>();
    prompt.logits_file = folder / item.at("logits_file").get<std::string>();
    for (const Json& part : item.at("pictures")) {
      prompt.pictures.push_back({part.at("first"), part.at("n"), part.value("width", 0),
                                 part.value("height", 0), part.at("seed"),
                                 part.value("samples", std::int64_t{0})});
    }
    if (!prompt.pictures.empty()) {
      prompt.soft_file = folder / item.at("soft_file").get<std::string>();
    }
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

inline GoldenBudgetPrompt golden_budget_prompt(const Json& item, std::int32_t placeholder) {
  GoldenBudgetPrompt prompt;
  prompt.name = item.at("name");
  prompt.budget = item.at("budget");
  prompt.tokens = item.at("before").get<std::vector<std::int32_t>>();
  prompt.first = std::ssize(prompt.tokens);
  prompt.n = item.at("n");
  prompt.tokens.insert(prompt.tokens.end(), static_cast<std::size_t>(prompt.n), placeholder);
  const auto behind = item.at("behind").get<std::vector<std::int32_t>>();
  prompt.tokens.insert(prompt.tokens.end(), behind.begin(), behind.end());
  prompt.rows = item.at("rows").get<std::vector<std::int64_t>>();
  return prompt;
}

inline GoldenMedia read_golden_media(const std::string& family) {
  const std::filesystem::path folder = golden_media(family);
  std::ifstream stream(folder / "media.json");
  const Json said = json_from(stream);
  const auto path = [&](const Json& item, const char* key) {
    return folder / item.at(key).get<std::string>();
  };
  GoldenMedia media;
  for (const Json& item : said.at("embeddings")) {
    media.embeddings.push_back({item.at("name"), item.at("width"), item.at("height"),
                                item.at("seed"), path(item, "file")});
  }
  for (const Json& item : said.at("files")) {
    media.files.push_back({item.at("name"), path(item, "picture"), item.at("lossy"),
                           item.at("budget"), item.at("width"), item.at("height"),
                           item.at("pixels_sha256"), path(item, "file")});
  }
  media.prompts = golden_prompts(said, "prompts", folder);
  media.sound_prompts = golden_prompts(said, "sound_prompts", folder);
  for (const Json& item : said.at("budget_prompts")) {
    media.budget_prompts.push_back(
        golden_budget_prompt(item, said.at("tokens").at("image").get<std::int32_t>()));
    media.budget_prompts.back().picture = path(item, "picture");
    media.budget_prompts.back().logits_file = path(item, "logits_file");
  }
  return media;
}

}  // namespace pleiad::testing_support
