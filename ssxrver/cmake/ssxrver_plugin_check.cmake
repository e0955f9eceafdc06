# Run when a plugin has been linked, with NM and FILE: what its symbols tell.
execute_process(COMMAND "${NM}" -D "${FILE}" OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${NM} cannot read ${FILE}")
endif()
if(NOT symbols MATCHES " T ssxrver_plugin_query\n")
  file(REMOVE "${FILE}")
  message(FATAL_ERROR "${FILE} does not define ssxrver_plugin_query: SSX_PLUGIN(...) is missing")
endif()
if(symbols MATCHES " U __cxa_thread_atexit")
  message("warning: ${FILE} has a thread_local with a destructor: it stays in memory when it is "
          "unloaded, for as long as a thread lives that has used it")
endif()
if(symbols MATCHES " u [^\n]*")
  message("warning: ${FILE} has a unique symbol (${CMAKE_MATCH_0}): it stays in memory when it is "
          "unloaded")
endif()
