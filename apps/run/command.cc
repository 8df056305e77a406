// pleiad run: chat with a model.

#include <poll.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

#include "apps/commands.h"
#include "apps/common/catalog.h"
#include "apps/common/interrupt.h"
#include "apps/common/model_flags.h"
#include "apps/common/model_location.h"
#include "apps/common/output.h"
#include "apps/common/terminal.h"
#include "apps/common/usage_error.h"
#include "apps/media/converter.h"
#include "apps/media/helper.h"
#include "apps/run/chat_file.h"
#include "apps/run/chat_loop.h"
#include "apps/run/find_or_pull.h"
#include "apps/run/local_answerer.h"
#include "apps/run/media/add_media_flags.h"
#include "apps/run/media/media_desk.h"
#include "apps/run/media/media_flags.h"
#include "apps/run/model_choice.h"
#include "apps/run/parameters.h"
#include "apps/run/recipe.h"
#include "apps/run/remote_answerer.h"
#include "apps/run/reply_format.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/text_format.h"
#include "media/documents/document_reader.h"
#include "media/reader.h"

namespace pleiad::apps {
namespace {

struct RunFlags {
  ModelFlags model;
  std::vector<std::string> prompt;
  std::optional<std::string> system;
  std::string tools_file;
  std::string chat_file;
  MediaFlags media;
  MediaWishes wishes;
  std::vector<std::pair<std::string, std::string>> parameters;  // name, value
  std::vector<std::string> logit_bias;
  std::string think;  // as typed; empty: nobody said
  std::string keep_alive;
  std::string format;  // as typed; empty: nobody said
  Json reply_format;   // as read
  bool hide_thinking = false;
  bool verbose = false;
  bool raw = false;
  bool interactive = false;
  bool no_history = false;
  bool local = false;
  bool no_word_wrap = false;
  bool no_markdown = false;
};

/// For values of which nothing would mean that nobody gave them.
const CLI::Validator kNotEmpty(
    [](std::string& text) {
      return text.empty() ? std::string("expected a value, found nothing") : "";
    },
    "");

constexpr const char* kThinkValues = "[=true|false|high|medium|low]";

/// Flags for the parameters that /set knows too; one place decides what is valid.
void add_parameter_flags(CLI::App& command, RunFlags& flags) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"--temperature,--temp", "temperature"},
      {"--top-k", "top_k"},
      {"--typical-p", "typical_p"},
      {"--top-p", "top_p"},
      {"--min-p", "min_p"},
      {"--repeat-penalty", "repeat_penalty"},
      {"--repeat-last-n", "repeat_last_n"},
      {"--presence-penalty", "presence_penalty"},
      {"--frequency-penalty", "frequency_penalty"},
      {"--seed,-s", "seed"},
      {"--num-predict,-n,--n-predict,--predict", "num_predict"},
      {"--thinking-budget", "thinking_budget"},
      {"--repetition-guard", "repetition_guard"},
      {"--stop", "stop"},
  };
  for (const auto& [flag, name] : names) {
    std::string about;
    for (const Parameter& parameter : parameters()) {
      if (parameter.name == name) about = parameter.about;
    }
    about[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(about[0])));
    command
        .add_option_function<std::vector<std::string>>(
            flag,
            [&flags, key = name](const std::vector<std::string>& values) {
              for (const std::string& value : values) flags.parameters.emplace_back(key, value);
            },
            about)
        ->type_name(name == "stop" ? "TEXT" : "X")
        ->multi_option_policy(name == "stop" ? CLI::MultiOptionPolicy::TakeAll
                                             : CLI::MultiOptionPolicy::TakeLast)
        ->group("Sampling");
  }
  command
      .add_option("--logit-bias", flags.logit_bias,
                  "Add to the logit of a token, -100 to 100: ID=VALUE")
      ->type_name("ID=X")
      ->group("Sampling");
}

/// "repetition_guard: expected on or off" as the flag is spelled.
std::string named_as_flag(std::string_view parameter, const std::string& problem) {
  if (!problem.starts_with(parameter)) return problem;
  std::string flag = fmt::format("--{}", parameter);
  std::ranges::replace(flag, '_', '-');
  return flag + problem.substr(parameter.size());
}

void add_logit_bias(ChatState& state, const std::vector<std::string>& items,
                    std::size_t vocab_size) {
  sampling::SamplingOptions sampling = state.generation.sampling;
  for (const std::string& item : items) {
    std::istringstream stream(item);
    std::int32_t token = 0;
    char equals = 0;
    float bias = 0;
    if (!(stream >> token >> equals >> bias) || equals != '=' || !stream.eof()) {
      throw UsageError("--logit-bias: expected ID=VALUE, found '{}'", item);
    }
    sampling.logit_bias.emplace_back(token, bias);
  }
  auto checked = sampling::check_options(std::move(sampling), vocab_size);
  if (!checked) throw Error("{}", checked.message());
  state.generation.sampling = std::move(checked).value();
}

/// A running server where there is one that knows the model: it is loaded already, and
/// its memory is not paid twice. Flags for how to compute want a process of their own.
OpenedModel open_model(const RunFlags& flags, const std::string& model,
                       const Environment& environment) {
  const bool own = flags.local || flags.model.threads != 0 || flags.model.kv_type != KvType::bf16 ||
                   flags.model.activations != cpu::ActivationForm::automatic ||
                   flags.model.online || !flags.model.projector.empty() ||
                   !flags.logit_bias.empty();  // which Ollama's API has no word for
  if (auto remote =
          own ? nullptr : find_server_for(model, flags.model.context_length, environment)) {
    remote->keep_loaded(flags.keep_alive);
    const GenerationOptions defaults = remote->defaults();
    return {std::move(remote), defaults, {}};
  }
  if (!flags.keep_alive.empty()) {
    print_note("pleiad: --keep-alive has no effect: no server has the model, it is loaded here\n");
  }
  const store::ModelEntry entry = find_or_pull(model, environment);
  auto local = std::make_unique<LocalAnswerer>(flags.model, entry, environment);
  GenerationOptions defaults;
  defaults.sampling = local->model().sampling_defaults();
  defaults.stop_tokens = local->model().stop_tokens();
  return {std::move(local), defaults, entry.recipe};
}

ChatState initial_state(const RunFlags& flags, const OpenedModel& chosen,
                        std::vector<AttachedMedia> media) {
  ChatState state;
  const std::size_t vocab_size = chosen.answerer->facts().vocab_size;
  state.generation = chosen.defaults;
  apply_recipe(state, chosen.recipe, vocab_size, flags.chat_file.empty());
  const auto is_stop = [](const auto& parameter) { return parameter.first == "stop"; };
  if (std::ranges::any_of(flags.parameters, is_stop)) state.stop.clear();
  if (!flags.chat_file.empty()) load_chat(state, flags.chat_file);
  if (flags.wishes.picture_budget != PictureBudget()) {
    state.wishes.picture_budget = flags.wishes.picture_budget;
  }
  if (flags.wishes.n_frames) state.wishes.n_frames = flags.wishes.n_frames;
  if (flags.wishes.video_sound) state.wishes.video_sound = true;
  state.waiting = std::move(media);
  if (flags.system) {
    state.system = *flags.system;
    state.system_is_set = true;
  }
  if (!flags.tools_file.empty()) state.tools = load_tools(flags.tools_file);
  // check_values() let nothing else pass.
  if (!flags.think.empty()) static_cast<void>(set_thinking(state, flags.think));
  if (!flags.format.empty()) state.format = flags.reply_format;
  state.show_thinking = !flags.hide_thinking;
  state.verbose = flags.verbose;
  state.wrap = !flags.no_word_wrap;
  state.markdown = !flags.no_markdown;
  for (const auto& [name, value] : flags.parameters) {
    const Result<std::string> set = set_parameter(state, name, value, vocab_size);
    if (!set) throw UsageError("{}", set.message());
  }
  add_logit_bias(state, flags.logit_bias, vocab_size);
  return state;
}

/// A pipe that nobody writes to would look like a program that hangs.
void explain_waiting() {
  constexpr int kPatience = 1000;  // milliseconds
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, kPatience) == 0) {
    print_note("pleiad: waiting for the rest of the prompt on the standard input\n");
  }
}

std::string read_all_input() {
  explain_waiting();
  std::ostringstream text;
  text << std::cin.rdbuf();
  std::string all = text.str();
  while (!all.empty() && (all.back() == '\n' || all.back() == '\r')) all.pop_back();
  return all;
}

/// The one-shot prompt: the words of the command line, then what comes from a
/// pipe. Empty: a conversation.
std::string one_shot_prompt(const RunFlags& flags, const std::vector<MediaFlag>& media) {
  std::string prompt;
  for (const std::string& word : flags.prompt) prompt += (prompt.empty() ? "" : " ") + word;
  const bool is_medium =
      std::ranges::any_of(media, [](const MediaFlag& flag) { return flag.path == "-"; });
  if (flags.interactive || is_medium || is_terminal(stdin)) return prompt;
  const std::string piped = read_all_input();
  if (!prompt.empty() && !piped.empty()) prompt += "\n\n";
  prompt += piped;
  if (prompt.empty()) throw Error("the prompt is empty: nothing came from the standard input");
  return prompt;
}

/// What is of a conversation means nothing for a text that is continued as it is.
void check_raw(const RunFlags& flags) {
  const std::pair<const char*, bool> given[] = {
      {"--format", !flags.format.empty()},
      {"--system", flags.system.has_value()},
      {"--tools", !flags.tools_file.empty()},
      {"--think", !flags.think.empty()},
      {"--chat", !flags.chat_file.empty()},
      {"--image-tokens", flags.wishes.picture_budget != PictureBudget()},
      {"--frames", flags.wishes.n_frames.has_value()},
      {"--video-sound", flags.wishes.video_sound}};
  for (const auto& [flag, is_given] : given) {
    if (is_given) throw UsageError("{}: has no effect with --raw; give one of the two", flag);
  }
  const std::vector<MediaFlag> media = flags.media.all();
  if (media.empty()) return;
  throw UsageError("{}: has no effect with --raw; give one of the two",
                   media_flag(media.front().kind));
}

/// What can be told to be wrong before a model is found and loaded.
void check_values(RunFlags& flags, const Environment& environment) {
  if (!flags.format.empty()) {
    try {
      flags.reply_format = read_reply_format(flags.format, environment.home);
    } catch (const Error& error) {
      throw UsageError("--format: expected json, none, a JSON schema or its file, or a grammar: {}",
                       error.what());
    }
  }
  if (flags.raw) check_raw(flags);
  check_media(flags.media.all(), !flags.interactive && !flags.prompt.empty());
  check_prompt_words(flags.prompt, flags.media.all(), environment.home);
  ChatState unused;
  for (const auto& [name, value] : flags.parameters) {
    const auto set = set_parameter(unused, name, value, std::numeric_limits<std::int32_t>::max());
    if (!set) throw UsageError("{}", named_as_flag(name, set.message()));
  }
  if (!flags.keep_alive.empty()) {
    const Result<double> seconds = parse_duration(flags.keep_alive);
    if (!seconds) throw UsageError("--keep-alive: {}", seconds.message());
  }
  if (flags.think.empty()) return;
  const Result<std::string> think = set_thinking(unused, flags.think);
  if (!think) throw UsageError("--think: {}", think.message());
}

/// What /model goes on with. A bias counts for the ids of one vocabulary: another model has none.
ModelChoice other_models(const RunFlags& flags, const Environment& environment) {
  ModelChoice models;
  models.name = flags.model.model;
  models.find = [&flags, &environment](const std::string& name, const ModelChoice::Ask& ask) {
    try {
      find_model_entry(name, environment);
      return name;
    } catch (const Error&) {
      // A server may have models that this user has not.
      if (!flags.local && find_server_for(name, flags.model.context_length, environment)) {
        return name;
      }
    }
    return find_or_pull(name, environment, ask).name;
  };
  models.open = [&flags, &environment](const std::string& name) {
    return open_model(flags, name, environment);
  };
  models.names = [&environment] {
    std::vector<std::string> names;
    for (const store::ModelEntry& entry : store::Catalog(catalog_options(environment)).list()) {
      if (entry.problem.empty()) names.push_back(entry.name);
    }
    return names;
  };
  models.names_of = [&environment](const std::string& name) {
    std::set<std::string> names = {name, name + ":latest"};
    try {
      const std::filesystem::path path = find_model_entry(name, environment).path;
      for (const store::ModelEntry& entry : store::Catalog(catalog_options(environment)).list()) {
        std::error_code error;
        if (std::filesystem::equivalent(entry.path, path, error)) names.insert(entry.name);
      }
    } catch (const Error&) {  // a server's, say
    }
    return names;
  };
  return models;
}

int run(RunFlags& flags, const Environment& environment) {
  check_values(flags, environment);
  if (flags.model.model.empty()) {
    const std::optional<std::string> model = choose_model(environment);
    if (!model) return 0;
    flags.model.model = *model;
  }
  const std::vector<MediaFlag> named = flags.media.all();
  const std::string prompt = one_shot_prompt(flags, named);
  std::vector<AttachedMedia> media = open_media(named, environment.home);
  if (flags.raw && prompt.empty()) throw UsageError("--raw: expected PROMPT, found nothing");
  OpenedModel model = open_model(flags, flags.model.model, environment);
  ChatState state = initial_state(flags, model, std::move(media));
  media::MediaReader reader(own_media_helper(), {});
  media::DocumentReader documents(own_document_converter(), {});
  MediaDesk desk({
      .picture = [&](auto&&... all) { return reader.prepare_picture(all...); },
      .sound = [&](auto&&... all) { return reader.prepare_sound(all...); },
      .video = [&](auto&&... all) { return reader.prepare_video(all...); },
      .document = [&](auto&&... all) { return documents.read(all...); },
  });
  ChatLoop loop(std::move(model), other_models(flags, environment), std::move(state),
                std::move(desk), environment);
  if (flags.raw) return loop.complete_once(prompt);
  if (!prompt.empty() && !flags.interactive) return loop.answer_once(prompt);
  return loop.converse(!flags.no_history);
}

}  // namespace

void add_run_command(CLI::App& app, const Environment& environment, std::function<int()>& chosen) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App* command = app.add_subcommand("run", "Chat with a model, or get one answer");
  flags->model.add_to(*command)->required(false)->description(
      "A model's name (see `pleiad list`), a GGUF file, a Hugging Face folder, or \"demo\"; "
      "without it you are asked which");
  command->add_option("PROMPT", flags->prompt,
                      "Answer this and leave; without it (and without a pipe) a conversation "
                      "begins");
  command
      ->add_option_function<std::string>(
          "--system,--system-prompt",
          [flags = flags.get()](const std::string& text) { flags->system = text; },
          "The system turn; \"\": none, whatever the model brings")
      ->type_name("TEXT");
  command
      ->add_option("--tools", flags->tools_file,
                   "Tools that the model may call: a JSON list of function declarations")
      ->type_name("FILE");
  command->add_option("--chat", flags->chat_file, "Go on with a conversation that /save wrote")
      ->type_name("FILE");
  add_media_flags(*command, flags->media, flags->wishes);
  command
      ->add_flag("--think", flags->think,
                 "Let the model think before it answers, or not; a level is a budget: low 1,024 "
                 "tokens, medium 8,192, high 24,576 (see --thinking-budget)")
      ->option_text(kThinkValues);
  command
      ->add_option(
          "--format", flags->format,
          "What the reply must be: json, JSON of a schema (a file, or the schema itself), as a "
          "grammar says (a file .gbnf or .lark, gbnf:FILE or lark:FILE of another name, or "
          "regex:PATTERN), or none: any text")
      ->check(kNotEmpty)
      ->type_name("FILE|json|regex:PATTERN");
  command->add_flag("--hide-thinking,--hidethinking", flags->hide_thinking,
                    "Do not show its thoughts");
  command
      ->add_option("--keep-alive,--keepalive", flags->keep_alive,
                   "How long a server keeps the model loaded afterwards: 5m, 1h30m, seconds; "
                   "negative: for ever. Without a server it has no effect")
      ->check(kNotEmpty)
      ->type_name("DURATION");
  command->add_flag("-v,--verbose", flags->verbose, "Print counts, durations and rates");
  command->add_flag("--raw", flags->raw,
                    "Continue PROMPT as it is: no chat template; control tokens that it spells "
                    "count");
  command->add_flag("-i,--interactive", flags->interactive,
                    "A conversation even when the input is a pipe: a line, a message");
  command->add_flag("--no-history", flags->no_history, "Do not keep typed lines in a file");
  command->add_flag("--local", flags->local,
                    "Load the model here, also where a server runs that has it");
  command->add_flag("--nowordwrap", flags->no_word_wrap,
                    "Leave it to the terminal where lines are broken");
  command->add_flag("--nomarkdown", flags->no_markdown,
                    "Show replies as the model writes them, not in styles");
  add_parameter_flags(*command, *flags);
  command->footer(
      "Examples:\n"
      "  pleiad run                             asks which model\n"
      "  pleiad run demo\n"
      "  pleiad run gemma4:e2b                  offers to fetch it, where it is not at hand\n"
      "  pleiad run ~/models/gemma-4-E4B-it --think\n"
      "  pleiad run model.gguf \"Translate to French: good morning\" --temperature 0\n"
      "  git diff | pleiad run model.gguf \"Review this change\"\n"
      "  pleiad run gemma4:e2b \"What does the note say?\" --image note.jpg --image-tokens 1120\n"
      "  pleiad run gemma4:e2b \"What is agreed?\" --audio memo.m4a\n"
      "  pleiad run gemma4:e2b \"What happens?\" --video walk.mp4 --video-sound\n"
      "  pleiad run gemma4:e2b \"What does it cost?\" --file offer.pdf --pages 3-7\n"
      "A prompt that does not fit into the context is refused; nothing is cut in silence.");
  command->callback([flags, &environment, &chosen] {
    chosen = [flags, &environment] {
      try {
        return run(*flags, environment);
      } catch (const Interrupted&) {  // a model that was being fetched
        return InterruptGuard::exit_status();
      }
    };
  });
}

}  // namespace pleiad::apps
