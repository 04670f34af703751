// The border to Lua: everything that Lua may leave by longjmp stays in C.
#ifndef MEDIAKIT_LUA_SHIMS_H
#define MEDIAKIT_LUA_SHIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lua_State;

/// Why a script must end; the first reason that is set stays.
enum {
    MK_LUA_RUNNING = 0,
    MK_LUA_TIMED_OUT = 1,
    MK_LUA_INTERRUPTED = 2,
    MK_LUA_QUIT = 3,
    MK_LUA_OUTPUT_FAILED = 4,
};

/// Runs one host function: arguments on the stack, gives the count of results, or -1 with a
/// message on top that is to be raised with the caller's position in front.
typedef int (*mk_lua_body)(struct lua_State *L, void *context);
/// Lets go of the host object behind a handle.
typedef void (*mk_lua_release)(void *object);
/// Takes one whole warning.
typedef void (*mk_lua_warning)(const char *text);

/// Makes an interpreter with a memory limit in bytes (0: none) and a hook that can stop scripts;
/// NULL when there is no memory.
struct lua_State *mk_lua_open(
    size_t limit, mk_lua_body call, mk_lua_release release, mk_lua_warning warning);
/// Ends the interpreter and frees it.
void mk_lua_close(struct lua_State *L);

/// Sets why the script must end. Safe from any thread while the interpreter lives.
void mk_lua_stop(struct lua_State *L, int reason);
/// The reason that was set, or MK_LUA_RUNNING.
int mk_lua_stop_reason(struct lua_State *L);
/// Position, reason and traceback of the place where the script was stopped, or NULL. Valid until
/// the next resume or close.
const char *mk_lua_stop_text(struct lua_State *L);
/// Sets the moment on the monotonic clock, in nanoseconds, at which the script has run too long
/// (0: never). Safe from any thread.
void mk_lua_set_deadline(struct lua_State *L, int64_t deadline);
/// The moment that was set.
int64_t mk_lua_deadline(struct lua_State *L);
/// Forgets the reason and gives the hook its usual rhythm, for the next line of a dialogue.
void mk_lua_resume(struct lua_State *L);

/// Bytes in use now.
size_t mk_lua_memory(struct lua_State *L);
/// Most bytes that were ever in use.
size_t mk_lua_peak_memory(struct lua_State *L);

/// Compiles text (never bytecode) and pushes the function, or a message; gives Lua's status.
int mk_lua_load(struct lua_State *L, const char *text, size_t length, const char *name);
/// Calls like lua_pcall, with the limit in force and a traceback after the message.
int mk_lua_call(struct lua_State *L, int arguments, int results);
/// Pushes a function that runs the host function behind `context`.
void mk_lua_push_function(struct lua_State *L, void *context);

/// Pushes a handle that keeps `object` until it is collected, with the metatable on top of the
/// stack, which it takes away.
void mk_lua_push_object(struct lua_State *L, void *object);
/// The object of a handle at `index` whose metatable is marked with `tag`, or NULL.
void *mk_lua_to_object(struct lua_State *L, int index, const void *tag);
/// Pushes a new metatable for handles: marked with `tag`, closed to scripts, releasing on
/// collection.
void mk_lua_push_metatable(struct lua_State *L, const void *tag, const char *name);

/// Opens everything, or base, coroutine, table, string, math and utf8 without what reaches files,
/// bytecode and finalizers, and the clock of os. `print` hands each line to the function on top of
/// the stack, which it takes away.
void mk_lua_open_libraries(struct lua_State *L, bool everything);

#endif
