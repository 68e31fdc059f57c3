"""Records of files: what trawl.open gives, against Python's own modules."""
import gzip
import io
import lzma
import os
import struct
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import trawl

FASTA = b">one first\nACGT\nACGT\n\n>two\nGG TT\n>three\n\n>four\nTT\n"
SEQUENCES = [("one", b"ACGTACGT"), ("two", b"GGTT"), ("three", b""), ("four", b"TT")]


def capture(payloads):
    """A pcap of UDP packets over Ethernet."""
    packets = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)
    for payload in payloads:
        udp = struct.pack(">HHHH", 1000, 53, 8 + len(payload), 0) + payload
        ip = struct.pack(">BBHHHBBH4B4B", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0,
                         10, 0, 0, 1, 10, 0, 0, 2) + udp
        frame = bytes(12) + b"\x08\x00" + ip
        packets += struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame
    return packets


def records_of(path, **options):
    return [(r.name, r.data) for r in trawl.open(path, **options)]


def need(path, **options):
    """The records, or a skip where a library of others is missing here."""
    try:
        return records_of(path, **options)
    except trawl.ReadError as error:
        if "install" in str(error):
            pytest.skip(str(error))
        raise


def test_sequences(tmp_path):
    """FASTA and FASTQ give names and joined lines; records are numbered through."""
    path = tmp_path / "a.fasta"
    path.write_bytes(FASTA)
    assert records_of(path) == SEQUENCES
    assert [r.number for r in trawl.open(path)] == [0, 1, 2, 3]
    assert {r.text for r in trawl.open(path)} == {str(path)}
    (tmp_path / "reads.fastq").write_bytes(b"@r1 x\nACGT\n+\nIIII\n@r2\nTT\n+\nII\n")
    assert records_of(tmp_path / "reads.fastq") == [("r1", b"ACGT"), ("r2", b"TT")]


@pytest.mark.parametrize("suffix, pack", [("gz", gzip.compress), ("xz", lzma.compress)])
def test_packed(tmp_path, suffix, pack):
    """What is compressed is read as what it was."""
    path = tmp_path / ("a.fasta." + suffix)
    path.write_bytes(pack(FASTA))
    assert need(path) == SEQUENCES


def test_archives(tmp_path):
    """Each member of tar and zip is a text by itself, named after the archive."""
    members = {"a.fasta": FASTA, "b.txt": b"plain text", "c.gz": gzip.compress(b"packed")}
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    for path in (tmp_path / "x.tar.gz", tmp_path / "x.zip"):
        assert need(path) == SEQUENCES + [("", b"plain text"), ("", b"packed")]
        whole = trawl.open(path).read()
        assert [whole.text_of(i) for i in range(6)] == \
            [f"{path}:a.fasta"] * 4 + [f"{path}:b.txt", f"{path}:c.gz"]
        assert whole.names == ["one", "two", "three", "four", "", ""]


def test_captures(tmp_path):
    """Packets give their payloads, named by flow."""
    path = tmp_path / "x.pcap"
    path.write_bytes(capture([b"GET /", b"", b"cmd.exe"]))
    assert need(path) == [("udp 10.0.0.1:1000 > 10.0.0.2:53", payload)
                          for payload in (b"GET /", b"", b"cmd.exe")]


def test_lines_and_whole_texts(tmp_path):
    """Any text can be read by lines, or as one record, however long."""
    path = tmp_path / "log"
    lines = [b"%d error" % i for i in range(100000)] + [b"x" * 5000000, b"last"]
    path.write_bytes(b"\n".join(lines))
    read = [data.rstrip(b"\n") for _, data in records_of(path, records="lines")]
    assert read == lines
    assert records_of(path, records="whole") == [("", b"\n".join(lines))]
    assert records_of(path) == records_of(path, records="whole")
    path.write_bytes(FASTA)
    assert records_of(path, records="whole") == [("", FASTA)]
    path.write_bytes(b"")
    assert len(trawl.open(path).read()) == len(records_of(path)) <= 1


def test_known_records(tmp_path):
    """Reads of SAM, entries of GenBank; what is no FASTA by one line is told; what cannot be read says
    what to do."""
    path = tmp_path / "x"
    path.write_bytes(b"@HD\tVN:1\nr1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\t*\n")
    assert records_of(path) == records_of(path, records="sam") == [("r1", b"ACGT")]
    path.write_bytes(b"LOCUS       A\nORIGIN\n        1 acgt acgt\n//\n")
    assert records_of(path) == records_of(path, records="genbank") == [("A", b"acgtacgt")]
    path.write_bytes(b">a\nACGT\nAC?T\n")
    with pytest.warns(UserWarning, match="line 3 has a byte that is no letter"):
        assert records_of(path) == [("", b">a\nACGT\nAC?T\n")]
    assert records_of(path, records="fasta") == [("a", b"ACGTAC?T")]
    path.write_bytes(b">a\n" + b"ACGT\n" * 20000 + b"AC?T\n")
    with pytest.warns(UserWarning, match="line 20002 has a byte that is no letter"):
        assert records_of(path) == [("a", b"ACGT" * 20000 + b"AC?T")]
    path.write_bytes(b">a\rACGT\rAC\r")
    assert records_of(path) == [("a", b"ACGTAC")]
    path.write_bytes(b"r1\t4\t*\t0\t0\t*\t*\t0\t0\tACGT\t*\n")
    assert records_of(path) == [("r1", b"ACGT")]
    path.write_bytes(b"CRAM\3\0" + bytes(20))
    with pytest.raises(trawl.ReadError, match="samtools fasta"):
        records_of(path)


def test_pipes(tmp_path):
    """A named pipe is opened once, by what reads it: open does not wait for a writer, whose first words
    it would take along, and all that the writer says is read."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    lines = [b"line %d" % i for i in range(99)]
    with ThreadPoolExecutor(1) as pool:
        opening = pool.submit(trawl.open, path, records="lines")
        try:
            reader = opening.result(timeout=60)
        finally:
            with open(path, "wb") as pipe:
                pipe.write(b"\n".join(lines))
    assert [record.data for record in reader] == lines


def test_searching_records(tmp_path, rng):
    """find_many takes a reader, its batches, or all records at once; matches say which record."""
    names = ["s%d" % i for i in range(30000)]
    sequences = [bytes(rng.choices(b"ACGT", k=rng.randint(0, 200))) for _ in names]
    path = tmp_path / "many.fasta"
    path.write_bytes(b"".join(b">%s\n%s\n" % (n.encode(), s) for n, s in zip(names, sequences)))
    plan = trawl.compile(["GATTACA", "GGWCC"], syntax="iupac")
    expected = plan.find_many(sequences)
    assert len(expected) > 100
    assert (plan.find_many(trawl.open(path)) == expected).all()
    whole = trawl.open(path).read()
    assert whole.names == names and whole[7] == sequences[7] == whole[7 - len(names)]
    assert (plan.find_many(whole) == expected).all()
    assert (plan.find_many(trawl.open(path), max_matches=90) == expected[:90]).all()
    batches = list(trawl.open(path).batches())
    assert len(batches) > 1 and sum(map(len, batches)) == len(names)
    assert (np.concatenate([plan.find_many(b) for b in batches]) == expected).all()
    with trawl.open(path) as reader:
        next(reader.batches())  # and the rest is left unread
    none = plan.find_many(trawl.open("none", data=b"", records="lines"))
    assert len(none) == 0 and none.dtype == trawl.MATCH and none.dtype is not trawl.MATCH


@pytest.mark.parametrize("offsets", [
    [0, 3, 6], (0, 3, 6), np.array([0, 3, 6], np.int32), np.array([0, 3, 6], np.uint32),
    np.array([0, 3, 6], ">i8"), np.array([0, 9, 3, 9, 6])[::2],
    np.frombuffer(b"x" + np.array([0, 3, 6]).tobytes(), np.int64, offset=1),
], ids=str)
def test_records_of_any_offsets(offsets):
    """Records that a program makes itself say where they are by any integers."""
    records = trawl.Records(np.frombuffer(b"abcabcabc", np.uint8), offsets, b"", 0, [(0, "")])
    assert trawl.compile("ab").find_many(records)["record"].tolist() == [0, 1]


@pytest.mark.parametrize("offsets", [
    [], np.array([], np.int64), np.array([[0, 3, 6]]), np.array(0), [0.0, 3.5], [0, 3, 99], [0, -3],
    [3, 0], None, "036", np.array([0, 3, 2**63], np.uint64),
], ids=str)
def test_records_without_a_place(offsets):
    """What are no offsets, or lead out of the bytes, is refused."""
    records = trawl.Records(np.frombuffer(b"abcabcabc", np.uint8), offsets, b"", 0, [(0, "")])
    with pytest.raises((TypeError, ValueError)):
        trawl.compile("ab").find_many(records)


def test_a_reader_is_used_once(tmp_path):
    """A second way through a reader is refused, as it would go on where the first one ended; what `read`
    gave is gone through again and again."""
    path = tmp_path / "a.fasta"
    path.write_bytes(FASTA)
    plan = trawl.compile("AC")
    ways = (list, lambda reader: list(reader.batches()), trawl.Reader.read, plan.find_many,
            lambda reader: next(iter(reader)), lambda reader: next(reader.batches()))
    for first in ways:
        for second in ways:
            reader = trawl.open(path)
            first(reader)
            with pytest.raises(ValueError, match="a.fasta' was used.*open it again"):
                second(reader)
    reader.close()
    closed = trawl.open(path)
    closed.close()
    with pytest.raises(ValueError, match="is closed"):
        closed.read()
    records = trawl.open(path).read()
    assert records[0:2] == [b"ACGTACGT", b"GGTT"] and records[::-2] == [b"TT", b"GGTT"]
    assert records[-1:] == [b"TT"] and records[9:] == [] and records[np.int64(1)] == b"GGTT"
    with pytest.raises(TypeError):
        records["1"]
    assert (plan.find_many(records) == plan.find_many(records)).all() and list(records) == records[:]


def test_several_files(tmp_path):
    """Files of a list are read one after the other, their records numbered through; all are looked for
    before the first one is read."""
    (tmp_path / "a.fasta").write_bytes(FASTA)
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"@r\nACAC\n+\nIIII\n"))
    (tmp_path / "empty").write_bytes(b"")
    paths = [tmp_path / "a.fasta", str(tmp_path / "empty"), os.fsencode(tmp_path / "b.gz")]
    records = list(trawl.open(paths))
    assert [(r.name, r.data) for r in records if r.text != paths[1]] == SEQUENCES + [("r", b"ACAC")]
    assert [r.number for r in records] == list(range(len(records)))
    assert [r.text for r in records][::len(records) - 1] == [str(paths[0]), os.fsdecode(paths[2])]
    plan = trawl.compile("AC")
    expected = plan.find_many([r.data for r in records]).tolist()
    assert plan.find_many(trawl.open(paths)).tolist() == expected
    assert plan.find_many(trawl.open(iter(paths)).read()).tolist() == expected
    with pytest.raises(FileNotFoundError):
        trawl.open([paths[0], tmp_path / "none"])
    for wrong, data in (([], None), (paths, b"")):
        with pytest.raises(ValueError, match="file"):
            trawl.open(wrong, data=data)


def test_cut_off(tmp_path):
    """A record that ends where its text is damaged says so, and the error says why."""
    whole, path = tmp_path / "a.fasta", tmp_path / "a.fasta.gz"
    whole.write_bytes(FASTA)
    path.write_bytes(gzip.compress(b">a\nACGT\n>b\n" + b"ACGT" * 1000, 0)[:-1000])
    with pytest.raises(trawl.ReadError) as raised:
        need(path)
    assert raised.value.text == str(path)
    reader = trawl.open([whole, path, whole], errors="keep")
    records = list(reader)
    assert [r.name for r in records] == ["one", "two", "three", "four", "a", "b", "one", "two", "three", "four"]
    assert [r.name for r in records if r.cut] == ["b"] and 2000 < len(records[5].data) < 4000
    assert [text for text, _ in reader.errors] == [str(path)]
    assert trawl.open([whole, path, whole], errors="keep").read().cut == [5]
    assert trawl.open(whole).read().cut == []


def test_qualities(tmp_path, rng):
    """Of FASTQ each letter has its quality, where they are asked for: on one line or several, of records
    longer than a batch, across batches and files."""
    reads = [("r%d" % i, bytes(rng.choices(b"ACGTN", k=n)), bytes(rng.choices(b"!+@I~" if i % 3 else b"!I~", k=n)))
             for i, n in enumerate([4, 0, 1, 3000000, 150] + [rng.randint(1, 300) for _ in range(20000)])]

    def wrapped(text, width):
        return b"\n".join(text[i:i + width] for i in range(0, len(text), width))
    path = tmp_path / "reads.fastq"
    with open(path, "wb") as file:
        for i, (name, letters, qualities) in enumerate(reads):
            width = 10**7 if i % 3 else 70
            file.write(b"@%s x\n%s\n+\n%s\n" % (name.encode(), wrapped(letters, width),
                                                wrapped(qualities, width)))
    assert [(r.name, r.data, r.qualities) for r in trawl.open(path, qualities=True)] == reads
    whole = trawl.open(path, qualities=True).read()
    assert whole.qualities.tobytes() == b"".join(q for _, _, q in reads)
    assert whole.qualities_of(3) == reads[3][2] and whole[3] == reads[3][1]
    assert trawl.open(path).read().qualities is None
    assert {r.qualities for r in trawl.open(path)} == {b""}
    (tmp_path / "a.fasta").write_bytes(FASTA)
    assert trawl.open(tmp_path / "a.fasta", qualities=True).read().qualities is None
    both = trawl.open([tmp_path / "a.fasta", path], qualities=True).read()
    assert both.qualities_of(0) == bytes(8) and both.qualities_of(4) == reads[0][2]
    lines = b"@r\nAC\nGT\n+r\nI!\n@I\n@s\nA\n+\n+\n"
    assert [(r.data, r.qualities) for r in trawl.open("a", data=lines, qualities=True)] == \
        [(b"ACGT", b"I!@I"), (b"A", b"+")]
    cut = trawl.open("a", data=b"@r\nACGT\n+\nII\n", qualities=True, errors="keep")
    assert [(r.qualities, r.cut) for r in cut] == [(b"II!!", True)] and len(cut.errors) == 1


def test_failures(tmp_path):
    """What cannot be read raises after what came before it, or is kept and passed over."""
    with pytest.raises(FileNotFoundError):
        trawl.open(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        trawl.open(tmp_path)
    held = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(TypeError):
        trawl.open(held)  # and does not close what is another's
    os.close(held)
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(bytes(range(256)) * 5000)[:-100])
    with pytest.raises(trawl.ReadError) as caught:
        list(trawl.open(path))
    assert caught.value.text == str(path) and isinstance(caught.value, OSError)
    reader = trawl.open(path, errors="keep")
    list(reader)
    assert [text for text, _ in reader.errors] == [str(path)]
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(bytes(100 << 20)))
    with pytest.raises(trawl.ReadError, match="not read; a larger ratio allows more$"):
        list(trawl.open(bomb))
    assert [len(r.data) for r in trawl.open(bomb, ratio=0)] == [100 << 20]
    for wrong in ({"records": "pages"}, {"errors": "ignore"}, {"ratio": -1}, {"ratio": 2**70},
                  {"threads": -1}, {"threads": 2**40}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            trawl.open(path, **wrong)
    assert len(trawl.open(bomb, ratio=np.int64(0), threads=np.int64(1)).read()) == 1


def test_real_files(data):
    """A proteome gives as many sequences, with as many letters, as its file says."""
    path = data / "protein" / "ecoli_k12.fasta.gz"
    candidates = [path] if path.exists() else sorted((data / "protein").glob("*.fa*.gz"))
    if not candidates:
        pytest.skip("no packed FASTA in TRAWL_DATA/protein")
    text = gzip.decompress(candidates[0].read_bytes())
    records = trawl.open(candidates[0]).read()
    parts = text.split(b">")[1:]
    assert records.names == [part.split()[0].decode() for part in parts]
    assert len(records.data) == sum(len(b"".join(p.split(b"\n")[1:]).replace(b"\r", b""))
                                    for p in parts)


def test_bytes_at_hand(tmp_path):
    """Bytes in memory are read as the file of that name, which need not exist; they stay alive."""
    read = trawl.open("none.fasta", data=memoryview(FASTA)).read()
    assert [(name, read[i]) for i, name in enumerate(read.names)] == SEQUENCES
    assert read.text_of(0) == "none.fasta"
    packed = trawl.open("a.gz", data=gzip.compress(FASTA))
    assert [(r.name, r.data) for r in packed] == SEQUENCES
    odd = b">one\n12 34\n"
    with pytest.warns(UserWarning, match="a: line 2 has"):
        assert [r.data for r in trawl.open("a", data=odd)] == [odd]
    assert [r.data for r in trawl.open("a", data=odd, records="fasta")] == [b"1234"]
    with pytest.raises(TypeError):
        trawl.open("a", data="text")


@pytest.mark.parametrize("options", [{"ratio": -1}, {"ratio": 2**70}, {"threads": -1},
                                     {"threads": 2**32}])
def test_numbers_of_no_reader(options):
    """A number that is none of threads, or of bytes, is not taken modulo 2**64."""
    with pytest.raises(ValueError, match="number from 0"):
        trawl.open("name", data=b"text", **options)


@pytest.mark.parametrize("records", ["lines", "fasta", "whole"])
def test_a_record_that_is_too_long(records):
    """No part of a record of more than 1 GiB is given as one; those before it are."""
    text = gzip.compress(b">one\nAC\n>two" + (b" " if records == "lines" else b"\n"))
    text += gzip.compress(b"A" * (1 << 24)) * 65  # members, which are one text
    before = {"lines": [b">one", b"AC"], "fasta": [b"AC"], "whole": []}[records]
    reader = trawl.open("name", data=text, records=records, ratio=0, errors="keep")
    assert [r.data for r in reader] == before
    assert [why for _, why in reader.errors] == [
        "has a record of more than 1 GiB: map the file, or feed it to a stream"]
