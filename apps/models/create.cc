#include "apps/models/create.h"

#include <fstream>
#include <iostream>
#include <sstream>

#include "base/error.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

store::ModelEntry create_from_modelfile(store::Catalog& catalog, const std::string& name,
                                        const std::string& modelfile) {
  std::ostringstream text;
  fs::path folder = ".";
  if (modelfile == "-") {
    text << std::cin.rdbuf();
  } else {
    std::error_code error;
    if (!fs::is_regular_file(modelfile, error)) {
      throw Error("{}: there is no such file; name the Modelfile with -f", modelfile);
    }
    std::ifstream file(modelfile, std::ios::binary);
    if (!file) throw Error("{}: cannot be read", modelfile);
    text << file.rdbuf();
    folder = fs::absolute(modelfile).parent_path();
  }
  auto model = store::parse_modelfile(text.str(), folder);
  if (!model) throw Error("{}: {}", modelfile == "-" ? "Modelfile" : modelfile, model.message());
  model.value().name = name;
  return catalog.create(model.value());
}

}  // namespace pleiad::apps
