# Runs inside the new root file system: makes the test suites of bash and perl run with the installed programs.
set -euo pipefail

# The helpers of bash's tests, which its own makefile would build.
cd /src/bash/support
for program in recho zecho printenv xcase; do
    gcc -w -I.. -I../include -o "../tests/$program" "$program.c"
done

# The tests of perl look for modules in ../lib only. Those of the source tree lack what building makes of them.
cd /src/perl
rm -rf lib
mkdir lib
version=$(perl -e 'printf "%vd", $^V')
for tree in "/usr/share/perl/$version" "/usr/lib/x86_64-linux-gnu/perl/$version" /usr/lib/x86_64-linux-gnu/perl-base; do
    cp -a "$tree/." lib/
done
ln -s /usr/bin/perl perl
ln -s /usr/bin/perl t/perl
