// The demo model hears what its README says: words said by voices that its tower was not trained on
// (tests/hearing, by espeak-ng), and the sound beside the model.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "base/mapped_file.h"
#include "base/testing/paths.h"
#include "engine/chat.h"
#include "engine/media/media_prompt.h"
#include "media/sound/sound.h"

namespace pleiad {
namespace {

/// A file beside the model.
std::string beside_model(const std::string& name) { return source_path("models/demo/") + name; }

constexpr std::string_view kSpokenDigits[] = {"zero", "one", "two",   "three", "four",
                                              "five", "six", "seven", "eight", "nine"};

/// "7" of "seven"; of other words nothing.
std::string digit_of(std::string_view word) {
  for (std::size_t i = 0; i < std::size(kSpokenDigits); ++i) {
    if (kSpokenDigits[i] == word) return std::to_string(i);
  }
  return "";
}

class DemoSounds : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    backend_ = new cpu::CpuBackend({.isa = "", .n_threads = 1});
    model_ = new LoadedModel(beside_model("pleiad-demo.gguf"), *backend_, {});
  }
  static void TearDownTestSuite() {
    delete model_;
    delete backend_;
  }

  static AudioPrompt audio() { return prompt_towers(model_->checkpoint()).audio; }

  static std::shared_ptr<const SoundInput> heard(const std::filesystem::path& path) {
    const MappedFile file(path);
    auto prepared = media::prepare_sound(file.bytes(), {}, {});
    if (!prepared.ok()) {
      ADD_FAILURE() << path << " " << prepared.message();
      return nullptr;
    }
    return std::make_shared<const SoundInput>(make_sound_input(prepared.value().samples.whole()));
  }

  /// The reply to a question behind the sound.
  static std::string answer(const std::shared_ptr<const SoundInput>& sound,
                            const std::string& question) {
    ChatRequest request;
    request.media.push_back(shown_sound({&sound, 1}, audio()));
    request.generation.sampling.temperature = 0;
    request.generation.max_tokens = 20;
    request.generation.stop_tokens = model_->stop_tokens();
    request.messages.push_back(
        {{"role", "user"},
         {"content", Json::array({{{"type", "audio"}, {"media", 0}},
                                  {{"type", "text"}, {"text", question}}})}});
    Session session(*model_, {});
    const auto reply = answer_chat(session, *model_, request, {});
    return reply.ok() ? reply.value().reply.content : reply.message();
  }

  static inline cpu::CpuBackend* backend_ = nullptr;
  static inline LoadedModel* model_ = nullptr;
};

// Who hears nothing has one of ten digits and one of twenty words right.
TEST_F(DemoSounds, TellsWordsOfVoicesThatTrainingDidNotHear) {
  int digits = 0;
  int digits_right = 0;
  int words = 0;
  int words_right = 0;
  std::map<std::string, std::string> wrong;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("tests/hearing"))) {
    if (entry.path().extension() != ".flac") continue;
    // "seven.en-gb+f3.flac"
    const std::string name = entry.path().filename().string();
    const std::string word = name.substr(0, name.find('.'));
    const auto sound = heard(entry.path());
    ASSERT_NE(sound, nullptr);
    const std::string said = answer(sound, "What is said?");
    ++words;
    words_right += said == word ? 1 : 0;
    if (said != word) wrong[name] = said;
    if (const std::string digit = digit_of(word); !digit.empty()) {
      ++digits;
      digits_right += answer(sound, "Which digit is said?") == digit ? 1 : 0;
    }
  }
  std::string told;
  for (const auto& [name, said] : wrong) told += name + ": " + said + "\n";
  ASSERT_EQ(words, 20);
  ASSERT_EQ(digits, 10);
  EXPECT_GE(words_right, 16) << told;
  EXPECT_GE(digits_right, 8) << told;
}

TEST_F(DemoSounds, HearsTheOneBesideTheModel) {
  ASSERT_TRUE(audio().hears()) << audio().problem;
  const auto sound = heard(beside_model("seven.wav"));
  ASSERT_NE(sound, nullptr);
  EXPECT_EQ(answer(sound, "Which digit is said?"), "7");
  EXPECT_EQ(answer(sound, "What is said?"), "seven");
}

}  // namespace
}  // namespace pleiad
