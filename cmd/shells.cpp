#include "cmd/shells.h"

namespace ctr::cmd {

namespace {

constexpr std::string_view bash = R"SCRIPT(# bash completion for ctr
_ctr() {
    COMPREPLY=()
    # Bash parts words at = and : too; ctr doesn't. at: where each of ctr's words begins among bash's.
    local words=() at=() i rest=$COMP_LINE piece
    for ((i = 0; i <= COMP_CWORD; i++)); do
        piece=${COMP_WORDS[i]}
        if ((i == 0)) || [[ -z $rest || $rest == [[:blank:]]* ]]; then
            words+=("$piece")
            at+=("$i")
        else
            words[-1]+=$piece
        fi
        rest=${rest#"${rest%%[![:blank:]]*}"}
        rest=${rest#"$piece"}
    done
    local current=${words[-1]} lines line
    mapfile -t lines < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null)
    ((${#lines[@]})) || return 0
    # What bash takes for the beginning of another word stays as it is.
    local kept=
    if [[ $current == *[=:]* && $COMP_WORDBREAKS == *=* ]]; then kept=${current%"${current##*[=:]}"}; fi
    for line in "${lines[@]:1}"; do
        line=${line%%$'\t'*}
        [[ $line == "$current"* ]] || continue
        [[ $line != *= ]] || compopt -o nospace
        COMPREPLY+=("${line#"$kept"}")
    done
    local beside=${lines[0]% *} number=${lines[0]##* } prefix
    case $beside in
        :files | :directories)
            prefix=${current:0:number}
            compopt -o filenames
            local option=-f
            [[ $beside != :directories ]] || option=-d
            while IFS= read -r line; do
                line=$prefix$line
                COMPREPLY+=("${line#"$kept"}")
            done < <(compgen "$option" -- "${current:number}")
            ;;
        :command)
            number=${at[number + 1]}
            if declare -F _command_offset >/dev/null; then
                _command_offset "$number"
            elif ((number == COMP_CWORD)); then
                mapfile -t COMPREPLY < <(compgen -c -- "$current")
            else
                compopt -o filenames
                mapfile -t COMPREPLY < <(compgen -f -- "$current")
            fi
            ;;
    esac
}
complete -F _ctr ctr
)SCRIPT";

constexpr std::string_view zsh = R"SCRIPT(#compdef ctr
# zsh completion for ctr
_ctr() {
    local -a lines shown
    local beside number line name
    lines=("${(@f)$(${~words[1]} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    [[ -n $lines[1] ]] || return 1
    beside=${lines[1]% *} number=${lines[1]##* }
    for line in "${(@)lines[2,-1]}"; do
        name=${${line%%$'\t'*}//:/\\:}
        [[ $line == *$'\t'* ]] && name+=:${line#*$'\t'}
        shown+=("$name")
    done
    local -a ending
    ending=("${(@M)shown:#*=}")
    local result=1
    if (($#ending)); then
        _describe -V 'ctr' ending -S '' && result=0
        shown=("${(@)shown:#*=}")
    fi
    (($#shown)) && _describe -V 'ctr' shown && result=0
    case $beside in
        :files)
            compset -p $number
            _files && result=0
            ;;
        :directories)
            compset -p $number
            _files -/ && result=0
            ;;
        :command)
            shift $((number + 1)) words
            ((CURRENT -= number + 1))
            _normal && result=0
            ;;
    esac
    return result
}
if [[ $funcstack[1] == _ctr ]]; then
    _ctr "$@"
else
    compdef _ctr ctr
fi
)SCRIPT";

constexpr std::string_view fish = R"SCRIPT(# fish completion for ctr
function __ctr_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    test (count $lines) -gt 0; or return
    set -l beside (string split ' ' -- $lines[1])
    set -e lines[1]
    test (count $lines) -gt 0; and printf '%s\n' $lines
    switch $beside[1]
        case ':files' ':directories'
            set -l prefix (string sub -l $beside[2] -- "$current")
            set -l begun (string sub -s (math $beside[2] + 1) -- "$current")
            for found in (complete -C "'' $begun")
                set -l name (string split \t -- $found)[1]
                if test $beside[1] = ':files'; or string match -q -- '*/' $name
                    printf '%s\n' "$prefix$name"
                end
            end
        case ':command'
            set -l inner $words[(math $beside[2] + 2)..-1]
            complete -C (string join ' ' -- (string escape -- $inner) $current)
    end
end
complete -c ctr -f -a '(__ctr_complete)'
)SCRIPT";

}  // namespace

const std::vector<Shell>& shells() {
    static const std::vector<Shell> table = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    return table;
}

}  // namespace ctr::cmd
