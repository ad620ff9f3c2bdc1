"""``leafmark completion`` and ``leafmark init``: the scripts for shells, which complete words, and add a key
that resumes a session in the current shell.
"""

from __future__ import annotations

from app.options import Options
from app.reports.output import write_text
from app.setup import Setup


def run(options: Options, setup: Setup) -> int:
    """Print the script of the shell."""
    write_text((COMPLETION if options.command == "completion" else KEY)[options.shell])
    return 0


_BASH_COMPLETION = r"""# Completion of leafmark in bash: eval "$(leafmark completion bash)"
_leafmark() {
    local word line value help prefix="" current
    local -a helps=()
    word="${COMP_LINE:0:COMP_POINT}"
    current="${word##*[[:space:]]}"
    # bash splits words at a colon and an equals sign, and replaces only what follows the last one.
    if [[ "$COMP_WORDBREAKS" == *:* && "$current" == *:* ]]; then
        prefix="${current%"${current##*:}"}"
    elif [[ "$COMP_WORDBREAKS" == *=* && "$current" == *=* ]]; then
        prefix="${current%"${current##*=}"}"
    fi
    COMPREPLY=()
    while IFS= read -r line; do
        value="${line%%$'\t'*}"
        printf -v value '%q' "$value"
        COMPREPLY+=("${value#"$prefix"}")
        help="${line#*$'\t'}"
        [[ "$help" == *$'\t#' ]] && helps+=("  # ${help%$'\t#'}") || helps+=("")
    done < <(leafmark __complete --line "$word" 2>/dev/null)
    # Sessions are listed with what they are. A menu would insert that (COMP_TYPE is its code: % or *).
    if [[ ${#COMPREPLY[@]} -gt 1 && "${COMP_TYPE:-}" != 37 && "${COMP_TYPE:-}" != 42 ]]; then
        for value in "${!COMPREPLY[@]}"; do
            line="${COMPREPLY[value]}${helps[value]}"
            COMPREPLY[value]="${line:0:${COLUMNS:-80}-2}"
        done
    fi
    # A filter and AGENT= go on behind their last character.
    [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[:=] ]] && compopt -o nospace
    return 0
}
complete -o default -o nosort -F _leafmark leafmark 2>/dev/null || complete -o default -F _leafmark leafmark
"""

_ZSH_COMPLETION = r"""#compdef leafmark
# Completion of leafmark in zsh: eval "$(leafmark completion zsh)"
_leafmark() {
    local line value
    local -a described
    for line in "${(@f)$(leafmark __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        [[ -n "$line" ]] || continue
        value="${line%%$'\t'*}"
        described+=("${value//:/\\:}:${line#*$'\t'}")
    done
    if (( ${#described} )); then
        local -a options
        [[ ${#described} -eq 1 && "$value" == *[:=] ]] && options=(-S '')
        _describe -V leafmark described "${options[@]}"
    else
        _files
    fi
}
if [[ "${funcstack[1]}" == _leafmark ]]; then
    _leafmark "$@"
else
    (( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
    compdef _leafmark leafmark
fi
"""

_FISH_COMPLETION = r"""# Completion of leafmark in fish: leafmark completion fish | source
function __leafmark_complete
    set -l given (commandline -opc)
    leafmark __complete -- $given[2..-1] (commandline -ct | string collect --allow-empty) 2>/dev/null
end
complete -c leafmark -f -k -a '(__leafmark_complete)'
complete -c leafmark -s o -l output -r -F
complete -c leafmark -l report -r -F
# A session may also be named by its file.
complete -c leafmark -n 'string match -qr "^[./~]" -- (commandline -ct)' -F
"""

_BASH_KEY = r"""# Alt+R resumes a session of leafmark in this shell: eval "$(leafmark init bash)"
__leafmark_pick() {
    local chosen
    if chosen="$(leafmark resume --print --shell bash </dev/tty)" && [[ -n "$chosen" ]]; then
        READLINE_LINE="$chosen"
        READLINE_POINT=${#chosen}
        bind '"\C-x\C-_l": accept-line'
    else
        bind '"\C-x\C-_l": redraw-current-line'
    fi
}
if [[ $- == *i* ]]; then
    for __leafmark_keymap in emacs-standard vi-insert vi-command; do
        bind -m "$__leafmark_keymap" -x '"\C-x\C-_k": __leafmark_pick'
        bind -m "$__leafmark_keymap" '"\er": "\C-x\C-_k\C-x\C-_l"'
    done
    unset __leafmark_keymap
fi
"""

_ZSH_KEY = r"""# Alt+R resumes a session of leafmark in this shell: eval "$(leafmark init zsh)"
__leafmark_pick() {
    local chosen
    chosen="$(leafmark resume --print --shell zsh </dev/tty)"
    zle reset-prompt
    if [[ -n "$chosen" ]]; then
        BUFFER="$chosen"
        zle accept-line
    fi
}
if [[ -o interactive ]]; then
    zle -N __leafmark_pick
    bindkey -M emacs '\er' __leafmark_pick
    bindkey -M viins '\er' __leafmark_pick
    bindkey -M vicmd '\er' __leafmark_pick
fi
"""

_FISH_KEY = r"""# Alt+R resumes a session of leafmark in this shell: leafmark init fish | source
function __leafmark_pick
    set -l chosen (leafmark resume --print --shell fish </dev/tty | string collect)
    commandline -f repaint
    if test -n "$chosen"
        commandline -r -- $chosen
        commandline -f execute
    end
end
if status is-interactive
    bind \er __leafmark_pick
    bind -M insert \er __leafmark_pick
end
"""

COMPLETION = {"bash": _BASH_COMPLETION, "zsh": _ZSH_COMPLETION, "fish": _FISH_COMPLETION}
"""Shell -> the script that completes command lines."""
KEY = {"bash": _BASH_KEY, "zsh": _ZSH_KEY, "fish": _FISH_KEY}
"""Shell -> the script that binds Alt+R to the selector."""
