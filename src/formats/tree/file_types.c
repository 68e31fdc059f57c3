/* file_types.c: see file_types.h. Names and globs are those that ripgrep's users know. */
#include "formats/tree/file_types.h"

#include <fnmatch.h>
#include <string.h>

struct file_type {
    const char *name;
    const char *globs; /* with spaces between them */
};

/* clang-format off */
static const file_type types[] = {
    { "agda", "*.agda *.lagda" },
    { "asciidoc", "*.adoc *.asc *.asciidoc" },
    { "asm", "*.S *.asm *.s" },
    { "awk", "*.awk" },
    { "bazel", "*.BUILD *.bazel *.bazelrc *.bzl BUILD WORKSPACE" },
    { "c", "*.[chH] *.[chH].in *.cats" },
    { "clojure", "*.clj *.cljc *.cljs *.cljx" },
    { "cmake", "*.cmake CMakeLists.txt" },
    { "coffeescript", "*.coffee" },
    { "config", "*.cfg *.conf *.config *.ini" },
    { "cpp",
      "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh "
      "*.hh.in *.inl" },
    { "cs", "*.cs" },
    { "csharp", "*.cs" },
    { "css", "*.css *.scss" },
    { "csv", "*.csv" },
    { "cython", "*.pxd *.pxi *.pyx" },
    { "d", "*.d" },
    { "dart", "*.dart" },
    { "diff", "*.diff *.patch" },
    { "docker", "*Dockerfile*" },
    { "elisp", "*.el" },
    { "elixir", "*.eex *.ex *.exs" },
    { "elm", "*.elm" },
    { "erlang", "*.erl *.hrl" },
    { "fish", "*.fish" },
    { "fortran", "*.F *.F77 *.F90 *.F95 *.f *.f77 *.f90 *.f95 *.pfo" },
    { "fsharp", "*.fs *.fsi *.fsx" },
    { "go", "*.go" },
    { "gradle", "*.gradle" },
    { "groovy", "*.gradle *.groovy" },
    { "h", "*.h *.hpp" },
    { "haskell", "*.c2hs *.cpphs *.hs *.hsc *.lhs" },
    { "hs", "*.hs *.lhs" },
    { "html", "*.ejs *.htm *.html" },
    { "java", "*.java *.jsp *.jspx *.properties" },
    { "jinja", "*.j2 *.jinja *.jinja2" },
    { "jl", "*.jl" },
    { "js", "*.js *.jsx *.vue" },
    { "json", "*.json composer.lock" },
    { "jsonl", "*.jsonl" },
    { "julia", "*.jl" },
    { "kotlin", "*.kt *.kts" },
    { "less", "*.less" },
    { "lisp", "*.el *.jl *.lisp *.lsp *.sc *.scm" },
    { "log", "*.log" },
    { "lua", "*.lua" },
    { "m4", "*.ac *.m4" },
    { "make",
      "*.mak *.mk [Gg][Nn][Uu]makefile [Gg][Nn][Uu]makefile.am [Gg][Nn][Uu]makefile.in "
      "[Mm]akefile [Mm]akefile.am [Mm]akefile.in" },
    { "man", "*.[0-9][cEFMmpSx] *.[0-9lnpx]" },
    { "markdown", "*.markdown *.md *.mdown *.mkdn" },
    { "matlab", "*.m" },
    { "md", "*.markdown *.md *.mdown *.mkdn" },
    { "mk", "mkfile" },
    { "ml", "*.ml" },
    { "nim", "*.nim *.nimble *.nimf *.nims" },
    { "nix", "*.nix" },
    { "objc", "*.h *.m" },
    { "objcpp", "*.h *.mm" },
    { "ocaml", "*.ml *.mli *.mll *.mly" },
    { "org", "*.org *.org_archive" },
    { "pascal", "*.dpr *.inc *.lpr *.pas *.pp" },
    { "perl", "*.PL *.perl *.pl *.plh *.plx *.pm *.t" },
    { "php", "*.php *.php3 *.php4 *.php5 *.phtml" },
    { "po", "*.po" },
    { "protobuf", "*.proto" },
    { "ps", "*.cdxml *.ps1 *.ps1xml *.psd1 *.psm1" },
    { "puppet", "*.erb *.pp *.rb" },
    { "py", "*.py" },
    { "qml", "*.qml" },
    { "r", "*.R *.Rmd *.Rnw *.r" },
    { "rdoc", "*.rdoc" },
    { "readme", "*README README*" },
    { "rst", "*.rst" },
    { "ruby", "*.gemspec *.rb *.rbw .irbrc Gemfile Rakefile config.ru" },
    { "rust", "*.rs" },
    { "sass", "*.sass *.scss" },
    { "scala", "*.sbt *.scala" },
    { "sh",
      "*.bash *.bashrc *.csh *.cshrc *.ksh *.kshrc *.sh *.tcsh *.zsh .bash_login "
      ".bash_logout .bash_profile .bashrc .cshrc .kshrc .login .logout .profile "
      ".tcshrc .zlogin .zlogout .zprofile .zshenv .zshrc bash_login bash_logout "
      "bash_profile bashrc profile zlogin zlogout zprofile zshenv zshrc" },
    { "sql", "*.psql *.sql" },
    { "svg", "*.svg" },
    { "swift", "*.swift" },
    { "tcl", "*.tcl" },
    { "tex", "*.bib *.cls *.dtx *.ins *.ltx *.sty *.tex" },
    { "tf", "*.tf" },
    { "toml", "*.toml Cargo.lock" },
    { "ts", "*.ts *.tsx" },
    { "txt", "*.txt" },
    { "vala", "*.vala" },
    { "vb", "*.vb" },
    { "verilog", "*.sv *.svh *.v *.vh" },
    { "vhdl", "*.vhd *.vhdl" },
    { "vim", "*.vim" },
    { "xml", "*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt" },
    { "yaml", "*.yaml *.yml" },
    { "zig", "*.zig" },
    { "zsh",
      "*.zsh .zlogin .zlogout .zprofile .zshenv .zshrc zlogin zlogout zprofile zshenv "
      "zshrc" },
};
/* clang-format on */

enum { TYPES = sizeof types / sizeof types[0], MAX_GLOB = 64 };

const file_type *file_type_find(const char *name)
{
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    return NULL;
}

const char *file_type_name(size_t number)
{
    return number < TYPES ? types[number].name : NULL;
}

const char *file_type_globs(size_t number)
{
    return types[number].globs;
}

static bool has_end(const char *name, const char *end, size_t length)
{
    const size_t whole = strlen(name);
    return whole >= length && memcmp(name + whole - length, end, length) == 0;
}

/* One of the globs, most of which are * and an end. */
static bool matches(const char *glob, size_t length, const char *name)
{
    char copy[MAX_GLOB];
    if (*glob == '*' && strcspn(glob + 1, "*?[ ") + 1 == length)
        return has_end(name, glob + 1, length - 1);
    if (length >= sizeof copy)
        return false;
    memcpy(copy, glob, length);
    copy[length] = '\0';
    return fnmatch(copy, name, 0) == 0;
}

bool file_type_matches(const file_type *type, const char *name)
{
    size_t length;
    for (const char *glob = type->globs; *glob; glob += length + (glob[length] == ' ')) {
        length = strcspn(glob, " ");
        if (matches(glob, length, name))
            return true;
    }
    return false;
}
