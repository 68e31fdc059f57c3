#!/bin/sh
# walls.sh "OBJECT;..." "OBJECT;...": none of the first objects asks for a symbol that the second have.
set -fu
nm=${NM:-nm} # of the machine that they are for
if ! command -v "$nm" >/dev/null; then
    echo "skipped: there is no nm (package binutils)"
    exit 77
fi
IFS=';'
# shellcheck disable=SC2086 # lists, divided by IFS
asked=$("$nm" -u $1 | awk 'NF == 2 { print $2 }' | sort -u)
# shellcheck disable=SC2086
there=$("$nm" -g --defined-only $2 | awk 'NF == 3 { print $3 }' | sort -u)
if [ -z "$asked" ] || [ -z "$there" ]; then
    echo "nm shows no symbols of them"
    exit 1
fi
if printf '%s\n%s\n' "$asked" "$there" | sort | uniq -d | grep .; then
    echo "these stand on the other side of the wall"
    exit 1
fi
