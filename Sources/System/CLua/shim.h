// Lua 5.4 as Swift sees it.
#ifndef MEDIAKIT_CLUA_SHIM_H
#define MEDIAKIT_CLUA_SHIM_H

#include <lua5.4/lua.h>
#include <lua5.4/lauxlib.h>
#include <lua5.4/lualib.h>

/// The pseudo-index of the registry; the macro is too deep for Swift's importer.
static const int mk_lua_registry = LUA_REGISTRYINDEX;

#endif
