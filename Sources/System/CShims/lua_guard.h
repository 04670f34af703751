// What the C files of the Lua border share: the state that every interpreter carries.
#ifndef MEDIAKIT_LUA_GUARD_H
#define MEDIAKIT_LUA_GUARD_H

#include "lua_shims.h"

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>

#include <stdatomic.h>

typedef struct {
    atomic_int stop;
    _Atomic int64_t deadline;
    size_t limit, used, peak;
    // Above zero while host code runs: allocation then never fails, so pushing never raises.
    int host_depth;
    mk_lua_body call;
    mk_lua_release release;
    mk_lua_warning warning;
    char warning_text[512];
    size_t warning_length;
    // Where the script was when it was stopped: position, reason and traceback.
    char *stop_text;
} mk_lua_guard;

/// The state of the interpreter that `L` belongs to.
mk_lua_guard *mk_lua_guard_of(lua_State *L);

/// Raises that the script was stopped; never returns.
int mk_lua_raise_stop(lua_State *L, mk_lua_guard *g, int reason);

#endif
