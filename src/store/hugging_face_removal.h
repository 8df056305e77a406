#pragma once

#include "store/model_entry.h"

namespace pleiad::store {

/// Removes a model from the Hugging Face cache that it lies in: its files from their snapshot, with
/// the last GGUF model there the projector files too, of a folder all but GGUF files; then the
/// blobs that no snapshot of the repository leads to any more. A snapshot that is empty by then
/// goes with the branches and tags that note it, and so does a repository without snapshots.
/// Beginnings of other files stay (see hugging_face_prune.h). Throws Error that names a path.
void remove_from_hugging_face(const ModelEntry& entry);

}  // namespace pleiad::store
