// Lua's libraries, without what reaches outside or can't be stopped.
#include "lua_guard.h"

// One line to the host's function, which is the upvalue.
static int print_line(lua_State *L) {
    int count = lua_gettop(L);
    luaL_Buffer line;
    luaL_buffinit(L, &line);
    for (int i = 1; i <= count; i++) {
        if (i > 1) luaL_addchar(&line, '\t');
        luaL_tolstring(L, i, NULL);
        luaL_addvalue(&line);
    }
    luaL_addchar(&line, '\n');
    luaL_pushresult(&line);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, -2);
    lua_call(L, 1, 0);
    return 0;
}

// load, for text only.
static int load_text(lua_State *L) {
    if (lua_gettop(L) < 3) lua_settop(L, 3);
    lua_pushliteral(L, "t");
    lua_replace(L, 3);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

// setmetatable without __gc: the hook can't stop finalizers.
static int set_metatable(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    int type = lua_type(L, 2);
    luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return luaL_error(L, "cannot change a protected metatable");
    lua_settop(L, 2);
    if (type == LUA_TTABLE) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "scripts can't have __gc; use a <close> variable");
        lua_settop(L, 2);
    }
    lua_setmetatable(L, 1);
    return 1;
}

static int resume_wrapped(lua_State *L) {
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int count = lua_gettop(L), results = 0;
    if (!lua_checkstack(co, count)) return luaL_error(L, "too many arguments to resume");
    lua_xmove(L, co, count);
    int status = lua_resume(co, L, count, &results);
    if (status == LUA_OK || status == LUA_YIELD) {
        if (!lua_checkstack(L, results + 1)) {
            lua_pop(co, results);
            return luaL_error(L, "too many results to resume");
        }
        lua_xmove(co, L, results);
        return results;
    }
    mk_lua_guard *g = mk_lua_guard_of(L);
    int reason = atomic_load(&g->stop);
    if (reason != MK_LUA_RUNNING) return mk_lua_raise_stop(L, g, reason);
    if (lua_status(co) != LUA_OK) lua_resetthread(co);
    lua_xmove(co, L, 1);
    if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

// coroutine.wrap, whose failing does not run __close code of a coroutine that the hook has stopped:
// hooks stay off in it.
static int wrap_coroutine(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_pushcclosure(L, resume_wrapped, 1);
    return 1;
}

// coroutine.close, for the same reason.
static int close_coroutine(lua_State *L) {
    mk_lua_guard *g = mk_lua_guard_of(L);
    int reason = atomic_load(&g->stop);
    if (reason != MK_LUA_RUNNING) return mk_lua_raise_stop(L, g, reason);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

// collectgarbage, without what would switch the collector off.
static int collect_garbage(lua_State *L) {
    static const char *const options[] = {"collect", "count", "step", NULL};
    switch (luaL_checkoption(L, 1, "collect", options)) {
    case 1: {
        lua_pushnumber(L, lua_gc(L, LUA_GCCOUNT) + lua_gc(L, LUA_GCCOUNTB) / 1024.0);
        return 1;
    }
    case 2: lua_pushboolean(L, lua_gc(L, LUA_GCSTEP, 0)); return 1;
    default: lua_pushinteger(L, lua_gc(L, LUA_GCCOLLECT)); return 1;
    }
}

static void remove_field(lua_State *L, const char *table, const char *field) {
    lua_getglobal(L, table);
    lua_pushnil(L);
    lua_setfield(L, -2, field);
    lua_pop(L, 1);
}

static void keep_clock(lua_State *L) {
    static const char *const kept[] = {"clock", "date", "difftime", "time"};
    lua_getglobal(L, LUA_OSLIBNAME);
    lua_createtable(L, 0, 4);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        lua_getfield(L, -2, kept[i]);
        lua_setfield(L, -2, kept[i]);
    }
    lua_setglobal(L, LUA_OSLIBNAME);
    lua_pop(L, 1);
}

static void contain(lua_State *L) {
    static const luaL_Reg libraries[] = {
        {LUA_GNAME, luaopen_base},       {LUA_COLIBNAME, luaopen_coroutine},
        {LUA_TABLIBNAME, luaopen_table}, {LUA_STRLIBNAME, luaopen_string},
        {LUA_MATHLIBNAME, luaopen_math}, {LUA_UTF8LIBNAME, luaopen_utf8},
        {LUA_OSLIBNAME, luaopen_os},
    };
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        luaL_requiref(L, libraries[i].name, libraries[i].func, 1);
        lua_pop(L, 1);
    }
    keep_clock(L);
    remove_field(L, LUA_STRLIBNAME, "dump");
    remove_field(L, LUA_GNAME, "dofile");
    remove_field(L, LUA_GNAME, "loadfile");
    lua_getglobal(L, "load");
    lua_pushcclosure(L, load_text, 1);
    lua_setglobal(L, "load");
    lua_getglobal(L, LUA_COLIBNAME);
    lua_pushcfunction(L, wrap_coroutine);
    lua_setfield(L, -2, "wrap");
    lua_getfield(L, -1, "close");
    lua_pushcclosure(L, close_coroutine, 1);
    lua_setfield(L, -2, "close");
    lua_pop(L, 1);
    lua_pushcfunction(L, set_metatable);
    lua_setglobal(L, "setmetatable");
    lua_pushcfunction(L, collect_garbage);
    lua_setglobal(L, "collectgarbage");
}

void mk_lua_open_libraries(lua_State *L, bool everything) {
    lua_pushcclosure(L, print_line, 1);
    if (everything) luaL_openlibs(L);
    else contain(L);
    lua_setglobal(L, "print");
}
