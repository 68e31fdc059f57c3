# Completion for bash: what `trawl --help` and `trawl COMMAND --help` list.

# The first column of a help's options, a word each.
_trawl_options() {
    "$1" "$2" --help 2>/dev/null | awk '/^ +-/ {
        sub(/^ +/, "")
        sub(/  .*/, "")
        count = split($0, part, ", *")
        for (i = 1; i <= count; i++) {
            sub(/[][ =].*/, "", part[i])
            print part[i]
        }
    }'
}

# The values of an option that has a list of them.
_trawl_values() {
    case $2 in
    --engine) "$1" engines | awk 'NR > 1 { print $1 } END { print "auto" }' ;;
    --backend) "$1" devices | awk '/^backend +threads/ { on = 1; next } !NF { on = 0 } on { print $1 } END { print "auto" }' ;;
    --isa) "$1" devices | sed -n 's/^.*instruction sets //p' | tr -d , ; echo auto ;;
    -t | --type | --type-not) "$1" grep --type-list | sed 's/:.*//' ;;
    --color | --colour | --progress) echo always never auto ;;
    --binary-files) echo binary text without-match ;;
    --schedule) echo dynamic static ;;
    --report) echo each ends pairs longest shortest leftmost-longest leftmost-first ;;
    --format) echo auto fasta fastq sam genbank pcap lines text raw ;;
    --syntax) echo extended escaped literal ;;
    --strand) echo plus minus both ;;
    --as) echo stored rgb rgba grey ;;
    --dtype) echo u1 u2 u3 u4 ;;
    --count) echo all ;;
    *) return 1 ;;
    esac 2>/dev/null
}

_trawl() {
    local command=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} values
    local before=${COMP_WORDS[COMP_CWORD - 1]}
    if [ "$word" = = ]; then # --name=, which bash cuts into words
        word=
    elif [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        values="$("$command" --help | awk '/^Commands:/ { on = 1; next } !NF { on = 0 } on { print $1 }') help --help --version"
    elif [ "${COMP_WORDS[1]}" = help ]; then
        values=$("$command" --help | awk '/^Commands:/ { on = 1; next } !NF { on = 0 } on { print $1 } END { print "patterns" }')
    elif values=$(_trawl_values "$command" "$before"); then
        :
    elif [ "${word#-}" != "$word" ]; then
        values=$(_trawl_options "$command" "${COMP_WORDS[1]}")
    else
        return # files, by -o default
    fi
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
}

complete -o default -F _trawl trawl
