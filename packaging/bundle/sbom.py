"""The list of what ships, in the format that scanners read: CycloneDX 1.6 as JSON."""

from __future__ import annotations

from pathlib import Path

from bundle.licences import licence_of
from bundle.recipe import Recipe
from bundle.wheels import distributions, read_lock


def write_sbom(recipe: Recipe, site: Path, target: Path) -> int:
    """Write the list, and see that it is valid.

    Returns:
        How many components it names.
    """
    from cyclonedx.factory.license import LicenseFactory
    from cyclonedx.model import HashType
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output.json import JsonV1Dot6
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    from packageurl import PackageURL

    licences = LicenseFactory()
    bom = Bom()
    bom.metadata.component = Component(
        name=recipe.name,
        version=recipe.version,
        type=ComponentType.APPLICATION,
        licenses=[licences.make_from_string("Apache-2.0")],
    )
    locked = read_lock()
    for distribution in distributions(site):
        name, version = distribution.name.lower().replace("_", "-"), distribution.version
        entry = locked.get((name, version), "")
        digests = [line.split("sha256:")[1].split()[0] for line in entry.splitlines()[1:]]
        bom.components.add(
            Component(
                name=name,
                version=version,
                type=ComponentType.LIBRARY,
                purl=PackageURL("pypi", None, name, version),
                licenses=[licences.make_from_string(licence_of(distribution))],
                hashes=[HashType.from_composite_str(f"sha256:{d}") for d in digests[:1]]
                if len(digests) == 1
                else [],
            )
        )
    bom.register_dependency(bom.metadata.component, bom.components)
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if fault is not None:
        raise SystemExit(f"The list of components is not valid: {fault}")
    target.write_text(text, encoding="utf-8")
    return len(bom.components)
