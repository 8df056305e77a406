#include "pull/hugging_face/choice.h"

#include <algorithm>

#include "base/ascii.h"
#include "pull/hugging_face/folder_choice.h"
#include "pull/hugging_face/gguf_choice.h"

namespace pleiad::pull::hugging_face {

Result<Choice> choose_files(const std::vector<HubFile>& files, const std::string& wanted,
                            const ReadFile& read) {
  constexpr const char* kFolder = "safetensors";
  const std::string lower = ascii_lower(wanted);
  if (lower == kFolder) return choose_folder(files, read);
  const std::string asked = lower == "latest" ? "" : wanted;
  if (!asked.empty() || has_gguf_models(files)) {
    auto choice = choose_gguf(files, asked);
    if (choice && asked.empty() && has_folder(files)) {
      choice.value().left_out.push_back(
          "the same as safetensors: chosen with :safetensors after the repository");
    }
    return choice;
  }
  return choose_folder(files, read);
}

}  // namespace pleiad::pull::hugging_face
