# shellcheck shell=bash
# The tests under ThreadSanitizer and AddressSanitizer, then every fuzz target for a while.

: "${root:?}" "${scratch:?}" "${lib:?}"

# sanitized_tests NAME FOLDER [PRELOAD]: the whole suite, instrumented, in a build folder of its own.
sanitized_tests() {
    local sanitizer="$1" scratch="$scratch/$2"
    say "sanitize: $sanitizer"
    swift_build --build-tests --sanitize="$sanitizer"
    LD_PRELOAD="${3:-}" swift_test --skip-build --sanitize="$sanitizer"
}

sanitize_thread() {
    export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:suppressions=$lib/tsan.supp"
    local shim="$scratch/tsan_mutex.so"
    mkdir -p "$scratch"
    clang -O2 -Wall -Werror -fPIC -shared -o "$shim" "$lib/tsan_mutex.c"
    sanitized_tests thread tsan "$shim"
}

# Leaks are looked for when a process ends, so they come from the commands the tests start too.
sanitize_address() {
    export ASAN_OPTIONS="detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1"
    export LSAN_OPTIONS="suppressions=$lib/lsan.supp:print_suppressions=0"
    sanitized_tests address asan
}

# Runs each target MK_FUZZ_SECONDS long, two at a time; inputs that found something new are kept
# in the build folder, and a failing input is left there for `mediakit-fuzz TARGET FILE`.
sanitize_fuzz() {
    local seconds="${MK_FUZZ_SECONDS:-60}" folder="$scratch/fuzz" program target failed=0
    local -a targets jobs=()
    program="$folder/release/mediakit-fuzz"
    say "sanitize: fuzzing, ${seconds}s a target"
    MEDIAKIT_FUZZ=1 swift build --package-path "$root" --scratch-path "$folder" -c release \
        --product mediakit-fuzz -Xswiftc -sanitize=fuzzer,address \
        -Xcc -fsanitize=address,fuzzer-no-link
    read -ra targets <<<"$("$program" --list)"
    export ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1"
    export LSAN_OPTIONS="suppressions=$lib/lsan.supp:print_suppressions=0"
    for target in "${targets[@]}"; do
        while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n || true; done
        mkdir -p "$folder/corpus/$target" "$folder/found"
        timeout "$((seconds + 120))" "$program" "$target" \
            -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
            -artifact_prefix="$folder/found/$target-" -print_final_stats=1 -verbosity=0 \
            "$folder/corpus/$target" "$root/Fuzz/seeds/$target" \
            </dev/null >"$folder/$target.log" 2>&1 &
        jobs+=("$!")
    done
    local index
    for index in "${!targets[@]}"; do
        target="${targets[$index]}"
        if wait "${jobs[$index]}"; then
            say "sanitize: fuzz $target: $(awk '/number_of_executed_units/ { print $2 }' \
                "$folder/$target.log") runs, nothing found"
        else
            failed=1
            tail -n 40 "$folder/$target.log" >&2
            say "sanitize: fuzz $target: FAILED, see $folder/found"
        fi
    done
    [ "$failed" -eq 0 ] || die "sanitize: fuzzing found something"
}

sanitize() {
    local lane
    setup test
    require_swift
    [ $# -gt 0 ] || set -- thread address fuzz
    for lane in "$@"; do
        case "$lane" in
            thread | address | fuzz) (set -e; "sanitize_$lane") ;;
            *) die "sanitize: unknown lane '$lane' (thread, address or fuzz)" ;;
        esac
    done
}
