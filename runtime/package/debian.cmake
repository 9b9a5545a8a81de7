# cpack -G DEB: a package for each component.
set(library_package libctr${abi})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${library_package} RENAME copyright
    COMPONENT library)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libctr-dev RENAME copyright
    COMPONENT development)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "ctr")
set(CPACK_PACKAGE_CONTACT "ctr <ctr@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ctr library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

# What is loaded by its name (pidns/image/decoder.cpp) or executed, which nobody finds in the files.
set(loaded libzydis4.0)

set(CPACK_DEBIAN_CTR_PACKAGE_NAME ctr)
set(CPACK_DEBIAN_CTR_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_CTR_PACKAGE_DEPENDS ${loaded})
set(CPACK_DEBIAN_CTR_PACKAGE_RECOMMENDS uidmap)
set(CPACK_COMPONENT_CTR_DESCRIPTION "Starts commands in containers: namespaces, a root file system, limits, and process
 numbers of their own, which take no pid namespace.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS ${loaded})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS uidmap)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "The launcher of ctr, for programs that start containers themselves.")

# The static library wants what it uses linked as well.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libctr-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${library_package} (= ${PROJECT_VERSION}), libseccomp-dev, libcap-dev, libmd-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers and libraries to build programs that start containers with ctr.")
include(CPack)
