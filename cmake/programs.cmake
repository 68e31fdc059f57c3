# The devices' programs: each unit of src/engines as OpenCL C source, in one C file of the library
# (TRAWL_PROGRAMS), and, where nvcc is found, as a CUDA image of machine code for several
# architectures and PTX for later ones: a file lib/trawl/UNIT.fatbin, which the library reads when
# the unit is first launched (device/program.c says where it looks). tools/embed.c writes both
# sources. A unit's variants are listed at the top of its file, ROOM/NAME/device.k or device_PART.k:
# the unit is NAME, or NAME_PART.

set(TRAWL_OPENCL_UNITS bitslice_alone) # for devices that are CPUs
set(TRAWL_CUDA_ARCHS 75 80 86 89 90 CACHE STRING "CUDA architectures; PTX is made of the last")

file(GLOB_RECURSE unit_sources CONFIGURE_DEPENDS src/engines/*.h src/engines/*.k)
list(APPEND unit_sources src/base/port.h src/device/constant.h)
file(GLOB unit_files RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS src/engines/*/*/device*.k)
set(TRAWL_UNITS "")      # as tools/embed.c wants them: UNIT=FILE
set(TRAWL_CUDA_UNITS "")
foreach(file IN LISTS unit_files)
  string(REGEX REPLACE "^.*/([^/]*)/device(.*)\\.k$" "\\1\\2" unit ${file})
  list(APPEND TRAWL_UNITS ${unit}=${file})
  if(NOT unit IN_LIST TRAWL_OPENCL_UNITS)
    list(APPEND TRAWL_CUDA_UNITS ${unit})
    set(unit_file_${unit} ${file})
  endif()
endforeach()
add_executable(trawl_embed tools/embed.c)

if(TRAWL_HAVE_CUDA)
  set(images ${PROJECT_BINARY_DIR}/lib/trawl)
  file(MAKE_DIRECTORY ${images} ${PROJECT_BINARY_DIR}/cuda)
  set(code_flags "")
  foreach(arch IN LISTS TRAWL_CUDA_ARCHS)
    list(APPEND code_flags -gencode arch=compute_${arch},code=sm_${arch})
  endforeach()
  list(GET TRAWL_CUDA_ARCHS -1 last)
  list(APPEND code_flags -gencode arch=compute_${last},code=compute_${last})
  set(image_files "")
  foreach(unit IN LISTS TRAWL_CUDA_UNITS)
    set(unit_cu ${PROJECT_BINARY_DIR}/cuda/${unit}.cu)
    add_custom_command(OUTPUT ${images}/${unit}.fatbin
      COMMAND trawl_embed cuda ${PROJECT_SOURCE_DIR}/src ${unit}=${unit_file_${unit}} > ${unit_cu}
      COMMAND ${TRAWL_NVCC} -fatbin -O3 -I${PROJECT_SOURCE_DIR}/src ${code_flags}
        --Werror all-warnings -o ${images}/${unit}.fatbin ${unit_cu}
      DEPENDS trawl_embed ${unit_sources} VERBATIM COMMENT "CUDA image of ${unit}")
    list(APPEND image_files ${images}/${unit}.fatbin)
  endforeach()
  add_custom_target(trawl_images ALL DEPENDS ${image_files})
  set(TRAWL_IMAGES ${image_files})
  install(FILES ${image_files} DESTINATION ${CMAKE_INSTALL_LIBDIR}/trawl)
endif()

set(TRAWL_PROGRAMS ${PROJECT_BINARY_DIR}/programs.c)
add_custom_command(OUTPUT ${TRAWL_PROGRAMS}
  COMMAND trawl_embed sources ${PROJECT_SOURCE_DIR}/src ${TRAWL_UNITS} > ${TRAWL_PROGRAMS}
  DEPENDS trawl_embed ${unit_sources} VERBATIM COMMENT "Programs for devices")
