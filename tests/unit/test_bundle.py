"""The checks of the macOS bundle: a good one passes, and every way of breaking it is caught."""

import plistlib
import struct
import zipfile

import pytest
from bundle import breakages, sign, trim, wheels
from bundle.assemble import STAND_IN
from bundle.checks import CHECKS, declared_newer, faults, read_bundle
from bundle.macho import ARM64, BUNDLE, DYLIB, EXECUTE, machos, read_image, thin
from bundle.plist import info_plist
from bundle.recipe import ROOT, load_recipe, version_of

from tests.unit.tiny_bundle import RECIPE, macho, make_bundle, write


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return make_bundle(tmp_path_factory.mktemp("whole"))


def test_a_good_bundle_passes_every_check(whole):
    found = faults(read_bundle(whole, RECIPE))
    assert found == {name: [] for name, _ in CHECKS}


@pytest.mark.parametrize("way", breakages.BREAKAGES, ids=lambda way: way.what)
def test_a_broken_bundle_is_caught(way, whole, tmp_path):
    copy = breakages.copy_bundle(whole, tmp_path / "Cabochon.app")
    way.act(copy)
    assert faults(read_bundle(copy, RECIPE))[way.caught_by]


def test_breaking_copies_leaves_the_original_whole(whole, tmp_path):
    for i, way in enumerate(breakages.BREAKAGES):
        way.act(breakages.copy_bundle(whole, tmp_path / str(i) / "Cabochon.app"))
    assert not any(faults(read_bundle(whole, RECIPE)).values())


def test_each_check_is_proved_by_a_way_of_breaking():
    assert {way.caught_by for way in breakages.BREAKAGES} == {name for name, _ in CHECKS}


def test_a_library_that_declares_a_newer_macos_is_a_warning_only(whole, tmp_path):
    copy = breakages.copy_bundle(whole, tmp_path / "Cabochon.app")
    library = next(copy.site.rglob("libmlx.dylib"))
    breakages.rewrite(library, macho(DYLIB, own_name="@rpath/libmlx.dylib", minimum=(15, 0)))
    bundle = read_bundle(copy, RECIPE)
    assert faults(bundle)["system"] == []
    assert declared_newer(bundle) == [
        "Resources/site/mlx/lib/libmlx.dylib declares macOS 15.0"
    ]  # fmt: skip


def test_a_python_inside_finds_its_library(whole, tmp_path):
    copy = breakages.copy_bundle(whole, tmp_path / "Cabochon.app")
    (copy.python / STAND_IN).unlink()
    name = "@executable_path/../lib/libpython3.12.dylib"
    python = write(copy.python / "bin/python3.12", macho(EXECUTE, loads=[name]))
    (copy.python / "bin/python3").symlink_to("python3.12")
    bundle = read_bundle(copy, RECIPE)
    assert len(faults(bundle)["libraries"]) == 2  # told by the program and by the launcher
    write(copy.python / "lib/libpython3.12.dylib", macho(DYLIB, own_name=name))
    assert faults(read_bundle(copy, RECIPE))["libraries"] == []
    python.unlink()
    assert faults(read_bundle(copy, RECIPE))["libraries"]


def test_a_universal_file_is_thinned_to_its_arm64_image(tmp_path):
    arm = macho(BUNDLE, symbols=["_one"])
    intel = arm[:4] + struct.pack("<I", 0x01000007) + arm[8:]
    table = struct.pack(">II", 0xCAFEBABE, 2)
    table += struct.pack(">IIIII", 0x01000007, 3, 4096, len(intel), 12)
    table += struct.pack(">IIIII", ARM64, 0, 4096 + len(intel), len(arm), 12)
    path = write(tmp_path / "both.so", table.ljust(4096, b"\0") + intel + arm)
    assert thin(path) == 4096 + len(intel)
    assert path.read_bytes() == arm
    assert read_image(arm).symbols == ["_one"]


def test_a_java_class_is_no_macho_file(tmp_path):
    write(tmp_path / "Some.class", b"\xca\xfe\xba\xbe\x00\x00\x00\x34" + bytes(20))
    assert machos(tmp_path) == []


def test_a_zip_brings_links_and_modes_back(whole, tmp_path):
    sign.pack(whole.app, tmp_path / "app.zip")
    with zipfile.ZipFile(tmp_path / "app.zip") as archive:
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        link = archive.read("Cabochon.app/Contents/Resources/latest")
    assert link == b"app"
    assert modes["Cabochon.app/Contents/Resources/latest"] & 0o170000 == 0o120000
    assert modes["Cabochon.app/Contents/MacOS/Cabochon"] & 0o111


def test_trims_say_why_and_keep_what_is_named(tmp_path):
    site = tmp_path / "site"
    kept = write(site / "PySide6/Qt/translations/qtbase_de.qm", "")
    gone = write(site / "PySide6/Qt/translations/designer_de.qm", "")
    heavy = write(site / "transformers/models/gemma/modeling_gemma.py", "")
    module = write(site / "mlx/nn/layers.py", "")
    trim.trim(site, RECIPE)
    assert kept.exists()
    assert module.exists()
    assert not gone.exists()
    assert not heavy.exists()
    assert all(cut.reason for cut in RECIPE.trims)


def test_the_plist_is_made_from_the_project():
    plist = info_plist(load_recipe())
    assert plistlib.loads(plistlib.dumps(plist)) == plist
    assert plist["CFBundleShortVersionString"] == RECIPE.version
    assert plist["LSMinimumSystemVersion"] == "14.0"
    schemes = [url["CFBundleURLSchemes"] for url in plist["CFBundleURLTypes"]]
    assert schemes == [["cabochon"]]


def test_the_lock_is_read_whole():
    locked = wheels.read_lock(ROOT / "requirements.lock")
    text = (ROOT / "requirements.lock").read_text()
    assert len(locked) == sum(
        "==" in line.split(" ;")[0] and line[0].isalnum() for line in text.splitlines()
    )
    assert all("--hash=sha256:" in entry for entry in locked.values())


def test_versions_compare_as_numbers():
    assert version_of("14.0") < version_of("15.4") < version_of("26.0")
