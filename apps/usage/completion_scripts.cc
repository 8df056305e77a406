#include "apps/usage/completion_scripts.h"

namespace pleiad::apps {

namespace {

// bash cuts words at ':' and '=', which names of models and --name=value hold: they are put
// together again, and of what is offered the part behind the last of these is what bash wants.
constexpr std::string_view kBash =
    R"script(# bash completion for pleiad, as `pleiad completion bash` prints it.
_pleiad() {
    local line=${COMP_LINE:0:COMP_POINT} breaks= blanks word i
    local -a words=() lines=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blanks=${line%%[![:blank:]]*}
        line=${line#"$blanks"}
        word=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || word=$line
        line=${line#"$word"}
        if ((i > 0)) && [[ -z $blanks ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    [[ $COMP_WORDBREAKS != *:* ]] || breaks+=:
    [[ $COMP_WORDBREAKS != *=* ]] || breaks+==

    local current=${words[-1]} program=${words[0]/#\~\//$HOME/}
    type -P -- "$program" >/dev/null || program=pleiad
    mapfile -t lines < <("$program" complete -- "${words[@]:1}" 2>/dev/null)

    local kept= value
    [[ -z $breaks || $current != *[$breaks]* ]] || kept=${current%"${current##*[$breaks]}"}
    COMPREPLY=()
    for value in "${lines[@]:1}"; do
        value=${value%%$'\t'*}
        COMPREPLY+=("${value#"$kept"}")
    done
    local action=
    case ${lines[0]-} in
    files) action=-f ;;
    folders) action=-d ;;
    esac
    if [[ -n $action ]]; then
        value=$current
        [[ $value != -*=* ]] || value=${value#*=}
        kept=
        [[ -z $breaks || $value != *[$breaks]* ]] || kept=${value%"${value##*[$breaks]}"}
        compopt -o filenames 2>/dev/null
        while IFS= read -r word; do
            COMPREPLY+=("${word#"$kept"}")
        done < <(compgen "$action" -- "$value")
    fi
}
complete -F _pleiad pleiad
)script";

constexpr std::string_view kZsh = R"script(#compdef pleiad
# zsh completion for pleiad, as `pleiad completion zsh` prints it.
_pleiad() {
  local program=${(Q)words[1]/#\~\//$HOME/} line value about
  local -a before lines candidates
  (( $+commands[$program] )) || [[ -x $program ]] || program=pleiad
  (( CURRENT > 2 )) && before=("${(@Q)words[2,CURRENT-1]}")
  lines=("${(@f)$("$program" complete -- "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)}")
  for line in "${(@)lines[2,-1]}"; do
    [[ -n $line ]] || continue
    value=${line%%$'\t'*}
    about=
    [[ $line != *$'\t'* ]] || about=${line#*$'\t'}
    candidates+=("${${value//\\/\\\\}//:/\\:}${about:+:$about}")
  done
  local found=1
  if (( $#candidates )); then
    if [[ $PREFIX == -* ]]; then
      _describe -o pleiad candidates && found=0
    else
      _describe pleiad candidates && found=0
    fi
  fi
  case $lines[1] in
    (files|folders)
      [[ $PREFIX == -*=* ]] && compset -P '*='
      if [[ $lines[1] == folders ]]; then _files -/ && found=0; else _files && found=0; fi
      ;;
  esac
  return found
}

if [[ $funcstack[1] == _pleiad ]]; then
  _pleiad "$@"
else
  compdef _pleiad pleiad
fi
)script";

constexpr std::string_view kFish =
    R"script(# fish completion for pleiad, as `pleiad completion fish` prints it.
function __pleiad_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    set -e words[1]
    type -q -- $program; or set program pleiad
    set -l lines ($program complete -- $words "$current" 2>/dev/null)
    set -l paths $lines[1]
    set -e lines[1]
    for line in $lines
        echo -- $line
    end
    contains -- "$paths" files folders; or return
    set -l before ''
    set -l value "$current"
    if string match -q -- '-*=*' "$current"
        set before (string replace -r '=.*' '=' -- "$current")
        set value (string replace -r '^[^=]*=' '' -- "$current")
    end
    if test "$paths" = folders
        for path in (__fish_complete_directories "$value" '')
            echo -- $before$path
        end
    else
        for path in (__fish_complete_path "$value")
            echo -- $before$path
        end
    end
end
complete -c pleiad -f -a '(__pleiad_complete)'
)script";

}  // namespace

const std::vector<CompletionScript>& completion_scripts() {
  static const std::vector<CompletionScript> scripts = {
      {"bash", "bash-completion/completions/pleiad", kBash},
      {"zsh", "zsh/site-functions/_pleiad", kZsh},
      {"fish", "fish/vendor_completions.d/pleiad.fish", kFish},
  };
  return scripts;
}

}  // namespace pleiad::apps
