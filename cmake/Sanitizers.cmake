# SLHC_SANITIZE applies to everything that is compiled here, so that no object escapes it.
if(SLHC_SANITIZE)
  add_compile_options(-fsanitize=${SLHC_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SLHC_SANITIZE})
  if(SLHC_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
