# A manual page from what --help prints:
#
#     trawl grep --help | awk -v name='trawl grep' -v about='print ...' -v version=0.2.0 \
#         -v commands='grep find ...' -f manpage.awk
#
# Lines that begin in the first column are text, or with a colon at their end a section; an option
# stands after two to six spaces, what it does after two more, and goes on farther to the right.

function quote(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}

# A line of text, in which nothing is a request.
function say(text) {
    text = quote(text)
    print (text ~ /^[.']/ ? "\\&" : "") text
}

function section(title) {
    print ".SH " toupper(title)
    inside = title
    item = 0
}

BEGIN {
    page = name
    gsub(/ /, "-", page)
    print ".TH " toupper(quote(page)) " 1 \"\" \"trawl " version "\" \"User Commands\""
    print ".SH NAME"
    say(page " - " about)
}

/^Usage: / {
    section("Synopsis")
    print ".nf"
    sub(/^Usage: /, "")
    say($0)
    next
}
inside == "Synopsis" && /^ / {
    sub(/^ +/, "")
    say($0)
    next
}
inside == "Synopsis" {
    print ".fi"
    section("Description")
}

/^Exit status: / {
    section("Exit status")
    sub(/^Exit status: /, "")
}
/^[A-Z][A-Za-z ]*:$/ {
    title = $0
    sub(/:$/, "", title)
    section(title)
    if (title == "Examples" || title == "Pattern language")
        print ".nf"
    next
}
inside == "Examples" {
    sub(/^  /, "")
    say($0)
    next
}
inside == "Pattern language" && !/^$/ { # a line stays a line
    say($0)
    next
}
inside == "Pattern language" {
    print ".fi"
    inside = ""
    next
}
/^$/ {
    blank = 1
    next
}

# An option, or one of the commands.
/^  ? ? ? ? ?-/ || (inside == "Commands" && /^  [a-z]/) {
    if (inside == "Description")
        section("Options")
    sub(/^ +/, "")
    at = match($0, /  +/)
    print ".TP"
    print "\\fB" quote(at ? substr($0, 1, at - 1) : $0) "\\fR"
    if (at)
        say(substr($0, at + RLENGTH))
    item = 1
    blank = 0
    next
}

# Text, of an option or of its own.
{
    if (blank || (item && /^[^ ]/))
        print (item && /^ / ? ".IP" : ".PP")
    if (/^[^ ]/)
        item = 0
    blank = 0
    sub(/^ +/, "")
    say($0)
}

END {
    if (inside == "Examples")
        print ".fi"
    section("See also")
    count = split("trawl " commands, command, " ")
    for (i = 1; i <= count; i++) {
        other = i == 1 ? "trawl" : "trawl-" command[i]
        if (other != page)
            also = also (also ? ", " : "") other "(1)"
    }
    say(also)
}
