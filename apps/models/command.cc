// pleiad list, show, create, cp, rm and prune: the models at hand.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <ctime>
#include <filesystem>
#include <memory>

#include "apps/commands.h"
#include "apps/common/catalog.h"
#include "apps/common/model_location.h"
#include "apps/common/output.h"
#include "apps/models/create.h"
#include "apps/models/list.h"
#include "apps/models/prune.h"
#include "apps/models/remote_list.h"
#include "apps/models/show.h"
#include "apps/models/tensors.h"
#include "base/available_memory.h"
#include "base/error.h"
#include "model/checkpoint.h"
#include "model/stored_tensors.h"

namespace pleiad::apps {
namespace {

constexpr const char* kModelHelp = "A model's name, as `pleiad list` shows it, or a path";

struct Flags {
  std::string model;
  std::string destination;
  std::vector<std::string> models;
  std::string modelfile = "Modelfile";
  bool all = false, names = false, remote = false, yes = false;
  bool show_modelfile = false, parameters = false, system = false, license = false;
  bool tensors = false, json = false;
};

/// The files that the model sees and hears with, if they are its own. A damaged model has none.
std::vector<std::filesystem::path> projectors_of(const store::ModelEntry& entry) {
  if (!entry.projector.empty()) return {entry.projector};
  try {
    return projector_files(Checkpoint::open(entry.path));
  } catch (const Error&) {
    return {};
  }
}

int show_tensors(const Flags& flags, const Environment& environment) {
  const store::ModelEntry entry = find_model_entry(flags.model, environment);
  const auto stored = StoredTensors::open(entry.path, projectors_of(entry));
  print(flags.json ? tensors_json(stored) : tensors_text(stored));
  return 0;
}

int show(const Flags& flags, const store::Catalog& catalog) {
  const auto found = catalog.find(flags.model);
  if (!found) throw Error("{}", found.message());
  const store::ModelEntry& entry = found.value();
  TextOutput part(stdout);
  if (flags.show_modelfile) {
    part.write(store::to_modelfile(entry));
  } else if (flags.parameters) {
    part.write(parameters_text(entry.recipe));
  } else if (flags.system) {
    part.write(entry.recipe.system + "\n");
  } else if (flags.license) {
    part.write(licenses_text(entry.recipe));
  } else {
    print(show_text(entry));
  }
  part.finish();
  if (!entry.problem.empty()) throw Error("{}", entry.problem);
  return 0;
}

int remove(const Flags& flags, store::Catalog& catalog) {
  for (const std::string& name : flags.models) {
    catalog.remove(name);
    print(fmt::format("deleted '{}'\n", name));
  }
  return 0;
}

/// Adds commands that work on the catalog.
class Commands {
 public:
  Commands(CLI::App& app, const Environment& environment, std::function<int()>& chosen)
      : app_(app), environment_(environment), chosen_(chosen) {}

  /// `work` takes the flags and the catalog, and returns the exit status.
  template <typename Work>
  std::pair<CLI::App*, std::shared_ptr<Flags>> add(const char* name, const char* about, Work work) {
    auto flags = std::make_shared<Flags>();
    CLI::App* command = app_.add_subcommand(name, about);
    command->callback([flags, work, &environment = environment_, &chosen = chosen_] {
      chosen = [flags, work, &environment] {
        store::Catalog catalog(catalog_options(environment));
        return work(*flags, catalog);
      };
    });
    return {command, flags};
  }

 private:
  CLI::App& app_;
  const Environment& environment_;
  std::function<int()>& chosen_;
};

void add_list(Commands& commands) {
  const auto [command, flags] =
      commands.add("list", "List the models at hand", [](const Flags& f, store::Catalog& catalog) {
        if (f.remote) {
          print(f.json    ? remote_json(available_memory())
                : f.names ? remote_names()
                          : remote_text(available_memory()));
          return 0;
        }
        print(f.json    ? list_json(catalog.list(), f.all)
              : f.names ? list_names(catalog.list())
                        : list_text(catalog.list(), std::time(nullptr), f.all));
        return 0;
      });
  command->alias("ls");
  CLI::Option* all =
      command->add_flag("-a,--all", flags->all, "Also those that cannot be used, and why");
  CLI::Option* names =
      command->add_flag("-q,--names", flags->names, "Only the names, one a line, for scripts");
  command->add_flag("--json", flags->json, "Print JSON")->excludes(names);
  command
      ->add_flag("-r,--remote", flags->remote,
                 "Instead those of the family that `pleiad pull` fetches by a short name")
      ->excludes(all);
  command->footer(
      "Models are looked for in Pleiad's own store, in Ollama's, in the Hugging Face cache, and\n"
      "in the folders of PLEIAD_MODEL_FOLDERS. Example:\n"
      "  pleiad list --all");
}

void add_show(Commands& commands, const Environment& environment) {
  const auto [command, flags] =
      commands.add("show", "Show what is known of a model",
                   [&environment](const Flags& f, const store::Catalog& catalog) {
                     return f.tensors ? show_tensors(f, environment) : show(f, catalog);
                   });
  command->add_option("MODEL", flags->model, kModelHelp)->required();
  CLI::Option_group* part = command->add_option_group("part", "Only one of these:");
  part->add_flag("--modelfile", flags->show_modelfile, "The Modelfile that would make it");
  part->add_flag("--parameters", flags->parameters, "Its parameters");
  part->add_flag("--system", flags->system, "Its system prompt");
  part->add_flag("--license", flags->license, "Its licenses");
  CLI::Option* tensors =
      part->add_flag("--tensors", flags->tensors, "All tensors of its files: types, shapes, sizes");
  part->require_option(0, 1);
  command->add_flag("--json", flags->json, "The tensors as JSON")->needs(tensors);
  command->footer(
      "Examples:\n"
      "  pleiad show gemma4:e2b --modelfile > Modelfile\n"
      "  pleiad show ~/models/gemma-4-E2B-it --tensors");
}

void add_create(Commands& commands) {
  const auto [command, flags] = commands.add(
      "create", "Make a model of another, with parameters and a system prompt of its own",
      [](const Flags& f, store::Catalog& catalog) {
        const store::ModelEntry entry = create_from_modelfile(catalog, f.model, f.modelfile);
        print(fmt::format("made '{}'\n", entry.name));
        return 0;
      });
  command->add_option("NAME", flags->model, "What it is to be called: [namespace/]model[:tag]")
      ->required();
  command->add_option("-f,--file", flags->modelfile, "The Modelfile, '-' for the standard input")
      ->capture_default_str()
      ->type_name("FILE");
  command->footer(
      "A Modelfile has FROM (a name or a path), SYSTEM, PARAMETER, MESSAGE and LICENSE lines.\n"
      "The weights stay where they are. Example:\n"
      "  printf 'FROM demo\\nPARAMETER temperature 0\\n' | pleiad create sober -f -");
}

void add_copy(Commands& commands) {
  const auto [command, flags] =
      commands.add("cp", "Give a model another name; its weights are not copied",
                   [](const Flags& f, store::Catalog& catalog) {
                     catalog.copy(f.model, f.destination);
                     print(fmt::format("copied '{}' to '{}'\n", f.model, f.destination));
                     return 0;
                   });
  command->add_option("SOURCE", flags->model, kModelHelp)->required();
  command->add_option("DESTINATION", flags->destination, "The new name")->required();
  command->footer(
      "Example:\n"
      "  pleiad cp gemma4:e2b gpt-4o");
}

void add_remove(Commands& commands) {
  const auto [command, flags] =
      commands.add("rm", "Remove models from Pleiad's own store or the Hugging Face cache", remove);
  command->add_option("MODEL", flags->models, "Names, as `pleiad list` shows them")->required();
  command->footer(
      "Ollama's models and plain files are left alone. Example:\n"
      "  pleiad rm sober");
}

void add_prune(CLI::App& app, const Environment& environment, std::function<int()>& chosen) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command =
      app.add_subcommand("prune", "Remove what no model needs, and interrupted downloads");
  command->add_flag("-y,--yes", flags->yes, "Do not ask");
  command->add_flag("--json", flags->json, "Print JSON; without --yes nothing is removed");
  command->footer(
      "Of Pleiad's own store: files of no model, downloads that were interrupted (they would be\n"
      "resumed), and what was half written; of Hugging Face's cache: such downloads. Says\n"
      "first what they are and how much that frees; without a terminal and without --yes it\n"
      "removes nothing. Example:\n"
      "  pleiad prune --yes");
  command->callback([flags, &environment, &chosen] {
    chosen = [flags, &environment] { return prune_store(environment, flags->yes, flags->json); };
  });
}

}  // namespace

void add_models_commands(CLI::App& app, const Environment& environment,
                         std::function<int()>& chosen) {
  Commands commands(app, environment, chosen);
  add_list(commands);
  add_show(commands, environment);
  add_create(commands);
  add_copy(commands);
  add_remove(commands);
  add_prune(app, environment, chosen);
}

}  // namespace pleiad::apps
