# Completion for bash: what `trawl COMMAND --list-options` lists (name, argument's name, its values,
# what it does, with tabs between them); `trawl --list-options` lists the commands.

# The values of an option; those of one that may be left out only after "=" ($4).
_trawl_values() {
    "$1" "$2" --list-options 2>/dev/null | awk -F '\t' -v option="$3" -v equals="$4" '
        $1 == option && $3 != "" && (equals || $2 !~ /^\[/) { print $3; found = 1 }
        END { exit !found }'
}

_trawl() {
    local command=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} values equals=
    local before=${COMP_WORDS[COMP_CWORD - 1]}
    if [ "$word" = = ]; then # --name=, which bash cuts into words
        word=
        equals=1
    elif [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
        equals=1
    fi
    COMPREPLY=()
    values=$("$command" --list-options 2>/dev/null | cut -f 1)
    if [ "$COMP_CWORD" = 1 ]; then
        values="$values help --help --version"
    elif [ "${COMP_WORDS[1]}" = help ]; then
        values="$values patterns"
    elif values=$(_trawl_values "$command" "${COMP_WORDS[1]}" "$before" $equals); then
        :
    elif [ "${word#-}" != "$word" ]; then
        values=$("$command" "${COMP_WORDS[1]}" --list-options 2>/dev/null | cut -f 1)
    else
        return # files, by -o default
    fi
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
}

complete -o default -F _trawl trawl
