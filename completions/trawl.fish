# Completion for fish: what `trawl COMMAND --list-options` lists (name, argument's name, its values,
# what it does, with tabs between them); `trawl --list-options` lists the commands.

function __trawl_commands
    trawl --list-options 2>/dev/null | cut -f 1,4
end

# The options; those whose argument may be left out also with each of its values.
function __trawl_options
    set -l words (commandline -opc)
    trawl $words[2] --list-options 2>/dev/null | awk -F '\t' '{
        print $1 "\t" $4
        if ($1 ~ /^--/ && $2 ~ /^\[/) {
            count = split($3, value, " ")
            for (i = 1; i <= count; i++)
                print $1 "=" value[i]
        }
    }'
end

# The values of the option before the cursor.
function __trawl_values
    set -l words (commandline -opc)
    trawl $words[2] --list-options 2>/dev/null | awk -F '\t' -v option=$words[-1] '
        $1 == option && $2 !~ /^\[/ { count = split($3, value, " ") }
        END { for (i = 1; i <= count; i++) print value[i] }'
end

complete -c trawl -n __fish_use_subcommand -f -a '(__trawl_commands)'
complete -c trawl -n 'not __fish_use_subcommand' -a '(__trawl_options)'
complete -c trawl -n 'test -n "$(__trawl_values)"' -f -a '(__trawl_values)'
