package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"offlink/cmd/internal/cli"
	"offlink/privilege"
	"offlink/runtime"
	"offlink/runtime/backends"
	"offlink/runtime/cache"
)

// warnTo returns the function that prints warnings of the runtime and its back ends.
func warnTo(s cli.Streams) func(string) {
	return func(line string) { fmt.Fprintln(s.Err, "devrun: warning: "+line) }
}

// runtimeOptions returns the options that the environment asks for. The caller closes
// the cache, which may be nil.
func runtimeOptions(s cli.Streams) runtime.Options {
	o := runtime.Options{Warn: warnTo(s)}
	if settings, on := cache.FromEnvironment(privilege.Getenv, s.Err); on {
		o.Cache = cache.New(settings)
	}
	return o
}

// cacheCommand is the state of devrun cache.
type cacheCommand struct {
	streams cli.Streams
	dir     string
	json    bool
}

// newCacheCommand makes "devrun cache". Its subcommands work on any folder, also
// where the variables keep the cache off: a folder is looked at after the fact.
func newCacheCommand(s cli.Streams) *cobra.Command {
	o := &cacheCommand{streams: s}
	c := &cobra.Command{
		Use:   "cache COMMAND",
		Short: "Show and tidy the cache of built programs",
		Long: `cache shows and tidies the folder where built programs are kept between
runs. Programs are kept where SYCL_CACHE_PERSISTENT=1 is set; the folder is
offlink in SYCL_CACHE_DIR, else in XDG_CACHE_HOME/libsycl_cache or
HOME/.cache/libsycl_cache. SYCL_CACHE_MAX_SIZE is its size in MB (8192),
SYCL_CACHE_THRESHOLD the days from an entry's last use to its removal (no limit),
SYCL_CACHE_EVICTION_DISABLE keeps all; SYCL_CACHE_MIN_DEVICE_IMAGE_SIZE and
SYCL_CACHE_MAX_DEVICE_IMAGE_SIZE are the bytes of device images whose programs are
kept. SYCL_CACHE_TRACE=1 prints each use.`,
		Args: cli.NeedCommand,
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	c.PersistentFlags().StringVar(&o.dir, "dir", "", "the folder `DIR`, in place of that of the environment")
	c.PersistentFlags().BoolVar(&o.json, "json", false, "print JSON")
	add := func(use, short string, run func(*cache.Cache) error) {
		c.AddCommand(&cobra.Command{Use: use, Short: short, Args: noArgs, RunE: func(*cobra.Command, []string) error { return o.withCache(run) }})
	}
	add("ls", "List the entries: key, bytes, last use, inputs", o.listEntries)
	add("stats", "Count the entries and their bytes", o.printStatistics)
	add("verify", "Read every entry; exit 1 where one is damaged", o.verifyEntries)
	add("gc", "Remove damaged entries, files that writers left, and the oldest entries beyond the limit", o.collectGarbage)
	add("clear", "Remove all entries", o.clearFolder)
	c.AddCommand(o.newExplain())
	return c
}

// withCache opens the folder and passes it to a subcommand, whether or not the
// environment has the cache on.
func (o *cacheCommand) withCache(run func(*cache.Cache) error) (err error) {
	settings, _ := cache.FromEnvironment(privilege.Getenv, o.streams.Err)
	if o.dir != "" {
		settings.Dir = o.dir
	}
	if settings.Dir == "" {
		return cli.Usagef("there is no folder: set SYCL_CACHE_DIR or HOME, or give --dir")
	}
	c := cache.New(settings)
	defer closeInto(&err, c.Close)
	return run(c)
}

// entryReport is an entry in ls --json and verify --json.
type entryReport struct {
	cache.Entry
	Error string `json:"error,omitempty"`
}

func entryReports(list []cache.Entry) []entryReport {
	all := make([]entryReport, len(list))
	for i, e := range list {
		all[i].Entry = e
		if e.Err != nil {
			all[i].Error = e.Err.Error()
		}
	}
	return all
}

// listEntries prints keys in 16 digits, as people compare them by sight; JSON has
// them whole.
func (o *cacheCommand) listEntries(c *cache.Cache) error {
	list, err := c.List()
	if err != nil {
		return err
	}
	if o.json {
		return cli.WriteJSON(o.streams.Out, entryReports(list))
	}
	w := tabwriter.NewWriter(o.streams.Out, 0, 8, 2, ' ', 0)
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\n", e.Key[:min(16, len(e.Key))], e.Size, e.Used.UTC().Format(time.RFC3339), entrySummary(e))
	}
	return w.Flush()
}

// entrySummary is the device of an entry and how many images it links: images are
// the inputs "image 0", "image 1" and so on (runtime/persistent.go).
func entrySummary(e cache.Entry) string {
	if e.Err != nil {
		return "damaged: " + e.Err.Error()
	}
	device, images := "", 0
	for _, in := range e.Inputs {
		switch {
		case in.Name == "device":
			device = in.Value
		case in.Name == fmt.Sprint("image ", images):
			images++
		}
	}
	return fmt.Sprintf("%s, %d image(s)", device, images)
}

// statsReport is stats --json.
type statsReport struct {
	Entries int   `json:"entries"`
	Damaged int   `json:"damaged"`
	Bytes   int64 `json:"bytes"`
}

func (o *cacheCommand) printStatistics(c *cache.Cache) error {
	list, err := c.List()
	if err != nil {
		return err
	}
	var r statsReport
	for _, e := range list {
		r.Entries++
		r.Bytes += e.Size
		if e.Err != nil {
			r.Damaged++
		}
	}
	if o.json {
		return cli.WriteJSON(o.streams.Out, r)
	}
	_, err = fmt.Fprintf(o.streams.Out, "%d entries, %d bytes, %d damaged\n", r.Entries, r.Bytes, r.Damaged)
	return err
}

// verifyEntries prints the damaged entries and leaves them in place: gc removes them, so
// that a check changes nothing.
func (o *cacheCommand) verifyEntries(c *cache.Cache) error {
	list, err := c.List()
	if err != nil {
		return err
	}
	var damaged []cache.Entry
	for _, e := range list {
		if e.Err != nil {
			damaged = append(damaged, e)
		}
	}
	if o.json {
		err = cli.WriteJSON(o.streams.Out, entryReports(damaged))
	} else {
		for _, e := range damaged {
			fmt.Fprintf(o.streams.Out, "%s: %v\n", e.Key, e.Err)
		}
	}
	if err == nil && len(damaged) > 0 {
		err = fmt.Errorf("%d of %d entries are damaged; devrun cache gc removes them", len(damaged), len(list))
	}
	return err
}

func (o *cacheCommand) collectGarbage(c *cache.Cache) error { return o.printRemoved(c.GC(time.Now())) }

func (o *cacheCommand) clearFolder(c *cache.Cache) error { return o.printRemoved(c.Clear()) }

func (o *cacheCommand) printRemoved(r cache.Removed, err error) error {
	if err != nil {
		return err
	}
	if o.json {
		return cli.WriteJSON(o.streams.Out, r)
	}
	_, err = fmt.Fprintf(o.streams.Out, "%d files, %d bytes removed\n", r.Entries, r.Bytes)
	return err
}

func (o *cacheCommand) newExplain() *cobra.Command {
	var kernel, device string
	c := &cobra.Command{
		Use:   "explain --kernel NAME FILE...",
		Short: "Say why a launch of the kernel finds its program in the cache or does not",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("name the files with the device images; see 'devrun cache explain --help'")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return o.withCache(func(c *cache.Cache) error { return o.explainLaunch(c, kernel, device, args) })
		},
	}
	c.Flags().StringVar(&kernel, "kernel", "", "the kernel `NAME`, as for devrun launch")
	c.Flags().StringVar(&device, "device", "", "the device `SEL`, as for devrun launch")
	return c
}

// explainLaunch takes the steps of a launch up to its look into the cache. It opens the
// same device and resolves the same images, as the key depends on both. The kernel is
// neither built nor run.
func (o *cacheCommand) explainLaunch(c *cache.Cache, kernel, selector string, names []string) (err error) {
	if err, ok := inOwnProcess(selector); ok {
		return err
	}
	rt := runtime.NewLazily(backends.Lazy(backends.Options{Output: io.Discard, Warn: warnTo(o.streams)}), runtime.Options{Cache: c})
	defer closeInto(&err, rt.Shutdown)
	images, err := openImages(rt, names)
	if err != nil {
		return err
	}
	defer closeInto(&err, images.closeFiles)
	device, err := rt.Device(selector)
	if err != nil {
		return err
	}
	if kernel, err = images.findKernel(kernel); err != nil {
		return err
	}
	in, err := rt.CacheInputs(device, runtime.KernelRef{Name: kernel})
	if err != nil {
		return err
	}
	e, err := c.Explain(in)
	if err != nil {
		return err
	}
	if o.json {
		return cli.WriteJSON(o.streams.Out, e)
	}
	return o.printExplanation(e)
}

func (o *cacheCommand) printExplanation(e cache.Explanation) error {
	w := o.streams.Out
	switch {
	case e.Hit:
		fmt.Fprintf(w, "hit: %s\n", e.Key)
	case e.Damaged != "":
		fmt.Fprintf(w, "miss: %s: %s\n", e.Key, e.Damaged)
	case e.Nearest == "":
		fmt.Fprintf(w, "miss: %s: no entry is like it\n", e.Key)
	default:
		fmt.Fprintf(w, "miss: %s: the nearest entry, %s, differs in\n", e.Key, e.Nearest)
	}
	for _, d := range e.Differences {
		fmt.Fprintf(w, "  %s: %q is wanted, %q is stored\n", d.Name, d.Wanted, d.Stored)
	}
	return nil
}
