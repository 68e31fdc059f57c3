"""Files on a Dask cluster: the table is that of one search of each file, however they are divided,
packed and stored, and whoever is killed on the way. Nothing is timed."""
import gzip
import http.server
import os
import random
import re
import signal
import struct
import threading
import time
import warnings
import zlib

import numpy as np
import pytest

import oracle
import trawl

dask = pytest.importorskip("dask", reason="dask is not there: pip install libtrawl[dask]")
pytest.importorskip("dask.dataframe", reason="dask.dataframe is not there: pip install libtrawl[dask]")
import trawl.dask  # noqa: E402

REPORTS = ["each", "ends", "pairs", "longest", "shortest", "leftmost-longest", "leftmost-first"]
WORDS = [b"ab", b"abba", b"acdc", b"bcbcb", b"dddd"]


@pytest.fixture(autouse=True)
def alone(request):
    """Tasks one by one in this process, but where a test asks for a cluster."""
    where = "distributed" if "cluster" in request.fixturenames else "synchronous"
    with dask.config.set(scheduler=where):
        yield


RUNS = random.Random(os.environ.get("TRAWL_TEST_SEED", "1"))


def rows_of(frame):
    """Rows as tuples (path, pattern, start, end, record), a start that is not known -1."""
    starts = frame["start"].fillna(-1)
    return list(zip(frame["path"], frame["pattern"], starts, frame["end"], frame["record"]))


def table(urlpath, plan, **options):
    """Rows of a scan, whose tasks have runs of one block, some, or all, if not said."""
    options.setdefault("run", RUNS.choice([1, 2, 3, RUNS.randint(4, 20), 1000]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rows_of(trawl.dask.scan(urlpath, plan, **options).compute())


def expected(path, found):
    return [(str(path), *match) for match in found]


def text_of(rng, length, letters=b"abcd\n"):
    return bytes(rng.choice(letters) for _ in range(length))


# ---- texts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("report", REPORTS)
def test_every_cut(tmp_path, rng, cases, report):
    """Random patterns, among them such without a longest match, and blocks from one byte on."""
    for number in range(max(4, cases // 60)):
        patterns = [p for p in (oracle.random_pattern(rng) for _ in range(2))
                    if oracle.is_pattern(p)] or ["a[^d]*b", "c.*d"]
        text = text_of(rng, rng.randint(1, 50))
        path = tmp_path / str(number)
        path.write_bytes(text)
        found = oracle.find(patterns, text, report)
        plan = trawl.compile(patterns)
        assert plan.find(text, report=report).tolist() == found
        for size, run in ((1, rng.randint(1, 20)), (rng.randint(2, 50), rng.randint(1, 4))):
            assert table(str(path), plan, blocksize=size, run=run, report=report) == \
                expected(path, found), (patterns, text, size, run)


def test_against_re(tmp_path, rng):
    """All occurrences of words, as re finds them by lookahead, over cuts at every place."""
    text = text_of(rng, 700, b"abcd")
    path = tmp_path / "text"
    path.write_bytes(text)
    found = sorted((m.start() + len(word), m.start(), number)
                   for number, word in enumerate(WORDS)
                   for m in re.finditer(b"(?=" + word + b")", text))
    found = [(number, start, end, 0) for end, start, number in found]
    for size in (1, 2, 3, 5, 16, 699):
        assert table(str(path), trawl.compile(WORDS), blocksize=size) == expected(path, found)


def test_many_files(tmp_path, rng):
    """A list, a folder and wildcards; files of all sizes, empty ones too, in the order of names."""
    plan = trawl.compile(WORDS)
    rows = []
    for number in range(130):
        path = tmp_path / f"{number:03}.txt"
        text = text_of(rng, rng.choice([0, 1, 5, 40, 300]))
        path.write_bytes(text)
        rows += expected(path, plan.find(text).tolist())
    paths = [str(path) for path in sorted(tmp_path.iterdir())]
    for urlpath in (str(tmp_path), str(tmp_path / "*.txt"), paths, f"file://{tmp_path}"):
        assert table(urlpath, plan, blocksize=100) == rows
    assert table(paths, plan, blocksize=1 << 20) == rows
    plan_of_blocks = trawl.dask.blocks(paths, plan, blocksize=100)
    assert set(plan_of_blocks["how"]) == {"bytes"} and len(plan_of_blocks) > len(paths)
    with pytest.raises(FileNotFoundError):
        trawl.dask.scan(str(tmp_path / "*.log"), plan)
    with pytest.raises(FileNotFoundError):
        trawl.dask.scan(str(tmp_path / "none"), plan)


def test_a_file_that_changed(cluster, tmp_path):
    """A scan is not taken for an earlier one of the same file, of the same length, that is still
    held."""
    path = tmp_path / "text"
    plan = trawl.compile("ab")
    held = []
    for text, count in ((b"abxx", 1), (b"xxxx", 0)):
        path.write_bytes(text)
        os.utime(path, (count, count))
        held.append(trawl.dask.scan(str(path), plan, client=cluster))
        assert len(held[-1].compute()) == count


def test_once(tmp_path, rng):
    """The first match of a pattern in a file, not in each block."""
    text = text_of(rng, 500)
    path = tmp_path / "text"
    path.write_bytes(text)
    plan = trawl.compile(["ab", "[bc]+d", "ca"], flags=[trawl.ONCE, trawl.ONCE, 0])
    for report in ("each", "ends", "pairs"):
        assert table(str(path), plan, blocksize=20, report=report) == \
            expected(path, plan.find(text, report=report).tolist())


def test_what_cannot_be_cut(tmp_path, rng):
    """Reports that must see the whole text: searched whole, and said so."""
    text = text_of(rng, 300)
    path = tmp_path / "text"
    path.write_bytes(text)
    plan = trawl.compile("a.*b")
    with pytest.warns(UserWarning, match="one task"):
        trawl.dask.scan(str(path), plan, blocksize=30)
    assert table(str(path), plan, blocksize=30) == expected(path, plan.find(text).tolist())
    rows = trawl.dask.blocks(str(path), plan, blocksize=30)
    assert len(rows) == 1 and "unbounded" in rows["why"][0]


def test_seldom_cut(tmp_path):
    """A run without an end of a match is longer than many blocks."""
    text = b"x" * 10 + b"a" * 500 + b" bb " + b"a" * 300
    path = tmp_path / "text"
    path.write_bytes(text)
    for patterns in (["a+"], ["a+", "ab?a", " b+"], ["xa*"]):
        plan = trawl.compile(patterns)
        for report in ("each", "leftmost-longest", "ends", "longest"):
            assert table(str(path), plan, blocksize=40, report=report) == \
                expected(path, plan.find(text, report=report).tolist())


def test_what_lives_on(tmp_path, rng, lasting):
    """From so long before a block that the bytes before it do not tell."""
    patterns, report, text = lasting
    path = tmp_path / "text"
    path.write_bytes(text)
    plan = trawl.compile(patterns)
    rows = expected(path, plan.find(text, report=report).tolist())
    assert len(rows) > 5 and plan.range_needs(report=report).follows
    for size in (150, 700, 1500, rng.randint(600, 4000)):
        for run in (1, 2, rng.randint(3, 9), 100):
            assert table(str(path), plan, blocksize=size, run=run, report=report) == rows, \
                (size, run)


def test_runs(tmp_path, rng):
    """A task searches a run of blocks; files of no more blocks are searched together."""
    from trawl.dask import _tables

    for blocks in (1, 2, 7, 64, 100):
        for most in (1, 2, 5, 64, 1000):
            runs = _tables.runs_of(blocks, most)
            assert [run[0] for run in runs[1:]] == [run[1] for run in runs[:-1]]
            assert runs[0][0] == 0 and runs[-1][1] == blocks and len(runs) == -(-blocks // most)
            assert all(0 < last - first <= most for first, last in runs)
    plan, rows, paths = trawl.compile([*WORDS, "a[bc]{2,5}"]), [], []
    for number, size in enumerate([50, 120, 90, 1000, 10, 0, 260, 50]):
        paths.append(str(tmp_path / str(number)))
        text = text_of(rng, size)
        (tmp_path / str(number)).write_bytes(text)
        rows += expected(paths[-1], plan.find(text).tolist())
    for run, parts in ((1, 19), (3, 7), (1000, 1)):
        found = trawl.dask.scan(paths, plan, blocksize=100, run=run)
        assert found.npartitions == parts and rows_of(found.compute()) == rows


def test_how_long_runs_are(tmp_path, monkeypatch):
    """Where there are many blocks each thread has four tasks, where there are some two; never are
    there more threads than tasks, if there are as many blocks."""
    def tasks(blocks, threads, plan=trawl.compile("ab"), report="each"):
        path = tmp_path / "text"
        path.write_bytes(b"x" * blocks)
        monkeypatch.setattr(trawl.dask, "_threads", lambda client: threads)
        return trawl.dask.scan(str(path), plan, blocksize=1, report=report).npartitions

    assert [tasks(blocks, 4) for blocks in (1, 7, 8, 32, 64, 200)] == [1, 7, 8, 8, 16, 17]
    assert [tasks(blocks, 4, trawl.compile("a.*b"), "ends") for blocks in (3, 32)] == [3, 4]
    assert tasks(3000, 4) == 188 and tasks(100, 1000) == 100 and tasks(50, 0) == 50
    monkeypatch.setattr(trawl.dask, "MAX_TASKS", 300)
    assert tasks(2000, 200) == 334 and tasks(2000, 1000) == 1000


# ---- the table ---------------------------------------------------------------------------------


def test_columns(tmp_path):
    """Types are the same in every part, and those that were promised; names are categories."""
    paths = []
    for number in range(3):
        paths.append(str(tmp_path / str(number)))
        with open(paths[-1], "wb") as file:
            file.write([b"", b"ushers she", b"xx"][number])
    plan = trawl.compile(["he", "h[a-z]*s", "she"], names=["short", "long", "short"])
    for report in ("each", "ends"):
        lazy = trawl.dask.scan(paths, plan, blocksize=5, report=report)
        assert list(lazy.columns) == ["path", "pattern", "start", "end", "record", "name",
                                      "record_name"]
        frame = lazy.compute()
        one = trawl.to_pandas(plan.find(b"ushers she", report=report), plan)
        assert frame["name"].tolist() == one["name"].tolist()
        assert frame["start"].isna().tolist() == one["start"].isna().tolist()
        for name, kind in lazy.dtypes.items():
            if str(kind) != "category":
                assert frame[name].dtype == kind
        assert frame["path"].dtype == "category" and set(frame["path"]) == {paths[1]}
    assert len(trawl.dask.scan(paths[0], plan).compute()) == 0
    counts = trawl.dask.scan(paths, plan).groupby("pattern").size().compute()
    assert counts.to_dict() == {0: 2, 1: 1, 2: 2}


def test_parquet(tmp_path, rng):
    """Written and read back it is the same."""
    pytest.importorskip("pyarrow")
    import dask.dataframe as dd

    (tmp_path / "in").mkdir()
    for number in range(3):
        (tmp_path / "in" / str(number)).write_bytes(text_of(rng, 400))
    plan = trawl.compile([*WORDS, b"none"], names=list("uvwxyz"))
    for report in ("each", "ends"):
        found = trawl.dask.scan(str(tmp_path / "in"), plan, blocksize=150, report=report)
        found.to_parquet(str(tmp_path / report))
        back = dd.read_parquet(str(tmp_path / report)).compute()
        one = found.compute()
        assert len(one) > 10
        for name in one:
            assert back[name].astype(str).tolist() == one[name].astype(str).tolist()


def test_arguments(tmp_path):
    """What is wrong is said before a task begins."""
    path = tmp_path / "text"
    path.write_bytes(b"ab")
    plan = trawl.compile("ab")
    for wrong in ({"report": "all"}, {"records": "words"}, {"blocksize": 0}, {"backend": "tpu"},
                  {"run": 0}):
        with pytest.raises(ValueError):
            trawl.dask.scan(str(path), plan, **wrong)
    with pytest.raises(ValueError):
        trawl.dask.scan([], plan)
    with pytest.raises(ValueError):
        trawl.dask.scan(str(path), trawl.grid(np.zeros((2, 2), np.uint8)).save(tmp_path / "grid")
                        or tmp_path / "grid")
    plan.save(tmp_path / "plan")
    assert table(str(path), str(tmp_path / "plan")) == expected(path, [(0, 0, 2, 0)])


# ---- storages ----------------------------------------------------------------------------------


def test_memory_storage(rng):
    """Files that are in no file system, by their URLs."""
    fsspec = pytest.importorskip("fsspec")
    text = text_of(rng, 300)
    with fsspec.open("memory://folder/a.txt", "wb") as file:
        file.write(text)
    plan = trawl.compile(WORDS)
    rows = table("memory://folder/*.txt", plan, blocksize=40)
    assert [row[1:] for row in rows] == plan.find(text).tolist()
    assert {row[0] for row in rows} == {"memory:///folder/a.txt"}


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, ranges of bytes too."""

    def log_message(self, *unused):
        pass

    def do_GET(self):
        with open(os.path.join(self.server.folder, self.path.strip("/")), "rb") as file:
            data = file.read()
        span = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        first, last = map(int, span.groups()) if span else (0, len(data) - 1)
        part = data[first:last + 1]
        self.send_response(206 if span else 200)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Accept-Ranges", "bytes")
        if span:
            self.send_header("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(data)}")
        self.end_headers()
        self.wfile.write(part)

    def do_HEAD(self):
        size = os.path.getsize(os.path.join(self.server.folder, self.path.strip("/")))
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.send_header("Accept-Ranges", "bytes")
        self.end_headers()


def test_http(tmp_path, rng):
    """A web server's files, in ranges."""
    pytest.importorskip("aiohttp")
    text = text_of(rng, 5000)
    (tmp_path / "a.txt").write_bytes(text)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges)
    server.folder = str(tmp_path)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    plan = trawl.compile([*WORDS, "a[^b]*d"])
    url = f"http://127.0.0.1:{server.server_port}/a.txt"
    try:
        rows = table(url, plan, blocksize=700)
    finally:
        server.shutdown()
    assert rows == expected(url, plan.find(text).tolist())


# ---- records -----------------------------------------------------------------------------------


def fasta(rng, count):
    """Sequences, some of them empty, some longer than a block."""
    lines = []
    for number in range(count):
        sequence = text_of(rng, rng.choice([0, 3, 20, 200]), b"ACGT").decode()
        lines.append(f">s{number} of {count}\n")
        lines += [sequence[i:i + 11] + "\n" for i in range(0, len(sequence), 11)]
    return "".join(lines).encode()


def one_scan(path, plan, records="auto", report="each"):
    """By the package, without Dask."""
    reader = trawl.open(path, records=records)
    return plan.find_many(reader, report=report).tolist()


@pytest.mark.parametrize("size", [7, 64, 333, 100000])
def test_sequences(tmp_path, rng, size):
    """Blocks of FASTA are whole records, numbered through, with their names."""
    path = tmp_path / "a.fasta"
    path.write_bytes(fasta(rng, 20))
    plan = trawl.compile(["ACG", "A.*T", "GG+"])
    for report in ("each", "leftmost-longest"):
        rows = table(str(path), plan, blocksize=size, report=report)
        assert rows == expected(path, one_scan(path, plan, report=report)) and len(rows) > 10
    frame = trawl.dask.scan(str(path), plan, blocksize=size).compute()
    assert all(name == f"s{record}" for name, record in zip(frame["record_name"], frame["record"]))
    how = trawl.dask.blocks(str(path), plan, blocksize=size)["how"]
    assert set(how) == {"fasta"}


def test_lines(tmp_path, rng):
    """Each line a record."""
    path = tmp_path / "a.log"
    path.write_bytes(text_of(rng, 600) + b"\n\nab")
    plan = trawl.compile(["ab", "c.*d"])
    for size in (1, 9, 50, 1000):
        rows = table(str(path), plan, blocksize=size, records="lines")
        assert rows == expected(path, one_scan(path, plan, "lines"))


def test_whole_kinds(tmp_path, rng):
    """Archives and FASTQ are read by one task, members named."""
    import tarfile

    fastq = b"".join(b"@r%d\n%s\n+\n%s\n" % (i, b"ACGTAC", b"IIIIII") for i in range(30))
    (tmp_path / "a.fastq").write_bytes(fastq)
    with tarfile.open(tmp_path / "b.tar", "w") as tar:
        tar.add(tmp_path / "a.fastq", "inner.fastq")
    plan = trawl.compile(["CGT"])
    rows = table(str(tmp_path), plan, blocksize=50)
    assert [row[1:] for row in rows if row[0].endswith("a.fastq")] == \
        one_scan(tmp_path / "a.fastq", plan)
    try:
        inner = one_scan(tmp_path / "b.tar", plan)
    except trawl.ReadError as error:
        pytest.skip(str(error))
    assert [row for row in rows if "b.tar" in row[0]] == \
        expected(f"{tmp_path}/b.tar:inner.fastq", inner)
    assert set(trawl.dask.blocks(str(tmp_path), plan)["how"]) == {"whole"}


# ---- packed ------------------------------------------------------------------------------------


def bgzip(data, size):
    """As bgzip packs, in blocks of `size` bytes, with the empty one at the end."""
    parts = []
    for at in [*range(0, len(data), size), None]:
        piece = b"" if at is None else data[at:at + size]
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        body = packer.compress(piece) + packer.flush()
        parts.append(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" +
                     struct.pack("<H", len(body) + 25) + body +
                     struct.pack("<II", zlib.crc32(piece), len(piece)))
    return b"".join(parts)


def members(data, size):
    return b"".join(gzip.compress(data[at:at + size]) for at in range(0, len(data), size))


@pytest.mark.parametrize("pack", [bgzip, members])
@pytest.mark.parametrize("size", [60, 300])
def test_gzip_in_members(tmp_path, rng, pack, size):
    """bgzip's blocks, and gzip files one after the other, are searched in parts, by the offsets of
    what they unpack to; matches across members are found."""
    plan = trawl.compile([*WORDS, "a[^d]*b", "c.*dd"])
    text = text_of(rng, 900)
    path = tmp_path / "a.gz"
    path.write_bytes(pack(text, rng.choice([30, 100])))
    for report in ("ends", "each", "pairs"):
        assert table(str(path), plan, blocksize=size, report=report, records="whole") == \
            expected(path, plan.find(text, report=report).tolist())
    words = trawl.compile(WORDS)
    assert table(str(path), words, blocksize=size) == expected(path, words.find(text).tolist())
    path.write_bytes(pack(fasta(rng, 15), 70))
    motifs = trawl.compile(["ACG", "A.*T"])
    rows = table(str(path), motifs, blocksize=size)
    assert rows == expected(path, one_scan(path, motifs)) and rows
    assert trawl.dask.blocks(str(path), motifs, blocksize=size)["how"][0] == "members"


def test_gzip_that_deceives(tmp_path, rng):
    """What looks like a member within one, and a file of one member: the answer is the same."""
    text = b"ab " + gzip.compress(b"abba" * 20, 0) + b"dddd" * 50 + text_of(rng, 300)
    plan = trawl.compile(WORDS)
    for packed in (gzip.compress(text, 0), gzip.compress(text),
                   gzip.compress(text[:400], 0) + gzip.compress(text[400:], 0) + b"\0" * 70):
        path = tmp_path / "a.gz"
        path.write_bytes(packed)
        for size in (30, 120, 250):
            assert table(str(path), plan, blocksize=size) == \
                expected(path, plan.find(text).tolist())


def test_damaged(tmp_path, rng):
    """Packed files that are damaged or cut off are errors, as they are without Dask."""
    plan = trawl.compile(WORDS)
    text = text_of(rng, 2000)
    for number, packed in enumerate([bgzip(text, 100)[:-28], members(text, 500)[:-9],
                                     gzip.compress(text)[:-9]]):
        path = tmp_path / f"{number}.gz"
        path.write_bytes(packed)
        for size in (100, 1 << 20):
            with pytest.raises(trawl.ReadError):
                table(str(path), plan, blocksize=size)


def test_zstd_in_frames(tmp_path, rng):
    """Frames of zstd, of known and unknown length, and such that are passed over."""
    pa = pytest.importorskip("pyarrow")

    def stream(piece):
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, "zstd") as out:
            out.write(piece)
        return sink.getvalue().to_pybytes()

    text = text_of(rng, 900)
    plan = trawl.compile([*WORDS, "c.*dd"])
    parts = [text[at:at + 90] for at in range(0, 900, 90)]
    skipped = b"\x52\x2a\x4d\x18" + struct.pack("<I", 5) + b"(\xb5/\xfd\0"
    path = tmp_path / "a.zst"
    for frames in ([pa.Codec("zstd").compress(p, asbytes=True) for p in parts],
                   [stream(p) for p in parts]):
        path.write_bytes(skipped.join(frames))
        try:
            trawl.open(path).read()
        except trawl.ReadError as error:
            pytest.skip(str(error))
        for size in (20, 150):
            assert table(str(path), plan, blocksize=size, report="ends") == \
                expected(path, plan.find(text, report="ends").tolist())


# ---- clusters ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster():
    """Three processes."""
    distributed = pytest.importorskip("distributed", reason="distributed is not there")
    with dask.config.set({"distributed.scheduler.allowed-failures": 20}), \
            distributed.LocalCluster(n_workers=3, threads_per_worker=1, processes=True,
                                     dashboard_address=None) as made, \
            distributed.Client(made) as client:
        yield client


@pytest.fixture
def files(tmp_path, rng):
    """Texts with sparse matches, their paths, and the rows of a plan that carries."""
    plan = trawl.compile([*WORDS, "a[^x]*x", "dd[ab]+c", "X.*cdcdc"])
    rows, paths = [], []
    block = text_of(rng, 5000)
    for number in range(3):
        path = tmp_path / str(number)
        path.write_bytes(b"X" + block * 8 + bytes([number]))
        rows += expected(path, plan.find(path.read_bytes(), report="ends").tolist())
        paths.append(str(path))
    return plan, paths, rows


def kill_twice(client, pids, done):
    """As soon as a worker has a result, and again later, it dies."""
    for _ in range(2):
        victim = None
        while victim is None and not done.is_set():
            holders = {worker for workers in client.who_has().values() for worker in workers}
            victim = next((pids.pop(w) for w in sorted(holders) if w in pids), None)
            time.sleep(0.01)
        if victim is not None:
            os.kill(victim, signal.SIGKILL)
            done.wait(1)


@pytest.mark.parametrize("run", [1, 3])
def test_a_killed_worker(cluster, files, run):
    """The table is the same when workers are killed in the middle, twice."""
    plan, paths, rows = files
    pids = cluster.run(os.getpid)
    done = threading.Event()
    killer = threading.Thread(target=kill_twice, args=(cluster, dict(pids), done))
    killer.start()
    try:
        found = trawl.dask.scan(paths, plan, blocksize=12000 // run, run=run, report="ends",
                                client=cluster)
        while len(pids.keys() & cluster.nthreads().keys()) > len(pids) - 2:
            time.sleep(0.01)
        frame = found.compute()
    finally:
        done.set()
        killer.join()
    assert rows_of(frame) == rows


def test_the_plan_travels_once(cluster, tmp_path):
    """A worker loads a plan once, whatever tasks and scans there are."""
    path = tmp_path / "text"
    path.write_bytes(b"abcd" * 1000)
    plan = trawl.compile([b"abcd%d" % i for i in range(300)])

    def loaded():
        from trawl.dask import _workers
        return len(_workers._plans)

    before = cluster.run(loaded)
    for size in (100, 170):
        assert len(trawl.dask.scan(str(path), plan, blocksize=size).compute()) == 0
    after = cluster.run(loaded)
    assert all(0 <= after[w] - before.get(w, 0) <= 1 for w in after) and max(after.values()) > 0


def test_few_tasks_are_spread(cluster, tmp_path):
    """Also where the scheduler would send all to the worker that has the plan."""
    path = tmp_path / "text"
    path.write_bytes(b"abcd" * 1000)
    for patterns, report in ((["cda", "b"], "each"), (["c.*d"], "ends")):
        found = trawl.dask.scan(str(path), trawl.compile(patterns), blocksize=700, client=cluster,
                                report=report)
        assert len(found.compute()) > 900
        parts = {str(key): workers for key, workers in cluster.who_has(found).items()}
        assert len(parts) == found.npartitions >= 3
        assert len({worker for workers in parts.values() for worker in workers}) > 1


def test_devices(tmp_path, monkeypatch):
    """Processes of a machine take devices of their own; a worker without one uses its CPU,
    unless it must not."""
    from trawl.dask import _workers

    monkeypatch.setattr(_workers, "_own", {})
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(_workers.tempfile, "tempdir", None)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(_workers._core, "devices", lambda backend: (["a", "b"], ""))
    claimed = [_workers._first_free("cuda", 2)[0:2] for _ in range(2)]
    assert [device for device, _ in claimed] == [0, 1]
    assert _workers._choose("cuda")[1] in (0, 1)  # all are taken: shared
    del claimed
    monkeypatch.setattr(_workers, "_own", {})
    assert _workers._choose("auto") == ("cuda", 0)
    monkeypatch.setattr(_workers._core, "devices", lambda backend: ([], "no driver"))
    assert _workers._choose("auto") == (None, None) == _workers._choose(None)
    with pytest.raises(trawl.DeviceError, match="no driver"):
        _workers._choose("cuda")


@pytest.mark.parametrize("report", ["each", "ends"])
def test_on_a_device(tmp_path, report):
    """A worker's device finds what its CPU finds."""
    if not trawl.devices("opencl"):
        pytest.skip("no device of OpenCL")
    path = tmp_path / "text"
    path.write_bytes(b"xab" + b"b" * 300 + b"c 2026-11 " * 1000)
    plan = trawl.compile(["ab+c", "[0-9]{4}-[0-9]{2}"])
    cpu, device = (trawl.dask.scan(str(path), plan, report=report, blocksize=700, run=3,
                                   backend=backend).compute() for backend in (None, "opencl"))
    assert len(cpu) == 1001 and cpu.equals(device)
