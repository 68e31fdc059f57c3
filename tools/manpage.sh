#!/bin/sh
# The manual page of the command, or of a subcommand.
# Usage: manpage.sh path/to/trawl trawl|trawl-SUBCOMMAND OUTPUT

trawl=$1
folder=$(dirname "$0")
version=$("$trawl" --version | sed 's/^trawl //') || exit
case $2 in
trawl)
    about='find patterns in text, sequences and images'
    help=$("$trawl" --help) || exit
    ;;
trawl-*)
    command=${2#trawl-}
    about=$("$trawl" --list-options | awk -F '\t' -v name="$command" '$1 == name { print $4 }')
    help=$("$trawl" "$command" --help) || exit
    ;;
esac
commands=$("$trawl" --list-options | cut -f 1 | tr '\n' ' ')
printf '%s\n' "$help" |
    awk -v commands="$commands" -v name="$2" -v about="$about" -v version="$version" -f "$folder/manpage.awk" >"$3"
