# shellcheck shell=bash
# Every check that needs no test run; prints each finding as file:line: what is wrong.

: "${root:?}"

findings=0

# Runs a command in the repository; a check's own exit status is not the point, its output is.
in_root() {
    (cd "$root" && LC_ALL=C.UTF-8 "$@" 2>&1) || true
}

# Reads findings on standard input and counts them under one heading.
report() {
    local title="$1" lines
    lines="$(cat)"
    [ -n "$lines" ] || return 0
    findings=$((findings + $(wc -l <<<"$lines")))
    printf '%s\n' "$title:"
    while IFS= read -r line; do printf '    %s\n' "$line"; done <<<"$lines"
}

# grep over the tracked files that match the pathspecs in "$2…"; the pattern is Perl's.
grep_sources() {
    local pattern="$1"
    shift
    sources_of "$@" | in_root xargs -0r grep -nHIP -- "$pattern"
}

# The same over Swift code without its line comments.
grep_swift_code() {
    local pattern="$1"
    shift
    # shellcheck disable=SC2016  # awk's own variables
    sources_of "$@" | in_root xargs -0r awk '
        { line = $0; sub(/\/\/.*$/, "", line); print FILENAME ":" FNR ":" line }' |
        in_root grep -P -- "^[^:]+:[0-9]+:.*(?:$pattern)"
}

text_files=(':!Tests/Golden' ':!Fuzz/seeds' ':!vvc/samples' ':!*.266' ':!LICENSE')

lint_text() {
    grep_sources '\t' '*.swift' '*.lua' '*.md' '*.sh' '*.py' '*.c' '*.h' 'scripts/mk' '.ci/run' |
        report "tab"
    grep_sources '[ \t]+$' "${text_files[@]}" | report "trailing blank"
    grep_sources '[\x{00AD}\x{200B}-\x{200F}\x{202A}-\x{202E}\x{2060}-\x{2064}\x{FEFF}]' \
        "${text_files[@]}" | report "invisible character"
    sources_of "${text_files[@]}" | in_root xargs -0r grep -lIZ . | while IFS= read -r -d '' file; do
        [ -z "$(tail -c 1 "$root/$file" | tr -d '\n\0')" ] || echo "$file"
    done | report "no final newline"
    sources_of '*.swift' '*.c' '*.lua' ':!*.gen.*' |
        in_root xargs -0r awk 'FNR == 401 { print FILENAME }' | report "longer than 400 lines"
    sources_of 'Sources/*.swift' 'Tests/*.swift' 'Fuzz/*.swift' |
        in_root xargs -0r awk 'FNR == 1 && !/^\/\/ ./ { print FILENAME ":1" }' |
        report "the first line does not say what the file is for"
}

lint_words() {
    grep_swift_code '\b(lua_error|luaL_check\w*|luaL_error)\b' '*.swift' |
        report "raises through Swift frames (raise in C instead)"
    grep_swift_code '\btry!|\bas!|\bDispatch(Queue|Group|Semaphore)\b' '*.swift' |
        report "banned in Swift"
    grep_swift_code '\bimport +(struct +)?(Foundation|Dispatch)\b' 'Sources/*.swift' |
        report "slows start-up"
    grep_swift_code '\bTask *\{|\bTask\.detached' 'Sources/*.swift' \
        ':!Sources/Toolkit/Playback' | report "a Task below the player"
    grep_sources 'TOD[O]|FIXM[E]' ':!LICENSE' | report "unfinished"
    grep_sources '(?<![\w.}$])/(wor[k]|roo[t]|hom[e]/\w+|tmp/bas[h]\w*)/' | report "path of one machine"
}

# Which module may import which C module, and how: everything else is a finding. What Swift
# modules may import is checked by the compiler (scripts/mk build).
lint_layers() {
    local rule folder modules
    local rules=(
        "Sources/Toolkit/Core: CShims CJansson"
        "Sources/Toolkit/Model: CFFmpeg"
        "Sources/Toolkit/LibAV: CFFmpeg"
        "Sources/Toolkit/IO: CShims"
        "Sources/Toolkit/Licence: COpenSSL"
        "Sources/Toolkit/Loudness: CEBUR128 CDSP"
        "Sources/Filters: CDSP"
        "Sources/Toolkit/LuaRuntime: CLua CShims"
        "Sources/Plugins: CShims"
    )
    {
        grep_swift_code '\bimport +C[A-Z]\w+' 'Sources/*.swift' | while IFS= read -r line; do
            for rule in "${rules[@]}"; do
                folder="${rule%%:*}"
                modules="${rule#*: }"
                if [[ "$line" == "$folder"/* ]] &&
                    grep -qP "\bimport +(${modules// /|})\b" <<<"$line"; then
                    continue 2
                fi
            done
            echo "$line"
        done
        grep_swift_code '\bpublic +import +C[A-Z]\w+' '*.swift'
        grep_swift_code '\bpackage +import +C[A-Z]\w+' 'Sources/*.swift' \
            ':!Sources/Toolkit/Model'
    } | report "C module outside its layer"
}

lint_swift_format() {
    sources_of '*.swift' | in_root xargs -0r swift format lint --strict |
        report "swift format (scripts/mk format mends most)"
}

lint_scripts() {
    in_root shellcheck -x -f gcc scripts/mk scripts/lib/*.sh .ci/run | report "shellcheck"
    sources_of '*.lua' | in_root xargs -0r -n1 luac5.4 -p -- | report "luac"
    sources_of '*.lua' ':!*.gen.lua' |
        in_root xargs -0r luacheck --codes --formatter plain --quiet -- | report "luacheck"
    if [ -e "$root/scripts/meta/mediakit.gen.lua" ]; then
        sources_of 'scripts/examples/*.lua' |
            in_root xargs -0r lua5.4 scripts/lib/methods.lua scripts/meta/mediakit.gen.lua |
            report "method that the stub does not have"
    fi
    sources_of '*.py' | in_root xargs -0r python3 -c '
import ast, sys
for path in sys.argv[1:]:
    try:
        ast.parse(open(path, encoding="utf-8").read(), path)
    except SyntaxError as error:
        print(f"{path}:{error.lineno}: {error.msg}")
' | report "python"
}

# Subjects of the commits that are not upstream yet; of the last fifty where there is no upstream.
# shellcheck disable=SC2016  # awk's own variables
lint_commits() {
    local range=(-n 50 HEAD)
    if git -C "$root" rev-parse -q --verify 'origin/main' >/dev/null; then
        range=(origin/main..HEAD)
    fi
    git -C "$root" log --no-merges --format='%h %s' "${range[@]}" |
        awk '
        {
            hash = $1; subject = substr($0, length(hash) + 2); rest = subject
            sub(/^[^:]*: /, "", rest)
            first = rest; sub(/[ ,;:].*$/, "", first)
            if (subject !~ /^[A-Za-z][A-Za-z0-9.+\/, -]*: [^ ]/) print hash " no area: " subject
            else if (length(subject) > 72) print hash " above 72 characters: " subject
            else if (subject ~ /\.$/) print hash " full stop: " subject
            else if (first ~ /^[A-Z][a-z]+$/ && first !~ /^(Lua|Debian|Swift)$/)
                print hash " capital letter after the area: " subject
        }' | report "commit subject (area: what changes)"
}

# Each fragment is one line that begins with the kind of change.
lint_changes() {
    local file
    for file in "$root"/changes/*.md; do
        [ -e "$file" ] || continue
        if [[ ! "$(basename "$file")" =~ ^[0-9]{3}-[a-z0-9-]+\.md$ ]]; then
            echo "${file#"$root"/}: name (NNN-slug.md)"
        elif [ "$(wc -l <"$file")" -ne 1 ] ||
            ! grep -qE '^(add|change|fix|remove|deprecate) ' "$file"; then
            echo "${file#"$root"/}: one line beginning add, change, fix, remove or deprecate"
        fi
    done | report "change fragment"
}

# Links between the documents lead somewhere; `docs --check` looks after the printed ones.
lint_links() {
    local file target
    sources_of '*.md' | while IFS= read -r -d '' file; do
        grep -oP '\]\(\K[^)# ]+' "$root/$file" | grep -vE '://|\.gen\.' | while IFS= read -r target; do
            [ -e "$root/$(dirname "$file")/$target" ] || echo "$file: no $target"
        done
    done | report "link"
}

# docs/features.md: each row once, with a known status; what works names its proof, and every test
# named as `Folder/File.function` exists.
# shellcheck disable=SC2016  # the backticks are the document's, the dollars awk's
lint_features() {
    local name
    {
        in_root awk -F ' *\\| *' '
            $2 ~ /^[A-D][0-9.]+$/ {
                if (seen[$2]++) print FILENAME ":" FNR ": " $2 " stands here twice"
                if ($4 !~ /^(works|partly|not yet)/) print FILENAME ":" FNR ": status of " $2
                if ($4 ~ /^(works|partly)/ && $5 !~ /`/) print FILENAME ":" FNR ": " $2 " proves nothing"
                rows++
            }
            END { if (rows != 177) print FILENAME ": " rows " rows, not 177" }
        ' docs/features.md
        grep -oP '`\K[A-Za-z]+Tests/\w+\.\w+(?=`)' "$root/docs/features.md" | sort -u |
            while IFS= read -r name; do
                grep -qE "func +${name##*.} *[(<]" "$root/Tests/${name%.*}.swift" 2>/dev/null ||
                    echo "docs/features.md: no test $name"
            done
    } | report "features"
}

lint() {
    setup test
    require_swift
    shopt -s lastpipe     # report counts in this shell, not in the pipe's
    set +e +o pipefail    # a check that finds nothing is no failure
    lint_text
    lint_words
    lint_layers
    lint_swift_format
    lint_scripts
    lint_commits
    lint_changes
    lint_features
    lint_links
    [ "$findings" -eq 0 ] || die "lint: $findings findings"
    build debug || die "lint: the build failed"
    say "lint: clean"
}
