# Compilers and build tools.
limit=300

cases() { printf '%s\n' make bash go git dpkg-buildflags; }

run_case() {
    mkdir -p /tmp/work && cd /tmp/work || return
    export HOME=/tmp/home
    mkdir -p $HOME
    case $1 in
        make)
            local i
            for i in {1..40}; do echo "int f$i(int x) { return x + $i; }" >"f$i.c"; done
            {
                printf 'int f%d(int);\n' {1..40}
                echo '#include <stdio.h>'
                echo 'int main(void) { int x = 0;'
                printf 'x = f%d(x);\n' {1..40}
                echo 'printf("%d\n", x); }'
            } >main.c
            printf 'program: $(patsubst %%.c,%%.o,$(wildcard *.c))\n\tgcc -o $@ $^\nclean:\n\trm -f *.o program\n' >Makefile
            for i in 1 2 3; do
                make -s -j4 program 2>&1
                fact make $?
                ./program
                make -s clean
            done
            ;;
        bash) # a real tree: configure runs some thousand processes
            cp -a /src/bash . && cd bash || return
            ./configure -q >/tmp/configure.log 2>&1
            fact configure $?
            make -s -j4 >/tmp/make.log 2>&1
            fact make $?
            ./bash -c 'echo $BASH_VERSION; echo $(echo $$ | wc -l)'
            ;;
        go)
            mkdir -p hello && cd hello || return
            cp "$place/suite/build/main.go" .
            export GOFLAGS=-mod=mod GOPROXY=off GOCACHE=/tmp/gocache
            go mod init hello >&2
            go build -o hello . 2>&1
            fact build $?
            ./hello
            fact run $?
            go run . >/dev/null 2>&1
            fact "go run" $?
            ;;
        git)
            git config --global user.email a@b
            git config --global user.name a
            git config --global gc.autoDetach true
            git init -q one
            local i
            for i in 1 2 3 4 5; do
                echo "$i" >"one/file$i"
                git -C one add . && git -C one commit -qm "change $i"
            done
            git clone -q one two 2>&1
            fact clone $?
            git -C two gc -q 2>&1
            fact gc $?
            git -C two log --oneline | wc -l
            echo more >two/more
            git -C two add . && git -C two commit -qm more && git -C two push -q origin HEAD:refs/heads/other 2>&1
            fact push $?
            git -C one branch -a | tr -d ' *'
            git clone -q "file://$PWD/one" three 2>&1
            git -C three fsck 2>/dev/null
            fact fsck $?
            git -C one repack -adq
            fact repack $?
            git daemon --base-path=. --export-all --reuseaddr --listen=127.0.0.1 --port=9418 --detach --pid-file=/tmp/git.pid
            until_true git ls-remote git://127.0.0.1/one
            git clone -q git://127.0.0.1/one four 2>&1
            fact "clone from a daemon" $?
            kill "$(cat /tmp/git.pid)"
            fact "kill the daemon" $?
            ;;
        dpkg-buildflags) dpkg-buildflags --status >/dev/null 2>&1; fact status $? ;;
    esac
}
