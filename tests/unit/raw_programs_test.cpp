#include "pidns/monitor/raw_programs.h"

#include <gtest/gtest.h>

namespace ctr::pidns {
namespace {

TEST(RawPrograms, WhatIsInstalledLiesWhereSystemsHaveTheirPrograms) {
    for (const char* path :
         {"/bin/busybox", "/sbin/init", "/lib/ld-musl-x86_64.so.1", "/lib64/x", "/opt/go/bin/go",
          "/usr/bin/docker", "/usr/local/go/pkg/tool/linux_amd64/compile"})
        EXPECT_TRUE(is_installed(path)) << path;
    for (const char* path : {"/home/me/app", "/root/go/bin/x", "/tmp/bin/x", "/usr/src/app/app", "/bin",
                             "/usrbin/x", "/srv/usr/bin/x", "bin/x", "", "/memfd:x (deleted)"})
        EXPECT_FALSE(is_installed(path)) << path;
}

}  // namespace
}  // namespace ctr::pidns
