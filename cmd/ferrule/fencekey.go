package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	homeVariable = "FERRULE_HOME"
	fenceFile    = "fence.key"
	fenceBytes   = 32
)

// home is where the program keeps what outlives it.
func (p *program) home() (string, error) {
	if dir, _ := p.lookup(homeVariable); dir != "" {
		return dir, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding the directory for %s: set $%s: %w", fenceFile, homeVariable, err)
	}
	return filepath.Join(dir, "ferrule"), nil
}

// fenceKey returns the master key of the fences, made at the first start. Of
// several programs that start at once all get the same one.
func fenceKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, fenceFile)
	key, err := readFenceKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the directory of the fence key: %w", err)
	}
	if err := makeFenceKey(dir, path); err != nil {
		return nil, fmt.Errorf("making the fence key: %w", err)
	}
	return readFenceKey(path)
}

func readFenceKey(path string) ([]byte, error) {
	key, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the fence key: %w", err)
	}
	if len(key) != fenceBytes {
		return nil, fmt.Errorf("the fence key %s has %d bytes instead of %d: delete it, and a new one is made", path, len(key), fenceBytes)
	}
	return key, nil
}

// makeFenceKey puts a whole file in place under a name that nobody else has
// taken meanwhile; who comes second keeps the first one's.
func makeFenceKey(dir, path string) error {
	f, err := os.CreateTemp(dir, ".fence-*") // made with mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	key := make([]byte, fenceBytes)
	_, _ = rand.Read(key) // never fails
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	err = os.Link(f.Name(), path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	// A file system without links.
	return os.Rename(f.Name(), path)
}
