# Pipes, two-way pipes, signals with senders, and alarms.
use strict;
use warnings;
use POSIX ();
use IPC::Open2;
use IPC::Open3;
$| = 1;

my $pid = open2(my $out, my $in, 'cat');
print $in "through cat\n";
close $in;
print <$out>;
print "open2: ", waitpid($pid, 0) == $pid ? "ok" : "not ok", "\n";
$pid = open3(my $to, my $from, undef, 'sh', '-c', 'echo out; echo err >&2; exit 3');
print sort <$from>;
waitpid $pid, 0;
print "open3: ", $? >> 8, "\n";
my $opened = open(my $child, '-|') // die;
if (!$opened) { exec 'sh', '-c', 'echo from a forked open' }
print <$child>;
close $child;

my $sender = 0;
POSIX::sigaction(POSIX::SIGUSR1, POSIX::SigAction->new(sub { $sender = $_[1]{pid} }, POSIX::SigSet->new,
    POSIX::SA_SIGINFO));
$pid = fork // die;
if (!$pid) { kill 'USR1', getppid; POSIX::_exit(0) }
waitpid $pid, 0;
print "the sender is the child: ", $sender == $pid ? "yes" : "no", "\n";

local $SIG{ALRM} = sub { die "alarm\n" };
eval { alarm 1; sleep 20 };
print "ended by $@";
local $SIG{CHLD} = sub { 1 while waitpid(-1, POSIX::WNOHANG) > 0 };
for my $i (1 .. 50) { my $p = fork // die; POSIX::_exit(0) if !$p }
select undef, undef, undef, 0.1 for 1 .. 10;
print "left: ", waitpid(-1, 0), "\n";
my $group = fork // die;
if (!$group) { setpgrp 0, 0; sleep 60; exit }
select undef, undef, undef, 0.2;
print "group: ", getpgrp($group) == $group ? "own" : "not own", "\n";
{ local $SIG{CHLD} = 'DEFAULT'; print "killed: ", kill(-15, $group), "\n"; waitpid $group, 0; print "by: ", $? & 127, "\n" }
print "nobody: ", kill(0, 99999), " ", $!{ESRCH} ? "ESRCH" : "other", "\n";
