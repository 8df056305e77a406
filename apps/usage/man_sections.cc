#include "apps/usage/man_page.h"

namespace pleiad::apps {

const std::vector<NamedText>& environment_texts() {
  static const std::vector<NamedText> texts = {
      {"PLEIAD_HOST, OLLAMA_HOST",
       "The server that `run`, `ps` and `stop` ask, and the address that `serve` listens on: "
       "ADDRESS, "
       "ADDRESS:PORT, :PORT or unix:PATH (default: 127.0.0.1:11434)."},
      {"PLEIAD_API_KEY", "The key that is sent to a server, and that `serve` wants."},
      {"PLEIAD_MODELS", "Where Pleiad's own models are kept."},
      {"PLEIAD_MODEL_FOLDERS", "Further folders with model files, with colons between them."},
      {"OLLAMA_MODELS", "Where Ollama's models are, which are read in place."},
      {"HF_HUB_CACHE, HF_HOME",
       "Where `hf download` keeps models; those of Hugging Face are pulled to there as well."},
      {"HF_TOKEN, HUGGING_FACE_HUB_TOKEN, HF_TOKEN_PATH",
       "The token for Hugging Face, or the file that has it."},
      {"HF_ENDPOINT", "A mirror of Hugging Face."},
      {"HF_HUB_OFFLINE, TRANSFORMERS_OFFLINE",
       "If it is 1, true, yes or on, Hugging Face is not asked."},
      {"https_proxy, HTTPS_PROXY, http_proxy, all_proxy, ALL_PROXY, no_proxy, NO_PROXY",
       "Proxies for `pull` and `push`, and hosts that are asked without one."},
      {"NETRC, DOCKER_CONFIG",
       "Users and passwords of hosts: a file, else ~/.netrc; a folder with config.json, else "
       "~/.docker."},
      {"PLEIAD_ISA",
       "Force an instruction set: scalar, avx2, avxvnni, avx512, amx, neon or i8mm. Without it the "
       "best one of the machine is taken."},
      {"PLEIAD_READ_BUFFER_MIB",
       "How much memory `bench` and `fit` read to find its limit, in MiB (default: 1024)."},
      {"NO_COLOR", "If it is set, nothing is coloured or dimmed; so too where TERM is dumb."},
      {"SSL_CERT_FILE", "Certificates to trust by https, instead of the system's."},
      {"NOTIFY_SOCKET",
       "Set by systemd, which the server tells when it answers and how long its end may take."},
      {"HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME", "Where the places below begin."},
  };
  return texts;
}

const std::vector<NamedText>& place_texts() {
  static const std::vector<NamedText> texts = {
      {"~/.local/share/pleiad/models",
       "Pleiad's own models, as PLEIAD_MODELS or XDG_DATA_HOME say."},
      {"~/.local/state/pleiad/history", "Lines that were typed in a chat, as XDG_STATE_HOME says."},
      {"~/.ollama/models, /usr/share/ollama/.ollama/models", "Ollama's models."},
      {"~/.cache/huggingface/hub", "Models of Hugging Face."},
  };
  return texts;
}

}  // namespace pleiad::apps
