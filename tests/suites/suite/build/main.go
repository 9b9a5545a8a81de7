// Processes, signals and process attributes by the Go runtime.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	out, err := exec.Command("sh", "-c", "echo $PPID").Output()
	parent, _ := strconv.Atoi(strings.TrimSpace(string(out)))
	fmt.Println("parent:", parent == os.Getpid(), err)

	sleeper := exec.Command("sleep", "60")
	sleeper.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	fmt.Println("start:", sleeper.Start())
	group, err := syscall.Getpgid(sleeper.Process.Pid)
	fmt.Println("own group:", group == sleeper.Process.Pid, err)
	fmt.Println("kill group:", syscall.Kill(-group, syscall.SIGTERM))
	err = sleeper.Wait()
	var exit *exec.ExitError
	fmt.Println("wait:", err, errors.As(err, &exit))
	fmt.Println("gone:", sleeper.Process.Signal(syscall.SIGTERM))
	fmt.Println("kill of nobody:", syscall.Kill(99999, 0))

	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println("signal:", <-arrived)

	var group100 sync.WaitGroup
	var lock sync.Mutex
	good := 0
	for i := 0; i < 100; i++ {
		group100.Add(1)
		go func(i int) {
			defer group100.Done()
			err := exec.Command("sh", "-c", "exit "+strconv.Itoa(i%5)).Run()
			code := 0
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			lock.Lock()
			if code == i%5 {
				good++
			}
			lock.Unlock()
		}(i)
	}
	group100.Wait()
	fmt.Println("good:", good)

	process, err := os.FindProcess(1)
	fmt.Println("find 1:", process.Signal(syscall.Signal(0)), err)
	shell := exec.Command("sleep", "60")
	shell.Start()
	time.AfterFunc(100*time.Millisecond, func() { shell.Process.Kill() })
	state, err := shell.Process.Wait()
	fmt.Println("wait:", state, state.Pid() == shell.Process.Pid, err)
	link, err := os.Readlink("/proc/self")
	fmt.Println("/proc/self:", link == strconv.Itoa(os.Getpid()), err)
}
