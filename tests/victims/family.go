// A parent and its child, and what each knows of the other: family.c in a language that makes its own system calls
// and has many threads.
package main

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Printf("child %d of %d\n", os.Getpid(), os.Getppid())
		os.Exit(7)
	}
	fmt.Printf("parent %d\n", os.Getpid())
	child := exec.Command("/proc/self/exe", "child")
	child.Stdout = os.Stdout
	if err := child.Start(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	created := child.Process.Pid
	child.Wait()
	fmt.Printf("created %d, ended %d with %d\n", created, child.ProcessState.Pid(), child.ProcessState.ExitCode())
}
