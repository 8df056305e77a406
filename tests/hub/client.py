"""What Python users run: the huggingface_hub of PYTHONPATH. `client.py CACHE REPOSITORY REVISION FILE...`
fetches files of a revision into a cache, and says the version and the paths as JSON."""
import json
import sys

import huggingface_hub

cache, repository, revision, *files = sys.argv[1:]
paths = [huggingface_hub.hf_hub_download(repository, file, revision=revision, cache_dir=cache) for file in files]
print(json.dumps({"version": huggingface_hub.__version__, "paths": paths}))
