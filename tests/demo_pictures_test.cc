// The demo model sees what its README says: on pictures that the battery draws, which its tower was
// not trained on, and on the one beside the model.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "base/mapped_file.h"
#include "base/testing/paths.h"
#include "engine/chat.h"
#include "engine/media/media_prompt.h"
#include "eval/pictures/scene.h"
#include "media/prepare.h"

namespace pleiad {
namespace {

const std::string kDemoFolder = source_path("models/demo/");

class DemoPictures : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    backend_ = new cpu::CpuBackend({.isa = "", .n_threads = 1});
    model_ = new LoadedModel(kDemoFolder + "pleiad-demo.gguf", *backend_, {});
  }
  static void TearDownTestSuite() {
    delete model_;
    delete backend_;
  }

  static VisionPrompt vision() { return prompt_towers(model_->checkpoint()).vision; }

  static std::shared_ptr<const PictureInput> drawn(const eval::Scene& scene) {
    return std::make_shared<const PictureInput>(eval::draw_scene(scene, vision().default_budget));
  }

  /// The replies to questions in turns, of which the first shows the picture.
  static std::vector<std::string> answers(std::shared_ptr<const PictureInput> picture,
                                          const std::vector<std::string>& questions) {
    ChatRequest request;
    request.media.push_back(shown_picture(std::move(picture), vision()));
    request.generation.sampling.temperature = 0;
    request.generation.max_tokens = 40;
    request.generation.stop_tokens = model_->stop_tokens();
    Session session(*model_, {});
    std::vector<std::string> replies;
    for (const std::string& question : questions) {
      Json content = Json::array();
      if (replies.empty()) content.push_back({{"type", "image"}, {"media", 0}});
      content.push_back({{"type", "text"}, {"text", question}});
      request.messages.push_back({{"role", "user"}, {"content", std::move(content)}});
      const auto reply = answer_chat(session, *model_, request, {});
      replies.push_back(reply.ok() ? reply.value().reply.content : reply.message());
      request.messages.push_back({{"role", "assistant"}, {"content", replies.back()}});
    }
    return replies;
  }
  static std::string answer(std::shared_ptr<const PictureInput> picture,
                            const std::string& question) {
    return answers(std::move(picture), {question}).front();
  }

  static inline cpu::CpuBackend* backend_ = nullptr;
  static inline LoadedModel* model_ = nullptr;
};

TEST_F(DemoPictures, TheTowersAreSmallAndStandBesideTheModel) {
  EXPECT_LE(std::filesystem::file_size(kDemoFolder + "mmproj-pleiad-demo.gguf"), 3'600'000U);
  ASSERT_TRUE(vision().sees()) << vision().problem;
  EXPECT_EQ(vision().default_budget, 70);
}

// The battery's own drawings: another program's pens and places than those of the training. One of
// six, seven or ten answers is right by chance.
TEST_F(DemoPictures, TellsColoursShapesNumbersAndDigits) {
  constexpr int kPictures = 21;
  int colours = 0;
  int shapes = 0;
  int counts = 0;
  int whole = 0;
  int digits = 0;
  for (int i = 0; i < kPictures; ++i) {
    const std::string colour(eval::kSceneColours[i % std::size(eval::kSceneColours)]);
    const std::string shape(eval::kSceneShapes[(i * 5 + i / 6) % std::size(eval::kSceneShapes)]);
    const int count = 1 + i % 4;
    const auto picture = drawn({.colour = colour,
                                .shape = shape,
                                .count = count,
                                .seed = static_cast<std::uint32_t>(200 + i)});
    const std::string many = count == 1 ? shape : shape + (shape == "cross" ? "es" : "s");
    colours += answer(picture, "What colour is it?") == colour ? 1 : 0;
    shapes += answer(picture, "What shape is in the picture?") == shape ? 1 : 0;
    counts +=
        answer(picture, "How many shapes are in the picture?") == std::to_string(count) ? 1 : 0;
    whole += answer(picture, "What is in the picture?") ==
                     std::to_string(count) + " " + colour + " " + many
                 ? 1
                 : 0;
    const std::string digit = std::to_string(i % 10);
    digits +=
        answer(
            drawn({.colour = colour, .text = digit, .seed = static_cast<std::uint32_t>(300 + i)}),
            "What number is this?") == digit
            ? 1
            : 0;
  }
  EXPECT_GE(colours, 18);
  EXPECT_GE(shapes, 17);
  EXPECT_GE(counts, 15);
  EXPECT_GE(whole, 14);
  EXPECT_GE(digits, 15);
}

// As the battery writes them; all twenty words that it learned. A number is right by chance once in
// ninety times, a word once in twenty.
TEST_F(DemoPictures, ReadsWordsAndNumbersOfTwoDigits) {
  constexpr std::string_view kWords[] = {"apple", "bear", "boat", "moon",  "cat",  "cow",  "dog",
                                         "door",  "duck", "fish", "fox",   "frog", "tree", "hat",
                                         "house", "king", "lamp", "lemon", "lion", "milk"};
  int words = 0;
  int numbers = 0;
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    const std::string colour(eval::kSceneColours[i % std::size(eval::kSceneColours)]);
    const std::string word(kWords[i]);
    const std::string number = std::to_string(10 + (i * 37) % 90);
    const auto seed = static_cast<std::uint32_t>(400 + i);
    words +=
        answer(drawn({.colour = colour, .text = word, .seed = seed}), "What word is this?") == word
            ? 1
            : 0;
    numbers += answer(drawn({.colour = colour, .text = number, .seed = seed + 100}),
                      "What number is this?") == number
                   ? 1
                   : 0;
  }
  EXPECT_GE(words, 14);
  EXPECT_GE(numbers, 14);
}

TEST_F(DemoPictures, SeesTheOneBesideTheModel) {
  const MappedFile file(kDemoFolder + "shapes.png");
  auto prepared = media::prepare_picture(file.bytes(), {vision().default_budget}, {});
  ASSERT_TRUE(prepared.ok()) << prepared.message();
  media::Pixels& pixels = prepared.value().pixels;
  const auto picture = std::make_shared<const PictureInput>(
      make_picture_input(pixels.size.width, pixels.size.height, std::move(pixels.rgb)));
  EXPECT_EQ(answers(picture, {"What is in the picture?", "What colour is it?"}),
            (std::vector<std::string>{"3 red circles", "red"}));
  EXPECT_EQ(answer(picture, "How many shapes are in the picture?"), "3");
}

}  // namespace
}  // namespace pleiad
