# Completion for fish: what `trawl --help` and `trawl COMMAND --help` list.

function __trawl_commands
    trawl --help 2>/dev/null | awk '
        /^Commands:/ { on = 1; next }
        !NF { on = 0 }
        on { name = $1; sub(/^ +[^ ]+ +/, ""); print name "\t" $0 }'
end

function __trawl_options
    set -l words (commandline -opc)
    trawl $words[2] --help 2>/dev/null | awk '/^ +-/ {
        sub(/^ +/, "")
        head = $0
        sub(/  .*/, "", head)
        text = substr($0, length(head) + 1)
        sub(/^ +/, "", text)
        count = split(head, part, ", *")
        for (i = 1; i <= count; i++) {
            sub(/[][ =].*/, "", part[i])
            print part[i] "\t" text
        }
    }'
end

function __trawl_has_value
    set -l words (commandline -opc)
    contains -- $words[-1] $argv
end

complete -c trawl -n __fish_use_subcommand -f -a '(__trawl_commands)'
complete -c trawl -n 'not __fish_use_subcommand' -a '(__trawl_options)'
complete -c trawl -n '__trawl_has_value --engine' -f -a '(trawl engines | awk "NR > 1 { print \$1 }") auto'
complete -c trawl -n '__trawl_has_value --schedule' -f -a 'dynamic static'
complete -c trawl -n '__trawl_has_value --report' -f \
    -a 'each ends pairs longest shortest leftmost-longest leftmost-first'
complete -c trawl -n '__trawl_has_value --format' -f -a 'auto fasta fastq sam genbank pcap lines text raw'
complete -c trawl -n '__trawl_has_value --syntax' -f -a 'extended escaped literal'
complete -c trawl -n '__trawl_has_value --strand' -f -a 'plus minus both'
complete -c trawl -n '__trawl_has_value --as' -f -a 'stored rgb rgba grey'
complete -c trawl -n '__trawl_has_value --dtype' -f -a 'u1 u2 u3 u4'
complete -c trawl -n '__trawl_has_value --backend' -f \
    -a '(trawl devices | awk "/^backend +threads/ { on = 1; next } !NF { on = 0 } on { print \$1 }") auto'
complete -c trawl -n '__trawl_has_value --isa' -f \
    -a '(trawl devices | sed -n "s/^.*instruction sets //p" | string split ", ") auto'
complete -c trawl -n 'not __fish_use_subcommand' -f -l progress -l color -a 'always never auto'
complete -c trawl -n 'not __fish_use_subcommand' -f -l binary-files -a 'binary text without-match'
complete -c trawl -n 'not __fish_use_subcommand' -f -l count -a all
complete -c trawl -n '__trawl_has_value -t --type --type-not' -f \
    -a '(trawl grep --type-list | sed "s/:.*//")'
