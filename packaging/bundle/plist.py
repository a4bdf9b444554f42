"""The bundle's Info.plist, made from the recipe, and what a good one must hold."""

from __future__ import annotations

from collections.abc import Iterator

from bundle.recipe import Recipe

Plist = dict[str, object]


def info_plist(recipe: Recipe) -> Plist:
    """Write all that macOS wants to know of the program before it starts."""
    return {
        "CFBundleDevelopmentRegion": "en",
        "CFBundleDisplayName": recipe.name,
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "Exported conversation",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Alternate",
                "LSItemContentTypes": ["public.json"],
            },
            {
                "CFBundleTypeName": "GGUF model",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Alternate",
                "LSItemContentTypes": ["org.ggml.gguf"],
            },
        ],
        "CFBundleExecutable": recipe.name,
        "CFBundleIconFile": f"{recipe.name}.icns",
        "CFBundleIdentifier": recipe.identifier,
        "CFBundleInfoDictionaryVersion": "6.0",
        "CFBundleName": recipe.name,
        "CFBundlePackageType": "APPL",
        "CFBundleShortVersionString": recipe.version,
        "CFBundleURLTypes": [
            {"CFBundleURLName": recipe.identifier, "CFBundleURLSchemes": [recipe.url_scheme]}
        ],
        "CFBundleVersion": recipe.version,
        "LSApplicationCategoryType": recipe.category,
        "LSArchitecturePriority": ["arm64"],
        "LSMinimumSystemVersion": recipe.minimum_macos,
        "LSRequiresNativeExecution": True,
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": recipe.copyright,
        "NSSupportsAutomaticGraphicsSwitching": True,
        "UTImportedTypeDeclarations": [
            {
                "UTTypeIdentifier": "org.ggml.gguf",
                "UTTypeDescription": "GGUF model",
                "UTTypeConformsTo": ["public.data"],
                "UTTypeTagSpecification": {"public.filename-extension": ["gguf"]},
            }
        ],
    }


def plist_faults(plist: Plist, recipe: Recipe) -> Iterator[str]:
    """Say where a plist differs from the recipe's.

    Dark mode needs the absence of a key, a Dock icon that of another.
    """
    for key, value in info_plist(recipe).items():
        if key not in plist:
            yield f"{key} is missing"
        elif plist[key] != value:
            yield f"{key} is {plist[key]!r}, not {value!r}"
    for key in ("NSRequiresAquaSystemAppearance", "LSUIElement", "LSBackgroundOnly"):
        if key in plist:
            yield f"{key} must not be there"
