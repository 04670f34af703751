// The border to Lua: allocator, stop hook, trampoline, handles.
#include "lua_guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Instructions between two looks at the clock: about 10 µs of work.
#define STEP 1000

mk_lua_guard *mk_lua_guard_of(lua_State *L) {
    void *g;
    lua_getallocf(L, &g);
    return g;
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *allocate(void *context, void *block, size_t old_size, size_t new_size) {
    mk_lua_guard *g = context;
    // For a new block Lua passes the kind of object as the old size.
    size_t held = block ? old_size : 0;
    if (new_size == 0) {
        free(block);
        g->used -= held;
        return NULL;
    }
    if (new_size > held && g->limit > 0 && g->host_depth == 0
        && (new_size > g->limit || g->used - held > g->limit - new_size))
        return NULL;
    void *result = realloc(block, new_size);
    if (!result) {
        if (new_size <= held) return block;
        if (g->host_depth == 0) return NULL;
        fputs("mediakit: out of memory\n", stderr);
        abort();
    }
    g->used = g->used - held + new_size;
    if (g->used > g->peak) g->peak = g->used;
    return result;
}

static const char *reason_text(int reason) {
    switch (reason) {
    case MK_LUA_TIMED_OUT: return "the script ran too long without a pause";
    case MK_LUA_INTERRUPTED: return "interrupted";
    case MK_LUA_QUIT: return "the script has quit";
    case MK_LUA_OUTPUT_FAILED: return "standard output can't be written";
    default: return "stopped";
    }
}

static void stop_hook(lua_State *L, lua_Debug *ar);

// From now on each instruction raises, so that no pcall can carry on after the stop.
static void stop_at_once(lua_State *L) { lua_sethook(L, stop_hook, LUA_MASKCOUNT, 1); }

// Raises what no message handler of the script sees: Lua would run the handler inside the hook,
// where no hook can stop it. A memory error is the one that goes past handlers.
int mk_lua_raise_stop(lua_State *L, mk_lua_guard *g, int reason) {
    stop_at_once(L);
    g->host_depth++;
    if (!g->stop_text && lua_checkstack(L, 8)) {
        luaL_where(L, 0);
        lua_pushstring(L, reason_text(reason));
        lua_concat(L, 2);
        luaL_traceback(L, L, lua_tostring(L, -1), 0);
        g->stop_text = strdup(lua_tostring(L, -1));
        lua_pop(L, 2);
    }
    lua_pushliteral(L, "not enough memory");
    g->host_depth--;
    return lua_error(L);
}

static void stop_hook(lua_State *L, lua_Debug *ar) {
    (void)ar;
    mk_lua_guard *g = mk_lua_guard_of(L);
    int64_t deadline = atomic_load_explicit(&g->deadline, memory_order_relaxed);
    if (deadline > 0 && now() >= deadline) mk_lua_stop(L, MK_LUA_TIMED_OUT);
    int reason = atomic_load(&g->stop);
    if (reason == MK_LUA_RUNNING) return;
    mk_lua_raise_stop(L, g, reason);
}

static void warn(void *context, const char *text, int continued) {
    mk_lua_guard *g = context;
    size_t room = sizeof g->warning_text - 1 - g->warning_length;
    size_t length = strlen(text);
    if (length > room) length = room;
    memcpy(g->warning_text + g->warning_length, text, length);
    g->warning_length += length;
    if (continued) return;
    g->warning_text[g->warning_length] = '\0';
    g->warning_length = 0;
    if (g->warning_text[0] != '@' && g->warning) g->warning(g->warning_text);
}

static int panic(lua_State *L) {
    const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "an error object";
    fprintf(stderr, "mediakit: Lua raised outside of a protected call: %s\n", text);
    return 0;
}

lua_State *mk_lua_open(
    size_t limit, mk_lua_body call, mk_lua_release release, mk_lua_warning warning) {
    mk_lua_guard *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->limit = limit;
    g->host_depth = 1;
    g->call = call;
    g->release = release;
    g->warning = warning;
    lua_State *L = lua_newstate(allocate, g);
    if (!L) {
        free(g);
        return NULL;
    }
    lua_atpanic(L, panic);
    lua_setwarnf(L, warn, g);
    lua_sethook(L, stop_hook, LUA_MASKCOUNT, STEP);
    return L;
}

void mk_lua_close(lua_State *L) {
    mk_lua_guard *g = mk_lua_guard_of(L);
    lua_close(L);
    free(g->stop_text);
    free(g);
}

void mk_lua_stop(lua_State *L, int reason) {
    int running = MK_LUA_RUNNING;
    atomic_compare_exchange_strong(&mk_lua_guard_of(L)->stop, &running, reason);
}

int mk_lua_stop_reason(lua_State *L) { return atomic_load(&mk_lua_guard_of(L)->stop); }

void mk_lua_set_deadline(lua_State *L, int64_t deadline) {
    atomic_store(&mk_lua_guard_of(L)->deadline, deadline);
}

int64_t mk_lua_deadline(lua_State *L) { return atomic_load(&mk_lua_guard_of(L)->deadline); }

void mk_lua_resume(lua_State *L) {
    mk_lua_guard *g = mk_lua_guard_of(L);
    atomic_store(&g->stop, MK_LUA_RUNNING);
    free(g->stop_text);
    g->stop_text = NULL;
    lua_sethook(L, stop_hook, LUA_MASKCOUNT, STEP);
}

const char *mk_lua_stop_text(lua_State *L) { return mk_lua_guard_of(L)->stop_text; }

size_t mk_lua_memory(lua_State *L) { return mk_lua_guard_of(L)->used; }

size_t mk_lua_peak_memory(lua_State *L) { return mk_lua_guard_of(L)->peak; }

int mk_lua_load(lua_State *L, const char *text, size_t length, const char *name) {
    mk_lua_guard *g = mk_lua_guard_of(L);
    int depth = g->host_depth;
    g->host_depth = 0;
    int status = luaL_loadbufferx(L, text, length, name, "t");
    g->host_depth = depth;
    return status;
}

static int add_traceback(lua_State *L) {
    const char *message = NULL;
    if (lua_type(L, 1) == LUA_TSTRING || luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL) {
        lua_settop(L, 1);
        message = luaL_tolstring(L, 1, NULL);
    } else {
        message = lua_pushfstring(L, "(the error is a %s value)", luaL_typename(L, 1));
    }
    luaL_traceback(L, L, message, 1);
    return 1;
}

int mk_lua_call(lua_State *L, int arguments, int results) {
    mk_lua_guard *g = mk_lua_guard_of(L);
    int handler = lua_gettop(L) - arguments;
    lua_pushcfunction(L, add_traceback);
    lua_insert(L, handler);
    int depth = g->host_depth;
    g->host_depth = 0;
    int status = lua_pcall(L, arguments, results, handler);
    g->host_depth = depth;
    lua_remove(L, handler);
    return status;
}

static int trampoline(lua_State *L) {
    mk_lua_guard *g = mk_lua_guard_of(L);
    void *context = lua_touserdata(L, lua_upvalueindex(1));
    luaL_checkstack(L, 2 * LUA_MINSTACK, NULL);
    // A coroutine that was stopped has given its caller some instructions more: none of the host's.
    int reason = atomic_load(&g->stop);
    if (reason != MK_LUA_RUNNING) return mk_lua_raise_stop(L, g, reason);
    g->host_depth++;
    int count = g->call(L, context);
    g->host_depth--;
    // Every frame of the host is gone here: raising is safe.
    if (atomic_load(&g->stop) != MK_LUA_RUNNING) stop_at_once(L);
    if (count >= 0) return count;
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
    return lua_error(L);
}

void mk_lua_push_function(lua_State *L, void *context) {
    lua_pushlightuserdata(L, context);
    lua_pushcclosure(L, trampoline, 1);
}

static int release_object(lua_State *L) {
    void **object = lua_touserdata(L, 1);
    if (!object || !*object) return 0;
    mk_lua_guard *g = mk_lua_guard_of(L);
    void *held = *object;
    *object = NULL;
    g->host_depth++;
    g->release(held);
    g->host_depth--;
    return 0;
}

void mk_lua_push_object(lua_State *L, void *object) {
    void **slot = lua_newuserdatauv(L, sizeof *slot, 0);
    *slot = object;
    lua_insert(L, -2);
    lua_setmetatable(L, -2);
}

void *mk_lua_to_object(lua_State *L, int index, const void *tag) {
    if (lua_type(L, index) != LUA_TUSERDATA || !lua_checkstack(L, 3)) return NULL;
    void **slot = lua_touserdata(L, index);
    if (!lua_getmetatable(L, index)) return NULL;
    lua_rawgetp(L, -1, tag);
    bool marked = lua_toboolean(L, -1);
    lua_pop(L, 2);
    return marked ? *slot : NULL;
}

void mk_lua_push_metatable(lua_State *L, const void *tag, const char *name) {
    lua_createtable(L, 0, 8);
    lua_pushboolean(L, 1);
    lua_rawsetp(L, -2, tag);
    lua_pushcfunction(L, release_object);
    lua_setfield(L, -2, "__gc");
    lua_pushstring(L, name);
    lua_setfield(L, -2, "__name");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
}
