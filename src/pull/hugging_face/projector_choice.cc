#include "pull/hugging_face/projector_choice.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "model/projector_choice.h"
#include "pull/hugging_face/name_list.h"
#include "store/gguf_file_name.h"

namespace pleiad::pull::hugging_face {
namespace {

/// The projector files of a folder ("" or "x/").
std::vector<const HubFile*> projectors_in(const std::vector<HubFile>& files,
                                          std::string_view folder) {
  std::vector<const HubFile*> found;
  for (const HubFile& file : files) {
    const std::string name = file_name_of(file.path);
    if (folder_of(file.path) != folder || !store::is_gguf_file_name(name)) continue;
    if (store::parse_gguf_file_name(name).is_encoder) found.push_back(&file);
  }
  return found;
}

}  // namespace

ProjectorChoice choose_projector(const std::vector<HubFile>& files, const std::string& model) {
  std::string folder = folder_of(model);
  auto found = projectors_in(files, folder);
  while (found.empty() && !folder.empty()) {
    folder.pop_back();
    folder = folder_of(folder);
    found = projectors_in(files, folder);
  }
  ProjectorChoice choice;
  if (found.empty()) return choice;
  std::vector<std::filesystem::path> paths;
  for (const HubFile* file : found) paths.emplace_back(file->path);
  const std::filesystem::path* best = preferred_projector(paths, model);
  std::vector<std::string> others;
  for (const HubFile* file : found) {
    if (best != nullptr && file->path == *best) {
      choice.file = *file;
    } else {
      others.push_back(file->path);
    }
  }
  if (others.empty()) return choice;
  choice.left_out =
      best == nullptr ? fmt::format(
                            "{}: projectors, none of which is called like the model: it is fetched "
                            "without one, and sees and hears nothing",
                            name_list(others))
                      : fmt::format("{}: the same or other projectors; {} is taken",
                                    name_list(others), name_list({choice.file->path}));
  return choice;
}

}  // namespace pleiad::pull::hugging_face
