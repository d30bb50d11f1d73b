package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"offlink/runtime/hostdev"
)

// printFindings runs the kernels in the checked mode and prints its findings.
// It is an error if the mode leaves other memory than the device does without
// it, and nothing that explains it was found.
func printFindings(o options, files []string) error {
	list, err := readCandidates(files)
	if err != nil {
		return err
	}
	counts, differ := map[hostdev.FindingKind]int{}, 0
	ran, clean := 0, 0
	for _, c := range chooseCandidates(list, o) {
		j, err := planJob(c)
		if err != nil {
			continue
		}
		ran++
		found, same, err := j.runChecked()
		switch {
		case err != nil:
			fmt.Printf("%s: %v\n", c.name, err)
		case found == nil && !same && !j.dependsOnOrder():
			differ++
			fmt.Printf("%s, %v: it leaves other memory in checked mode\n", c.name, j)
		case found == nil:
			clean++
		default:
			counts[found.Findings[0].Kind]++
			fmt.Println(found)
		}
	}
	fmt.Fprintf(os.Stderr, "%d kernels: nothing is found in %d; findings by the first one's kind: %v\n", ran, clean, counts)
	if differ > 0 {
		return fmt.Errorf("%d kernels leave other memory in checked mode", differ)
	}
	return nil
}

// runChecked runs the job in checked mode, and reports whether it leaves the memory
// that the job's last run left. Findings stop the reading of memory.
func (j *job) runChecked() (found *hostdev.CheckError, same bool, err error) {
	var before [][]byte
	for _, b := range j.Buffers {
		before = append(before, b.result)
	}
	err = j.runOn(hostdev.Options{Check: true})
	if errors.As(err, &found) || err != nil {
		if found != nil {
			err = nil
		}
		return found, false, err
	}
	same = true
	for i, b := range j.Buffers {
		same = same && bytes.Equal(b.result, before[i])
	}
	return nil, same, nil
}

// findings returns the kind of the first finding of the checked mode, "" if there is none:
// with made-up arguments work-items may race, or read local memory that was not written.
func (j *job) findings() string {
	own := j.results()
	defer j.setResults(own)
	found, _, err := j.runChecked()
	if found == nil || err != nil {
		return ""
	}
	return fmt.Sprint(found.Findings[0].Kind)
}
