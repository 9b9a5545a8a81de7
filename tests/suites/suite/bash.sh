# bash's own tests: each compares what it prints with what it should print.
limit=120

cases() {
    printf '%s\n' alias appendop arith arith-for array array2 assoc attr braces builtins case casemod complete comsub \
        comsub-eof comsub-posix cond coproc cprint dbg-support dbg-support2 dirstack dollars dynvar errors execscript \
        exp-tests exportfunc extglob func getopts glob-test globstar heredoc herestr histexpand history ifs \
        input-test invert jobs lastpipe mapfile more-exp nameref new-exp parser posix2 posixexp posixpipe \
        precedence printf procsub quote read redir rhs-exp rsh set-e set-x shopt strip test tilde trap type \
        varenv vredir
}

run_case() {
    cd /src/bash/tests || return
    # A job that is started at a bad moment differs in these; the numbers are no fact.
    export THIS_SH=/bin/bash BASH_TSTOUT=/tmp/out PATH=/src/bash/tests:$PATH
    sh "./run-$1" 2>&1 | numbers
}
