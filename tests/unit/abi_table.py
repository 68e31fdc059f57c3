#!/usr/bin/env python3
"""The binary interface of libtrawl, and of libtrawl-formats, is the one that is written down in its table: the soname, the functions
with their versions and prototypes, sizes and members of structs, values of enums and constants, types of
callbacks. What a compiled program relies on is in there, so a change of the interface is a change of that file,
and stands in the same commit.

Usage: abi_table.py [--write] INCLUDE LIBRARY TABLE CC [FLAG...]

--write makes the table anew. Exits with 77 where sizes are not those of the table's machines.
"""
import os, re, struct, subprocess, sys, tempfile

write = sys.argv[1] == "--write"
include, library, table_name, *compiler = sys.argv[1 + write:]
advice = {
    "breaks": """This breaks programs that were built before. Take it back; or, when it has to be:
  1. raise SOVERSION in CMakeLists.txt, name the new version in cmake/exports.map,
  2. rename libtrawl3 in debian/ by the new number (tests/house.sh says where it is left),
  3. write the table anew, and say in CHANGELOG.md what programs have to change.
As long as no release has what is changed, 3 is enough.""",
    "grows": """This adds to the interface, which programs that were built before do not see.
  1. A function that comes after a release: name it in cmake/exports.map, in a node of its version, and
     that node in debian/libtrawl3.symbols.
  2. Write the table anew, and add a line to CHANGELOG.md.""",
}


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


# ---- what the header declares ------------------------------------------------------------------

if "formats" in os.path.basename(library):
    headers = ["trawl/formats.h"]
else:
    headers = ["trawl.h"] + ["trawl/" + name for name in sorted(os.listdir(os.path.join(include, "trawl")))
                             if name != "formats.h"]
source = ""
for name in headers:
    with open(os.path.join(include, name)) as file:
        source += re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
constants = [(name, value) for name, value in re.findall(r"^#define (TRAWL_\w+) +(.+)", source, re.M)
             if not re.search(r"VERSION|API$|_INIT$", name)]
source = re.sub(r"^#(\\\n|.)*", "", source, flags=re.M)


def take(pattern):
    """All that the header declares so; what is left of it comes to `source`."""
    global source
    found = re.findall(pattern, source, re.M)
    source = re.sub(pattern, "", source, flags=re.M)
    return found


prototypes = {re.search(r"(\w+)\(", p).group(1): one_line(p) for p in take(r"^TRAWL_API ([^;]+);")}
callbacks = [one_line(c) for c in take(r"^typedef ([^;{}]+\(\*\w+\)[^;]+);")]
enums = take(r"^(?:typedef )?enum(?: \w+)? \{([^}]*)\}[^;]*;")
structs = take(r"^typedef struct (\w+) \{([^}]*)\} \w+;")
take(r"^typedef struct (\w+) \1;|^extern \"C\" \{|^\}")
if source.strip():
    sys.exit("abi_table.py cannot read this in the headers: " + source.strip())


def members_of(body):
    """(name, declaration) of each; `a, b` are two."""
    for declaration in filter(None, map(one_line, body.split(";"))):
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        if pointer:
            yield pointer.group(1), declaration
            continue
        head, *others = declaration.split(",")
        for name in [head] + others:
            yield re.search(r"(\w+)(\[\w+\])?$", name).group(1), declaration


# ---- what the compiler makes of it -------------------------------------------------------------

def measured():
    """The table's lines of structs and enums, printed by a C program."""
    lines = []
    for body in enums:
        for name in re.findall(r"(\w+)(?: *=[^,]*)?(?:,|$)", one_line(body)):
            lines.append('printf("value %s %%d\\n", (int)%s);' % (name, name))
    for name, body in structs:
        lines.append('printf("struct %s %%zu bytes\\n", sizeof(%s));' % (name, name))
        for member, declaration in members_of(body):
            lines.append('printf("member %s.%s at %%zu, %%zu bytes: %s\\n", offsetof(%s, %s), sizeof((%s){ 0 }.%s));'
                         % (name, member, declaration, name, member, name, member))
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "measure")
        with open(path + ".c", "w") as file:
            file.write("#include <stdio.h>\n%sint main(void)\n{\n%s\nreturn 0;\n}\n"
                       % ("".join("#include <%s>\n" % name for name in headers), "\n".join(lines)))
        subprocess.run(compiler + ["-std=c11", "-w", "-I", include, path + ".c", "-o", path], check=True)
        return subprocess.run([path], check=True, capture_output=True, text=True).stdout.splitlines()


def dynamic(*options):
    return subprocess.run(["readelf", "-W", *options, library], check=True, capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL="C")).stdout


def exported():
    """(name, version) of what the library shows."""
    for line in dynamic("--dyn-syms").splitlines():
        field = line.split()
        if len(field) >= 8 and field[3] in ("FUNC", "OBJECT") and field[4] == "GLOBAL" and field[6].isdigit():
            name, *version = re.split("@+", field[7])
            if name.startswith("trawl_"):
                yield name, version[0] if version else "no version"


def table():
    yield "soname " + re.search(r"SONAME.*\[(.*)\]", dynamic("-d")).group(1)
    for name, version in sorted(exported()):
        yield "function %s %s: %s" % (version, name, prototypes.get(name, "not in the header"))
    for callback in callbacks:
        yield "callback " + callback
    for name, value in constants:
        yield "constant %s %s" % (name, value)
    yield from measured()


# ---- beside what is written down ---------------------------------------------------------------

def sizes(lines):
    return {field[1]: int(field[2]) for field in map(str.split, lines) if field[0] == "struct"}


def breaks(gone, come, old, new):
    """Lines that went and came: all may come, but a member only after its struct's end; none may go, but
    the size of a struct that carries it and grew."""
    before, after = sizes(old), sizes(new)
    for kind, name, *_ in map(str.split, gone):
        sized = any(line.startswith("member %s.size at 0," % name) for line in new)
        if kind != "struct" or not sized or after.get(name, 0) <= before[name]:
            return True
    for kind, name, *rest in map(str.split, come):
        if kind == "member" and int(rest[1].rstrip(",")) < before.get(name.split(".")[0], 0):
            return True
    return False


if struct.calcsize("P") != 8:
    skip("the table is of machines with 64 bits")
try:
    new = list(table())
except FileNotFoundError as missing:
    skip("there is no %s (package binutils)" % missing.filename)
if all(version == "no version" for _, version in exported()):
    skip("the library is built without versions, as with a sanitizer")
if write:
    with open(table_name, "w") as file:
        file.write("\n".join(new) + "\n")
    sys.exit()
with open(table_name) as file:
    old = file.read().splitlines()
missing = prototypes.keys() - {name for name, _ in exported()}
gone = [line for line in old if line not in new]
come = [line for line in new if line not in old]
for name in sorted(missing):
    print("in a header, but not in the library: " + name)
for line in gone:
    print("- " + line)
for line in come:
    print("+ " + line)
if gone or come:
    print("\n" + advice["breaks" if breaks(gone, come, old, new) else "grows"])
    print("To write it anew: python3 tests/unit/abi_table.py --write "
          + " ".join(map(os.path.relpath, [include, library, table_name])) + " cc")
sys.exit(bool(missing or gone or come))
