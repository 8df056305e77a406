#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/common/environment.h"
#include "apps/run/answerer.h"
#include "apps/run/chat_state.h"
#include "apps/run/line_reader.h"
#include "apps/run/media/dropped_paths.h"
#include "apps/run/media/media_desk.h"
#include "apps/run/typed_message.h"
#include "store/model_entry.h"

namespace pleiad::apps {

/// A model that answers, and what it brings.
struct OpenedModel {
  std::unique_ptr<Answerer> answerer;
  GenerationOptions defaults;
  store::Recipe recipe;  // to be laid over them; a server does so itself
};

/// The other models of this machine, for /model.
struct ModelChoice {
  std::string name;  // of the one that answers
  /// The name by which a model is opened, after it was offered and fetched where it was not at
  /// hand; `ask` is a question to the user. Throws Error where there is none, Interrupted where
  /// Ctrl-C stopped that; loads nothing.
  using Ask = std::function<bool(const std::string& question)>;
  std::function<std::string(const std::string& name, const Ask& ask)> find;
  std::function<OpenedModel(const std::string& name)> open;
  std::function<std::vector<std::string>()> names;
  /// Those of `names` that mean the same model as a name; itself.
  std::function<std::set<std::string>(const std::string& name)> names_of;
};

/// One exchange or a whole conversation with a model.
class ChatLoop {
 public:
  /// Media that wait in the state go with the first message.
  ChatLoop(OpenedModel model, ModelChoice models, ChatState state, MediaDesk desk,
           const Environment& environment);

  /// Messages from the terminal (or a pipe) until /bye. Returns the exit status.
  int converse(bool keep_history);

  /// One prompt, one reply.
  int answer_once(const std::string& prompt);

  /// Continues a text as it is, without the chat template.
  int complete_once(const std::string& prompt);

 private:
  enum class Next { go_on, leave, ended };

  /// The conversation as it is, to be so again.
  struct Before {
    Json messages;
    std::size_t n_media = 0;
    std::vector<AttachedMedia> waiting;
  };
  Before before() const;
  /// Says what was taken back, and what that means for media.
  void restore(const Before& before, const std::string& why, const std::string& taken_back);

  /// Generates and shows the reply to the messages so far.
  ChatReply answer();
  Next take_message(LineReader& reader);
  Next interrupted(bool was_empty);
  Next command(LineReader& reader, const std::string& line);
  /// The lines behind an opening """; false where the message was not ended.
  bool read_block(LineReader& reader, std::string& block, Next& next);
  /// A message of the user's, with the media that wait.
  void send(LineReader& reader, const std::string& text);
  /// What is in files waits for the next message; all or none. False where that went wrong, which
  /// a note tells.
  bool attach(const std::vector<DroppedFile>& files);
  /// Tells of the media that wait. Throws Error where one cannot be read.
  void note_waiting();
  /// What the user typed behind /image, /audio, /video or /file.
  void show(LineReader& reader, const AttachWish& wish);
  /// Throws Error where the model has no tower for such media.
  PromptTowers towers_for(ShownMedia::Kind kind) const;
  /// What one is, and all of the conversation are, for the model that answers. Throws Error.
  void read(AttachedMedia& media);
  void read_media();
  /// The tokens of a document, where they can be told and are not known yet.
  void count(AttachedMedia& media);
  /// The reply to the last message, and what the tools say that it calls. Where nothing comes of
  /// it, the conversation is as `before` again, and the note says what that means.
  void exchange(LineReader& reader, const Before& before, const std::string& taken_back);
  bool ask_for_tool_results(LineReader& reader, const ChatReply& reply);
  void retry(LineReader& reader);
  void list_models() const;
  void use_model(LineReader& reader, const std::string& wanted);
  void go_on_with(const std::string& name);
  /// The old one again, or none where it cannot be loaded any more.
  void return_to_model();
  void set_context_length(std::int64_t length);
  ReplyObserver observer(std::function<void(const text::ReplyEvent&)> on_event,
                         class ProgressBar& bar) const;
  void report(const ChatReply& reply);
  void note(const std::string& text) const;

  OpenedModel model_;
  ModelChoice models_;
  ChatState state_;
  MediaDesk desk_;
  const Environment& environment_;
  bool stdout_is_terminal_;
  std::optional<std::int64_t> context_length_;  // as /set parameter num_ctx said
  bool interrupted_ = false;                    // Ctrl-C was the last thing that happened
  bool converses_ = false;                      // what media take is told before they are sent
};

}  // namespace pleiad::apps
