package wrapper

import (
	"fmt"

	"offlink/wrapper/internal/objfile"
)

const gib = 1 << 30

// largeFrom is the size from which the images of one x86-64 ELF object go
// into large sections: the code of a program must reach across what lies in
// ordinary ones, in 2 GiB.
const largeFrom = 1 * gib

func (h Host) wantsLarge(imageBytes int64) bool {
	return h.format == objfile.ELF && h.machine == objfile.X86_64 && imageBytes > largeFrom
}

// checkSize refuses more image bytes than an object for the host can bring
// into a program.
func (h Host) checkSize(imageBytes int64) error {
	limit, why := h.maxImages()
	if limit == 0 || imageBytes < limit {
		return nil
	}
	return fmt.Errorf("%d bytes of images are too many for an object for %s: %s; split them over several programs or libraries, or compress them (-offload-compress)", imageBytes, h.Triple, why)
}

// maxImages returns the size that the images of one object must stay under,
// and why; 0 is no limit.
func (h Host) maxImages() (limit int64, why string) {
	switch {
	case h.format == objfile.COFF:
		return 2 * gib, "a Windows program or library is smaller than 2 GiB"
	case h.machine == objfile.I386:
		return 2 * gib, "the format's offsets and the machine's addresses hold less than 2 GiB"
	case h.machine == objfile.RISCV64:
		return 2 * gib, "its code model (medany) reaches less than 2 GiB"
	case h.machine == objfile.AArch64 && h.format == objfile.ELF:
		return 4 * gib, "its small code model reaches less than 4 GiB"
	case h.machine == objfile.AArch64:
		return 4 * gib, "the file offsets of Mach-O sections hold less than 4 GiB"
	case h.format == objfile.MachO:
		return 2 * gib, "its code model reaches less than 2 GiB"
	}
	return 0, ""
}
