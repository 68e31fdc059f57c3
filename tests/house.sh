#!/bin/sh
# The order of the house, read from the sources. Usage: house.sh SOURCE_FOLDER
#   - No circle of #include "..." in src/ and include/, kernels (.k) among them.
#   - A folder includes what its row under "The rooms" in docs/architecture.md allows, and what
#     that may use in turn. Rows name rows above them only; each folder of src/ has one.
#   - Each line of engines.def has its folder with the files that it says, and each folder its line;
#     the table of algorithms in docs/architecture.md has its title, the self-test of devices a case.
#   - A file of tests/ lies in the folder that is its label.
#   - No file of src/ is longer than 800 lines, no line of a C file than 100 columns.
#   - The library asks the system for memory in one place, and for arrays that are malloc's by contract.
#   - A link in a document to a file of the sources names one that is there.
#   - The version and the soname's number are those of CMakeLists.txt wherever else they stand.

cd "${1:?usage: $0 SOURCE_FOLDER}" || exit 2
LC_ALL=C
export LC_ALL
status=0

find src include tests fuzz bench tools -name '*.[chk]' -exec awk '
    { gsub(/[\200-\277]/, "") } # a character of UTF-8 is one column
    length($0) > 100 { print FILENAME ":" FNR ": " length($0) " columns; break the line"; bad = 1 }
    FNR == 801 && FILENAME ~ /^src/ { print FILENAME ": over 800 lines; divide it"; bad = 1 }
    END { exit bad }' {} + || status=1

if find tests -maxdepth 1 -type f ! -name CMakeLists.txt ! -name house.sh | grep .; then
    echo "tests lie in folders: tests/CMakeLists.txt says in which"
    status=1
fi

find src include -name '*.[chk]' -o -name '*.def' | sort | xargs awk '
    function complain(text) { print text; bad = 1 }
    # The deepest room that a file of src/, without that, lies in.
    function room(file,  of) {
        if (file !~ /^src\//)
            return "trawl.h"
        of = substr(file, 5)
        while (!row[of] && sub(/\/[^\/]*$/, "", of))
            continue
        return of
    }

    # The file that an #include of `name` in `file` means.
    function find(file, name) {
        sub(/[^\/]*$/, "", file)
        return known[file name] ? file name : known["src/" name] ? "src/" name : "include/" name
    }
    function visit(file, trail,  to, count, i) {
        state[file] = "open"
        trail = trail file " > "
        count = split(uses[file], to, " ")
        for (i = 1; i <= count; i++)
            if (state[to[i]] == "open")
                complain("a circle of includes: " substr(trail, index(trail, to[i] " ")) to[i])
            else if (!state[to[i]])
                visit(to[i], trail)
        state[file] = "done"
    }

    BEGIN { for (i = 2; i < ARGC; i++) known[ARGV[i]] = 1 }

    # ---- the rows: | `src/match/` | what it holds | plan |
    FILENAME == ARGV[1] && /^## / { inside = $0 == "## The rooms" }
    FILENAME == ARGV[1] && inside && /^\| `/ {
        split($0, cell, "|")
        gsub(/[` ]|–|-/, "", cell[2])
        gsub(/[` ]|–|-/, "", cell[4])
        sub(/\/$/, "", cell[2])
        user = sub(/^src\//, "", cell[2]) ? cell[2] : "trawl.h"
        count = split(cell[4], used, ",")
        for (i = 1; i <= count; i++) {
            if (!row[used[i]])
                complain("the row of " user ": " used[i] " has no row above it")
            for (r = 1; r <= rows; r++)
                if (may[used[i], name[r]])
                    may[user, name[r]] = 1
            may[user, used[i]] = 1
        }
        if (row[user]++)
            complain(user " has two rows")
        may[user, user] = 1
        name[++rows] = user
    }

    # ---- the files
    FILENAME == ARGV[1] { next }
    FNR == 1 { file[++files] = FILENAME; filled[room(FILENAME)] = 1 }
    /^ *# *include *"/ {
        split($0, quoted, "\"")
        target = find(FILENAME, quoted[2])
        if (!known[target])
            complain(FILENAME ":" FNR ": there is no " quoted[2])
        else if (!may[room(FILENAME), room(target)])
            complain(FILENAME ":" FNR ": " room(FILENAME) " may not use " room(target))
        uses[FILENAME] = uses[FILENAME] " " target
        includes++
    }
    END {
        for (folder in filled)
            if (!row[folder])
                complain("src/" folder " is in no row")
        for (i = 1; i <= rows; i++)
            if (!filled[name[i]])
                complain("the row of " name[i] " has no folder")
        for (i = 1; i <= files; i++)
            if (!state[file[i]])
                visit(file[i], "")
        print files " files in " rows " rooms, " includes " includes"
        exit bad
    }' docs/architecture.md || status=1

awk -F'[(), ]+' '
    function complain(text) { print "engines.def, " name ": " text; bad = 1 }
    function there(file) { return (getline line < file) >= 0 }
    FILENAME ~ /architecture/ { document = document $0 "\n"; next }
    /^ENGINE\(/ {
        name = $2
        folder = "src/engines/" $5 "/" name
        has[folder] = 1
        title = $0
        gsub(/^[^"]*"|"\)$/, "", title)
        if (!there(folder "/build.c"))
            complain("there is no " folder "/build.c")
        if (there(folder "/cpu.c") != ($6 == "PLAIN") || there(folder "/vector.c") != ($6 == "VECTOR"))
            complain("cpu.c is there for PLAIN alone, vector.c for VECTOR")
        kernels = $7 ~ /^(SOME_)?KERNELS$/
        if (there(folder "/device.k") != kernels || there(folder "/device.c") != kernels)
            complain("device.k and device.c are there for KERNELS and SOME_KERNELS alone")
        if (!index(document, "\n| " title " | `" $5 "/" name "` |"))
            complain("docs/architecture.md has no row | " title " | `" $5 "/" name "` |")
        untuned[name] = kernels
    }
    /^TUNED\("/ { split($0, part, /["\/]/); delete untuned[part[2]] }
    FILENAME == "-" && !has[$0] { print $0 " has no line in engines.def"; bad = 1 }
    END {
        for (name in untuned)
            if (untuned[name])
                complain("has kernels, and no line TUNED")
        exit bad
    }' docs/architecture.md src/engines/engines.def - <<FOLDERS || status=1
$(ls -d src/engines/literal/* src/engines/classes/* src/engines/programs/* src/engines/papers/* src/engines/grid/*)
FOLDERS

if grep -rnE '(^|[^_[:alnum:]])(malloc|calloc|realloc|free|strdup|strndup|aligned_alloc|posix_memalign)\(' \
    src --include='*.[ch]' | grep -vE '^src/(cli|energy|formats|mpi|selftest)/|^src/base/memory\.c|^src/scan/collect\.c'; then
    echo "memory of the library comes from base/memory.h"
    status=1
fi

if grep -rnE '"[^"]*(--[a-z]|trawl (find|grep|grid|compile|info))' src/formats --include='*.[ch]'; then
    echo "what formats say names no option of the command: its caller has the names"
    status=1
fi

broken=$(awk 'FNR == 1 { code = 0 }
    /^ *```/ { code = !code }
    !code { gsub(/`[^`]*`/, "")
        while (match($0, /\]\([^)# ]+/)) {
            target = substr($0, RSTART + 2, RLENGTH - 2)
            if (target !~ /^(https?|mailto):/)
                print FILENAME, target
            $0 = substr($0, RSTART + RLENGTH)
        } }' ./*.md docs/*.md docs/*/*.md python/*.md |
    while read -r file target; do
        [ -e "${file%/*}/$target" ] || echo "$file: there is no $target"
    done)
if [ -n "$broken" ]; then
    echo "$broken"
    status=1
fi

version=$(sed -n 's/^project(trawl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
header=$(awk '/^#define TRAWL_VERSION_(MAJOR|MINOR|PATCH) / { text = text "." $3 } END { print substr(text, 2) }' \
    include/trawl.h)
package=$(sed -n '1s/.*(\([0-9.]*\).*/\1/p' debian/changelog)
if [ "$header" != "$version" ] || [ "$package" != "$version" ]; then
    echo "CMakeLists.txt has version $version, include/trawl.h $header, debian/changelog $package"
    status=1
fi
soname=$(sed -n 's/.* SOVERSION \([0-9]*\).*/\1/p' CMakeLists.txt)
if { ls debian/libtrawl[0-9]* debian/libtrawl-formats[0-9]*
    grep -rnE 'libtrawl(-formats)?(\.so\.)?[0-9]' README.md docs debian tests tools --exclude=changelog; } |
    grep -vE "libtrawl(-formats)?(\.so\.)?$soname([^0-9]|$)"; then
    echo "the soname's number is $soname there, too: SOVERSION in CMakeLists.txt"
    status=1
fi
exit $status
