"""Check `dist/Cabochon.app` and print a table; then break copies of it, and see each one caught.

`make check-app` runs this. `--quick` leaves out what takes minutes: the run of the bundle's
packages with the real model, and the broken copies.
"""

from __future__ import annotations

import sys
import time

from bundle import breakages
from bundle.assemble import STAND_IN, Places
from bundle.checks import CHECKS, Bundle, declared_newer, read_bundle
from bundle.overlay import run_program
from bundle.recipe import ROOT, load_recipe
from bundle.trim import megabytes, remove

WORK = ROOT / "build/overlay"


def main() -> int:
    """Run every check."""
    recipe = load_recipe()
    places = Places(ROOT / f"dist/{recipe.name}.app", recipe.name)
    if not places.app.is_dir():
        print("There is no bundle; `make app` builds one.")
        return 1
    bundle = read_bundle(places, recipe)
    n_faults = check(bundle)
    tell_about(bundle)
    if "--quick" not in sys.argv:
        n_faults += run(bundle)
        n_faults += break_copies(bundle)
    print("All is well." if not n_faults else f"{n_faults} faults.")
    return 1 if n_faults else 0


def check(bundle: Bundle) -> int:
    """Run the checks that only read; print a line for each.

    Returns:
        How many faults there are.
    """
    total = 0
    for name, look in CHECKS:
        began = time.monotonic()
        found = list(look(bundle))
        total += len(found)
        verdict = "ok" if not found else f"{len(found)} FAULTS"
        told = (look.__doc__ or "").splitlines()[0]
        print(f"{name:14} {verdict:10} {time.monotonic() - began:5.1f} s  {told}", flush=True)
        for fault in found[:10]:
            print(f"{'':14} - {fault}")
    return total


def tell_about(bundle: Bundle) -> None:
    """Print figures and warnings."""
    places = bundle.places
    print(
        f"{len(bundle.images)} Mach-O files; {megabytes(places.app):.0f} MB on disk, "
        f"{megabytes(places.site):.0f} of it packages, {megabytes(places.program):.1f} the program"
    )
    for archive in places.app.parent.glob(f"{places.name}-*.zip"):
        print(f"{archive.stat().st_size / 1e6:.0f} MB zipped")
    for line in declared_newer(bundle):
        print(f"warning: {line} (macOS loads it all the same)")
    if (places.python / STAND_IN).is_file():
        print("warning: there is no CPython inside; this bundle does not start and must not ship")


def run(bundle: Bundle) -> int:
    """Run the bundle's packages here with the real model."""
    faults, said = run_program(bundle.places, bundle.recipe, WORK)
    print(f"{'run here':14} {'ok' if not faults else 'FAULT'}")
    for line in [*said, *faults]:
        print(f"{'':14} {line}")
    return len(faults)


def break_copies(bundle: Bundle) -> int:
    """Break a copy in every known way; a way that its check does not catch is a fault."""
    checks = dict(CHECKS)
    target = bundle.places.app.parent / "broken" / bundle.places.app.name
    missed = 0
    for way in breakages.BREAKAGES:
        remove(target.parent)
        copy = breakages.copy_bundle(bundle.places, target)
        way.act(copy)
        found = list(checks[way.caught_by](read_bundle(copy, bundle.recipe)))
        missed += not found
        said = found[0] if found else "NOT CAUGHT"
        print(f"broken: {way.what:40} {way.caught_by:14} {said}", flush=True)
    remove(target.parent)
    print(f"{len(breakages.BREAKAGES) - missed} of {len(breakages.BREAKAGES)} ways were caught")
    return missed


if __name__ == "__main__":
    sys.exit(main())
