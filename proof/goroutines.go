// SPDX-License-Identifier: GPL-2.0

// What a Go program does that others do not: goroutines that move between threads, stacks that are copied as they
// grow, a collector that walks them, preemption by signals, panics that unwind. Prints sums that are always the same.
package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)

type node struct {
	left, right *node
	n           int
}

//go:noinline
func tree(depth int) *node {
	if depth == 0 {
		return &node{n: 1}
	}
	return &node{left: tree(depth - 1), right: tree(depth - 1)}
}

//go:noinline
func (t *node) sum() int {
	if t.left == nil {
		return t.n
	}
	return t.left.sum() + t.right.sum()
}

// Needs a stack that has to be copied several times.
//
//go:noinline
func deep(n int) int {
	var room [64]int
	room[n%64] = n
	if n == 0 {
		return 0
	}
	return deep(n-1) + room[n%64] - n + 1
}

//go:noinline
func fails(n int) (said string) {
	defer func() { said = fmt.Sprint(recover()) }()
	var none []int
	return fmt.Sprint(none[n])
}

// A loop without a call: only a signal can stop it.
//
//go:noinline
func spin(n int) (x uint32) {
	for i := 0; i < n; i++ {
		x = x*1664525 + 1013904223
	}
	return
}

func main() {
	runtime.GOMAXPROCS(4)
	var all sync.WaitGroup
	lines := make(chan string)
	for g := 0; g < 8; g++ {
		all.Add(1)
		go func() {
			defer all.Done()
			words := map[string]int{}
			for i := 0; i < 200; i++ {
				words[strings.Repeat("ab", i%17)] += i
			}
			keys := []string{}
			for k, v := range words {
				keys = append(keys, fmt.Sprint(k, v))
			}
			sort.Strings(keys)
			lines <- fmt.Sprintf("%d tree %d deep %d spin %d %s %x", g, tree(8).sum(), deep(2000), spin(20000000), fails(g),
				sha256.Sum256([]byte(strings.Join(keys, " "))))
		}()
	}
	go func() {
		for {
			runtime.GC()
			time.Sleep(10 * time.Millisecond)
		}
	}()
	go func() { all.Wait(); close(lines) }()
	said := []string{}
	for l := range lines {
		said = append(said, l)
	}
	sort.Strings(said)
	fmt.Println(strings.Join(said, "\n"))
	os.Exit(3)
}
