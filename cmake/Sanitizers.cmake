# SLHC_SANITIZE applies to everything that is compiled here, so that no object escapes it. A fuzzing service says in CXXFLAGS instead what it wants.
set(slhc_no_fuzzer_counters "")
if(SLHC_SANITIZE)
  add_compile_options(-fsanitize=${SLHC_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SLHC_SANITIZE})
  if(SLHC_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
if("-fsanitize=${SLHC_SANITIZE} ${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize=[^ ]*fuzzer")
  set(slhc_no_fuzzer_counters -fno-sanitize=fuzzer-no-link)
endif()

# slhc_leave_uncounted(<file>...): files of slhdsa_objects in the current folder without the counters that libFuzzer follows. They lead it
# nowhere in hash functions, where they take half of its time: how long a chain is there is chance, and to a fuzzer news each time.
function(slhc_leave_uncounted)
  set_property(SOURCE ${ARGN} TARGET_DIRECTORY slhdsa_objects APPEND PROPERTY COMPILE_OPTIONS ${slhc_no_fuzzer_counters})
endfunction()
