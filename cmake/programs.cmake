# The devices' programs: each unit of src/kernel as OpenCL C source and, where nvcc is found, as a
# CUDA image of machine code for several architectures and PTX for later ones. tools/embed.c
# writes all of them into one C file. Sets TRAWL_PROGRAMS.

set(TRAWL_UNITS bm wm ac pfac shiftand hnfa bb byr)
set(TRAWL_CUDA_ARCHS 75 80 86 89 90 CACHE STRING "CUDA architectures; PTX is made of the last")

file(GLOB unit_headers CONFIGURE_DEPENDS src/table/*.h src/kernel/*.h)
add_executable(trawl_embed tools/embed.c)
set(images "-")
set(image_files "")

if(TRAWL_HAVE_CUDA)
  set(images ${PROJECT_BINARY_DIR}/images)
  file(MAKE_DIRECTORY ${images})
  set(code_flags "")
  foreach(arch IN LISTS TRAWL_CUDA_ARCHS)
    list(APPEND code_flags -gencode arch=compute_${arch},code=sm_${arch})
  endforeach()
  list(GET TRAWL_CUDA_ARCHS -1 last)
  list(APPEND code_flags -gencode arch=compute_${last},code=compute_${last})
  foreach(unit IN LISTS TRAWL_UNITS)
    add_custom_command(OUTPUT ${images}/${unit}.fatbin
      COMMAND ${TRAWL_NVCC} -fatbin -O3 -I${PROJECT_SOURCE_DIR}/src ${code_flags}
        --Werror all-warnings -x cu -o ${images}/${unit}.fatbin
        ${PROJECT_SOURCE_DIR}/src/kernel/${unit}.h
      DEPENDS ${unit_headers} VERBATIM COMMENT "CUDA image of ${unit}")
    list(APPEND image_files ${images}/${unit}.fatbin)
  endforeach()
endif()

set(TRAWL_PROGRAMS ${PROJECT_BINARY_DIR}/programs.c)
add_custom_command(OUTPUT ${TRAWL_PROGRAMS}
  COMMAND trawl_embed ${PROJECT_SOURCE_DIR}/src ${images} ${TRAWL_UNITS} > ${TRAWL_PROGRAMS}
  DEPENDS trawl_embed ${unit_headers} ${image_files} VERBATIM COMMENT "Programs for devices")
