# Vector walks (*vector.c in src/engines/) are compiled once for each instruction set that the compiler
# knows for this machine: a wrapper in the build folder includes the source and has the flags.

set(TRAWL_ONLY_ISAS "" CACHE STRING "On x86-64: the instruction sets of walks beside portable ones; empty: all")
set(TRAWL_ISAS portable)
set(TRAWL_ISA_FLAGS_portable "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(TRAWL_ISA_FLAGS_avx2 -mavx2 -mbmi -mbmi2 -mpopcnt)
  set(TRAWL_ISA_FLAGS_avx512 ${TRAWL_ISA_FLAGS_avx2}
    -mavx512f -mavx512bw -mavx512vl -mavx512vbmi -mavx512vbmi2)
  foreach(isa avx2 avx512)
    string(TOUPPER ${isa} upper)
    string(REPLACE ";" " " flags "${TRAWL_ISA_FLAGS_${isa}}")
    check_c_compiler_flag("${flags}" TRAWL_COMPILER_HAS_${upper})
    if(TRAWL_COMPILER_HAS_${upper} AND (NOT TRAWL_ONLY_ISAS OR isa IN_LIST TRAWL_ONLY_ISAS))
      list(APPEND TRAWL_ISAS ${isa})
    endif()
  endforeach()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(TRAWL_ISA_FLAGS_neon "")
  list(APPEND TRAWL_ISAS neon)
endif()

# What a target is told of the sets that its walks are compiled for.
function(trawl_isa_definitions out)
  set(definitions ${TRAWL_ISAS})
  list(TRANSFORM definitions TOUPPER)
  list(TRANSFORM definitions PREPEND TRAWL_HAVE_)
  set(${out} ${definitions} PARENT_SCOPE)
endfunction()
trawl_isa_definitions(TRAWL_ISA_DEFINITIONS)

# A wrapper of a source for each instruction set; their names go to `out`. Source properties belong
# to a folder: call it in that of the target.
function(trawl_for_each_isa source out)
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
  foreach(isa IN LISTS TRAWL_ISAS)
    string(TOUPPER ${isa} upper)
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/vector/${isa}/${name})
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${source}\"\n")
    set_source_files_properties(${wrapper} PROPERTIES
      COMPILE_OPTIONS "${TRAWL_ISA_FLAGS_${isa}}" COMPILE_DEFINITIONS VEC_${upper})
    list(APPEND wrappers ${wrapper})
  endforeach()
  set(${out} ${${out}} ${wrappers} PARENT_SCOPE)
endfunction()

file(GLOB vector_sources CONFIGURE_DEPENDS
  src/engines/*vector.c src/engines/*/*vector.c src/engines/*/*/*vector.c)
set(TRAWL_VECTOR_SOURCES "")
foreach(source IN LISTS vector_sources)
  trawl_for_each_isa(${source} TRAWL_VECTOR_SOURCES)
endforeach()
