#include "apps/run/media/add_media_flags.h"

#include <CLI/CLI.hpp>

#include <string>

namespace pleiad::apps {
namespace {

/// Each is of the document before it.
void add_page_flags(CLI::App& command, MediaFlags& media) {
  command
      .add_option_function<std::string>(
          "--pages",
          [&media](const std::string& pages) {
            const Result<bool> set = media.set_pages(pages);
            if (!set) throw CLI::ValidationError("--pages", set.message());
          },
          "Pages of the PDF before it that are shown: 3-7,9 or 12- (default: all)")
      ->trigger_on_parse()
      ->type_name("PAGES");
  command
      .add_option_function<std::string>(
          "--pages-as",
          [&media](const std::string& word) {
            const Result<bool> set = media.set_pages_as(word);
            if (!set) throw CLI::ValidationError("--pages-as", set.message());
          },
          "How they are shown: text where they have some, all as text, or all as pictures "
          "(default: "
          "auto)")
      ->trigger_on_parse()
      ->option_text(kPagesAs);
}

}  // namespace

void add_media_flags(CLI::App& command, MediaFlags& media, MediaWishes& wishes) {
  const auto add = [&](ShownMedia::Kind kind, const char* about) {
    command
        .add_option_function<std::string>(
            std::string(media_flag(kind)),
            [&media, kind](const std::string& path) { media.add(kind, path); }, about)
        ->trigger_on_parse()
        ->type_name("FILE");
  };
  add(ShownMedia::Kind::picture,
      "Show the model a picture, before the prompt; again: another one; -: the standard input");
  add(ShownMedia::Kind::sound,
      "Let it hear a sound, or that of a video; pictures, sounds, videos and documents stand in "
      "the "
      "order given");
  add(ShownMedia::Kind::video, "Show it frames of a video");
  add(ShownMedia::Kind::document,
      "Show it a document: PDF (pages without text as pictures), DOCX, HTML, text, Markdown, CSV, "
      "code");
  add_page_flags(command, media);
  command
      .add_option_function<int>(
          "--frames", [&wishes](int n) { wishes.n_frames = n; },
          "Frames of a video that are shown (default: the model's own number)")
      ->check(CLI::Range(1, kMostFrames))
      ->type_name("N");
  command.add_flag("--video-sound", wishes.video_sound, "Let it hear the sound of videos too");
  command
      .add_option_function<std::string>(
          "--image-tokens",
          [&wishes](const std::string& text) {
            const Result<PictureBudget> budget = read_picture_budget(text);
            if (!budget) throw CLI::ValidationError("--image-tokens", budget.message());
            wishes.picture_budget = budget.value();
          },
          "Soft tokens that a picture may take, or by its size: more show finer print and take "
          "longer (default: the model's own; 1120 for the page of a document)")
      ->option_text(picture_budget_words());
}

}  // namespace pleiad::apps
