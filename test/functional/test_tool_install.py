# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The files that cmake --install and the Debian packages put in place work from there. Needs a build tree with everything in it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tool import TOOL

BUILD = Path(TOOL).resolve().parents[2]
ROOT = Path(__file__).resolve().parents[2]

# Below the prefix
HAS_SLHGPU = (BUILD / "libexec" / "slhgpu").exists()
FILES = {"bin/slhtool", *(f"include/{name}.h" for name in ("slhdsa", "slhconsensus", "slhwallet")), *["libexec/slhgpu"] * HAS_SLHGPU}
ENDINGS = {*(name for library in ("slhdsa", "slhconsensus") for name in (f"lib{library}.a", f"lib{library}.so", f"pkgconfig/{library}.pc")),
           "cmake/slhconsensus/slhconsensusConfig.cmake"}
# Before 1.0 a minor version may change the interface, and then the library has another name.
SOVERSION = "0.1"

if not (BUILD / "CMakeCache.txt").exists() or not (BUILD / "src" / "libslhconsensus.so").exists():
    pytest.skip("this slhtool is in no build tree with the library", allow_module_level=True)


def run(*args, **kwargs):
    result = subprocess.run(list(map(str, args)), capture_output=True, text=True, **kwargs)
    assert result.returncode == 0, (args, result.stdout, result.stderr)
    return result.stdout


def check(files):
    assert FILES <= files
    for ending in ENDINGS:
        assert any(name.endswith(f"/{ending}") for name in files), ending


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", prefix)
    return prefix


def test_install(prefix):
    check({str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()})
    [pkg_config] = prefix.rglob("slhconsensus.pc")
    assert pkg_config.read_text().startswith(f"prefix={prefix}\n")
    assert list(prefix.rglob("COPYING"))
    [library] = prefix.rglob("libslhconsensus.so")
    assert f"Library soname: [libslhconsensus.so.{SOVERSION}]" in run("readelf", "--dynamic", library)
    assert run(prefix / "bin" / "slhtool", "--version").startswith("slhtool ")


def test_pkg_config_with_absolute_folders(tmp_path):
    """As distributions configure it that have a prefix of its own for each part of a package."""
    lib, include = tmp_path / "lib", tmp_path / "include"
    run("cmake", "-S", ROOT, "-B", tmp_path / "build", "-DSLHC_BUILD_TOOL=OFF", "-DSLHC_BUILD_TESTS=OFF", f"-DCMAKE_INSTALL_LIBDIR={lib}",
        f"-DCMAKE_INSTALL_INCLUDEDIR={include}")
    template = (tmp_path / "build" / "slhconsensus.pc.in").read_text()
    assert f"\nlibdir={lib}\nincludedir={include}\n" in template


@pytest.mark.skipif(shutil.which("dpkg-shlibdeps") is None, reason="dpkg-dev is not installed")
def test_debian_packages(tmp_path):
    run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", "DEB", "-B", tmp_path)
    packages = {path.name.split("_")[0]: path for path in tmp_path.glob("*.deb")}
    library = f"libslhconsensus{SOVERSION}"
    assert set(packages) == {library, "libslhconsensus-dev", "slhtool", *["slhgpu"] * HAS_SLHGPU}
    listed = []
    for name, package in packages.items():
        files = re.findall(r" \./usr/(\S*[^/\s])(?:\s|$)", run("dpkg-deb", "--contents", package))
        assert {f"share/doc/{name}/copyright", f"share/doc/{name}/changelog.gz"} <= set(files)
        listed += files
        synopsis, *more = run("dpkg-deb", "--field", package, "Description").splitlines()
        assert re.fullmatch(r"SLH-DSA-SHA2-128s signatures in Bitcoin script validation \([a-z ]+\)", synopsis)
        assert more and all(re.match(r" \S", line) for line in more)
        run("dpkg-deb", "--extract", package, tmp_path / "extracted")
    assert len(listed) == len(set(listed)), "a file in two packages"
    # Two versions of the library can be installed at once.
    assert all(SOVERSION in name for name in re.findall(r" \./usr/(\S*[^/\s])(?:\s|$)", run("dpkg-deb", "--contents", packages[library])))
    check(set(listed))
    assert "libsecp256k1" in run("dpkg-deb", "--field", packages[library], "Depends")
    assert "libsecp256k1" in run("dpkg-deb", "--field", packages["slhtool"], "Depends")
    assert re.search(re.escape(library) + r" \(= [0-9.]+\)", run("dpkg-deb", "--field", packages["libslhconsensus-dev"], "Depends"))
    [pkg_config] = tmp_path.glob("extracted/usr/**/slhconsensus.pc")
    assert pkg_config.read_text().startswith("prefix=/usr\n")
    assert ("no program slhgpu" in run(tmp_path / "extracted/usr/bin/slhtool", "devices")) != HAS_SLHGPU
