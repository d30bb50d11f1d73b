"""print.py FILE...: loads modules, bitcode or text by their names, verifies
them, and writes each as LLVM prints it into FILE.out."""
import sys

from llvmlite import binding

for name in sys.argv[1:]:
    try:
        with open(name, "rb") as f:
            data = f.read()
        context = binding.create_context()  # names of types are unique in one
        if name.endswith(".bc"):
            module = binding.parse_bitcode(data, context)
        else:
            module = binding.parse_assembly(data.decode("latin-1"), context)
        module.verify()
    except Exception as e:
        sys.exit(f"{name}: {e}")
    with open(name + ".out", "w", encoding="utf-8") as f:
        f.write(str(module))
