# SLHC_SANITIZE applies to everything that is compiled here, so that no object escapes it. slhc_no_coverage leaves out the counters that
# libFuzzer follows, where they lead it nowhere: in hash functions, where they take half of a fuzzer's time, and in the test programs.
set(slhc_no_coverage "")
if(SLHC_SANITIZE)
  add_compile_options(-fsanitize=${SLHC_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SLHC_SANITIZE})
  if(SLHC_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
  if(SLHC_SANITIZE MATCHES "fuzzer")
    set(slhc_no_coverage -fno-sanitize=fuzzer-no-link)
  endif()
endif()
