#include "convert/target_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "convert/folder_files.h"
#include "formats/gguf/reader.h"
#include "model/gemma4/config_load.h"

namespace pleiad::convert {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& path, const fs::path& folder) {
  const auto apart = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return apart.first == folder.end();
}

/// Names of small files that models come with.
bool is_usual_name(const std::string& name) {
  constexpr std::array kNames = {"README.md", ".gitattributes", "merges.txt"};
  constexpr std::array kEndings = {".json", ".jinja", ".safetensors", "tokenizer.model"};
  return std::ranges::find(kNames, name) != kNames.end() || is_license(name) ||
         std::ranges::any_of(kEndings, [&](const char* end) { return name.ends_with(end); });
}

/// Throws Error where it is not that of a Gemma 4 model.
void check_config(const fs::path& path) {
  const MappedFile file(path);
  const auto* text = reinterpret_cast<const char*>(file.bytes().data());
  gemma4::config_from_json({text, file.bytes().size()}, path.string());
}

}  // namespace

void check_is_not_input(const fs::path& target, const fs::path& input, std::string_view what) {
  std::error_code error;
  if (fs::equivalent(input, target, error) && !error) {
    throw Error("{}: is {}, and stays as it is", target.string(), what);
  }
  if (!fs::is_directory(target, error)) return;
  const fs::path folder = fs::canonical(target, error);
  if (error) return;  // making the folder says more
  // Where it is, and where the link to it is.
  const fs::path absolute = fs::absolute(input, error);
  const fs::path link = fs::weakly_canonical(absolute.parent_path(), error) / absolute.filename();
  if (!lies_in(fs::weakly_canonical(input, error), folder) && !lies_in(link, folder)) return;
  throw Error("{}: holds {}, and stays as it is", target.string(), what);
}

void check_is_not_source(const fs::path& target, const Checkpoint& source) {
  constexpr std::string_view kModel = "the model that is read";
  check_is_not_input(target, source.path(), kModel);
  for (const fs::path& projector : {source.projector(), source.audio_projector()}) {
    if (projector.empty()) continue;
    check_is_not_input(target, projector, "the projector that is read");
  }
  if (const gguf::File* file = source.gguf()) {
    for (const MappedFile& part : file->parts()) check_is_not_input(target, part.path(), kModel);
    return;
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(source.path(), error)) {
    if (entry.path().extension() == ".gguf") continue;
    check_is_not_input(target, entry.path(), "a file of the model that is read");
  }
}

void check_is_replaceable(const fs::path& target) {
  std::error_code error;
  if (!fs::is_directory(target, error) || fs::is_empty(target, error)) return;
  std::vector<std::string> foreign;
  for (const auto& entry : fs::directory_iterator(target, error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file(error) || !is_usual_name(name)) foreign.push_back(name);
  }
  if (!foreign.empty()) {
    std::ranges::sort(foreign);
    throw Error("{}: is not replaced: it holds '{}', which is no file of a model", target.string(),
                printable(foreign.front()));
  }
  const fs::path config = target / "config.json";
  if (!fs::exists(config, error)) {
    throw Error("{}: is not replaced: there is no model in it", target.string());
  }
  try {
    check_config(config);
  } catch (const Error& found) {
    throw Error("{}: is not replaced: there is no Gemma 4 model in it: {}", target.string(),
                found.what());
  }
}

}  // namespace pleiad::convert
