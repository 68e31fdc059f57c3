#!/usr/bin/python3
"""Compare `trawl grid` with masks, tolerance and wrong cells with OpenCV on real pictures.

Usage: test_opencv_masks.py TRAWL DATA [CASES [SEED]], where DATA is the folder of test data with images/.

OpenCV has no exact answer: matchTemplate (TM_SQDIFF with a mask) gives each place a distance in
floats. A place whose cells differ by at most N a channel, but for K of them, has a distance of at
most (N^2 * cells + 255^2 * K) * channels, so OpenCV is asked for all places up to that and what its
floats may be wrong by. numpy says which of these are occurrences; Trawl must have printed those and
no others. How many of them OpenCV alone would have lost, at the distance that they should have, is
printed at the end (docs/semantics.md)."""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import List, Optional, Set, Tuple

SKIPPED = 77
DEBIAN = "/usr/bin/python3"  # which python3-opencv is for

try:
    import cv2
    import numpy
except ImportError:
    if os.path.exists(DEBIAN) and "TRAWL_OPENCV_TRIED" not in os.environ:
        os.environ["TRAWL_OPENCV_TRIED"] = "1"
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    print("skipped: OpenCV for Python is not here (package python3-opencv)")
    sys.exit(SKIPPED)

Place = Tuple[int, int]

# Picture, and how it is compared; whole ones up to MAX_SIDE, of others a part.
PICTURES = [("pyscreeze/haystack2.png", "rgb"), ("pyscreeze/calculator.png", "rgb"),
            ("pyscreeze/colornoise.png", "rgb"), ("pyscreeze/zophie.png", "rgb"),
            ("sikulix/house_shot_mac.png", "rgb"), ("browserquest/map_1x.png", "rgb"),
            ("skimage/astronaut.png", "rgb"), ("skimage/camera.png", "grey"),
            ("skimage/page.png", "grey"), ("skimage/coins.png", "grey"),
            ("skimage/brick.png", "grey"), ("skimage/text.png", "grey")]
MAX_SIDE = 400
MAX_LOOKED_AT = 40_000_000  # cells of candidates; cases with more are left out


class Case:
    """A text, a needle cut out of it that is changed here and there, and what it may differ by."""

    def __init__(self, random: Random, images: Path) -> None:
        name, self.as_kind = random.choice(PICTURES)
        flag = cv2.IMREAD_COLOR if self.as_kind == "rgb" else cv2.IMREAD_GRAYSCALE
        whole = cv2.imread(str(images / name), flag)
        assert whole is not None, name
        if whole.ndim == 2:
            whole = whole[:, :, None]
        self.name = name
        self.text = cut(random, whole, MAX_SIDE, MAX_SIDE)
        rows, cols, self.channels = self.text.shape
        height, width = random.randint(2, min(40, rows)), random.randint(2, min(40, cols))
        self.needle = cut(random, self.text, height, width).copy()
        self.tolerance = random.choice([0, 0, 1, 4, 16])
        self.wrong = random.choice([0, 0, 1, 3, height * width // 50])
        self.mask = make_mask(random, height, width)
        self.change(numpy.random.default_rng(random.randrange(1 << 30)))
        self.alpha = self.as_kind == "rgb" and random.random() < 0.4
        self.engine = random.choice(["auto", "auto", "direct"])

    def change(self, random: numpy.random.Generator) -> None:
        """As much as a place may differ, and what the mask hides."""
        noise = random.integers(-self.tolerance, self.tolerance + 1, self.needle.shape)
        changed = numpy.clip(self.needle.astype(int) + noise, 0, 255)
        hidden = self.mask == 0
        changed[hidden] = random.integers(0, 256, (int(hidden.sum()), self.channels))
        for _ in range(random.integers(0, self.wrong + 1)):
            row, col = random.integers(0, self.mask.shape[0]), random.integers(0, self.mask.shape[1])
            changed[row, col] = random.integers(0, 256, self.channels)
        self.needle = changed.astype(numpy.uint8)

    def __str__(self) -> str:
        return (f"{self.name} {self.text.shape}, a needle {self.needle.shape} with "
                f"{int((self.mask == 0).sum())} masked cells, tolerance {self.tolerance}, "
                f"wrong {self.wrong}, {self.engine}{', alpha' if self.alpha else ''}")


def cut(random: Random, picture: numpy.ndarray, rows: int, cols: int) -> numpy.ndarray:
    rows, cols = min(rows, picture.shape[0]), min(cols, picture.shape[1])
    row = random.randint(0, picture.shape[0] - rows)
    col = random.randint(0, picture.shape[1] - cols)
    return picture[row:row + rows, col:col + cols]


def make_mask(random: Random, rows: int, cols: int) -> numpy.ndarray:
    """255 where cells are compared: all, a disc, all but a box, or some here and there."""
    mask = numpy.full((rows, cols), 255, numpy.uint8)
    kind = random.randrange(4)
    if kind == 1:
        y, x = numpy.ogrid[:rows, :cols]
        mask[((y - rows / 2) / (rows / 2)) ** 2 + ((x - cols / 2) / (cols / 2)) ** 2 > 1] = 0
    elif kind == 2:
        mask[rows // 4:rows - rows // 3, cols // 4:cols - cols // 3] = 0
    elif kind == 3:
        share = random.random()
        mask[numpy.random.default_rng(random.randrange(1 << 30)).random((rows, cols)) > share] = 0
    mask[rows // 2, cols // 2] = 255
    return mask


def trawl_places(trawl: str, case: Case, folder: Path) -> Set[Place]:
    text, needle, mask = (str(folder / name) for name in ("text.png", "needle.png", "mask.png"))
    cv2.imwrite(text, case.text)
    command = [trawl, "grid", "--as", case.as_kind, "--engine", case.engine, "-n", needle,
               "--tolerance", str(case.tolerance), "--wrong", str(case.wrong)]
    if case.alpha:
        cv2.imwrite(needle, numpy.dstack([case.needle, case.mask]))
        command.append("--alpha-mask")
    else:
        cv2.imwrite(needle, case.needle)
        cv2.imwrite(mask, case.mask)
        command += ["--mask", mask]
    done = subprocess.run([*command, text], capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise AssertionError(f"{' '.join(command)}: {done.stderr}")
    rows = [line.split("\t") for line in done.stdout.splitlines()[1:]]
    return {(int(row[3]), int(row[4])) for row in rows}


def are_occurrences(case: Case, rows: numpy.ndarray, cols: numpy.ndarray) -> numpy.ndarray:
    """Cell by cell of the needle: how many of those at each place are out of bounds."""
    wrong = numpy.zeros(len(rows), numpy.int64)
    text, needle = case.text.astype(numpy.int16), case.needle.astype(numpy.int16)
    for row, col in zip(*numpy.nonzero(case.mask)):
        differs = numpy.abs(text[rows + row, cols + col] - needle[row, col]) > case.tolerance
        wrong += differs.any(axis=1)
    return wrong <= case.wrong


def compare(trawl: str, case: Case, folder: Path) -> Optional[Tuple[int, int]]:
    """How many places there are, and how many OpenCV alone would lose; None: too much to look at."""
    mask = numpy.repeat((case.mask > 0).astype(numpy.float32)[:, :, None], case.channels, axis=2)
    distance = cv2.matchTemplate(case.text, case.needle, cv2.TM_SQDIFF, mask=mask)
    cells = int((case.mask > 0).sum())
    most = (case.tolerance ** 2 * cells + 255 ** 2 * case.wrong) * case.channels
    error = 2e-4 * 255 ** 2 * cells * case.channels + 1  # floats of 24 bits, and then some
    rows, cols = numpy.nonzero(~(distance > most + error))
    if len(rows) * cells > MAX_LOOKED_AT:
        return None
    fine = are_occurrences(case, rows, cols)
    expected = set(zip(rows[fine].tolist(), cols[fine].tolist()))
    found = trawl_places(trawl, case, folder)
    if found != expected:
        missed, more = sorted(expected - found)[:5], sorted(found - expected)[:5]
        raise AssertionError(f"{len(found)} places, not {len(expected)}; missed {missed}, more {more}")
    lost = int((distance[rows[fine], cols[fine]] > most + 0.5).sum())
    return len(expected), lost


def main(arguments: List[str]) -> int:
    if len(arguments) < 2 or not os.access(arguments[0], os.X_OK):
        print(f"usage: {sys.argv[0]} TRAWL DATA [CASES [SEED]]", file=sys.stderr)
        return 2
    trawl, images = os.path.abspath(arguments[0]), Path(arguments[1]) / "images"
    if not images.is_dir():
        print("skipped: there is no folder of test data with pictures in it (DATA/images)")
        return SKIPPED
    cases = int(arguments[2]) if len(arguments) > 2 else 40
    seed = int(arguments[3]) if len(arguments) > 3 else 1
    places = lost = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(seed, seed + cases):
            case = Case(Random(number), images)
            try:
                result = compare(trawl, case, Path(folder))
            except AssertionError as error:
                print(f"seed {number}: {case}: {error}")
                return 1
            if result is None:
                skipped += 1
            else:
                places += result[0]
                lost += result[1]
    print(f"{cases - skipped} cases agree with OpenCV {cv2.__version__}, {places} places, of which "
          f"its distances lose {lost}; {skipped} cases had too many candidates")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
