#!/usr/bin/python3
"""Verdicts of rules (trawl find --rules --verdicts). Usage: test_rule_verdicts.py TRAWL [DATA]

Rules and records are drawn, and judged by trying every choice of places, as rules are explained to
people; the verdicts must be the same. Where there is DATA, Suricata's own tests: contents must
occur as often as a plain search finds them, and rules that are evaluated whole must hold where
Suricata's authors expect an alert. Captures are left out, with a word, where TRAWL reads none.
"""
import lzma
import os
import random
import re
import struct
import subprocess
import sys
import tarfile
import tempfile

import asked
import one_plan
from asked import CASES, DATA, SEED, TRAWL, changed, result


def run(*arguments):
    done = subprocess.run([TRAWL, "find", *arguments], capture_output=True, check=False)
    if done.returncode > 1:
        raise SystemExit(f"trawl find {arguments}: {done.stderr.decode()}")
    return [line.split("\t") for line in done.stdout.decode("latin-1").split("\n")[1:-1]]


def why_no_captures() -> str:
    """What says why captures are not read; "" where they are."""
    with open("none.pcap", "wb") as out:
        out.write(capture([]))
    done = subprocess.run([TRAWL, "find", "a", "none.pcap"], capture_output=True, check=False)
    return done.stderr.decode().strip() if b" is a capture, which " in done.stderr else ""


# ---- drawn rules ---------------------------------------------------------------------------------

def draw_content(r: random.Random):
    c = {"bytes": bytes(r.choice(b"aAb") for _ in range(r.choice([1, 1, 2, 2, 3]))),
         "negated": r.randrange(5) == 0, "nocase": r.randrange(4) == 0}
    kind = r.randrange(8)
    if kind < 3:
        c["distance"] = r.randint(-3, 4)
        if r.randrange(2):
            c["within"] = r.randint(1, 8)
    elif kind == 3:
        c["within"] = r.randint(1, 8)
    elif kind == 4:
        c["offset"] = r.randint(0, 8)
    elif kind == 5:
        c["offset"], c["depth"] = r.randint(0, 8), r.randint(1, 12)
    elif kind == 6 and r.randrange(2):
        c["startswith"] = True
    if r.randrange(10) == 0:
        c["endswith"] = True
    if r.randrange(12) == 0:
        c["buffer"] = True
    if r.randrange(12) == 0:
        c["lost"] = True  # something that is not evaluated stands before it
    return c


def write_content(r: random.Random, c) -> str:
    text = "".join(f"|{b:02x}|" if r.randrange(4) == 0 else chr(b) for b in c["bytes"])
    options = [f"{name}:{c[name]}" for name in ["offset", "depth", "distance", "within"]
               if name in c]
    options += [name for name in ["nocase", "startswith", "endswith"] if c.get(name)]
    r.shuffle(options)
    if c.get("buffer"):
        options.append("http_uri")
    return (("pcre:\"/a;/\"; " if c.get("lost") else "") +
            f"content:{'!' if c['negated'] else ''}\"{text}\"; " + "".join(f"{o}; " for o in options))


PORTS = ["any", "80", "[80,90:95]", "!80", "[80:,!85]", "![80,81]", ":80", "$SOME"]


def draw_rule(r: random.Random, sid: int):
    rule = {"sid": sid, "contents": [draw_content(r) for _ in range(r.choice([1, 1, 2, 2, 3, 4]))],
            "protocol": r.choice(["tcp", "udp", "ip", "tcp", "ip"]),
            "from": r.choice(PORTS[:1] * 6 + PORTS), "to": r.choice(PORTS[:1] * 6 + PORTS),
            "either": r.randrange(5) == 0, "size": r.choice([None] * 6 + ["12", ">9", "<9", "!4"])}
    size = f"dsize:{rule['size']}; " if rule["size"] else ""
    arrow = "<>" if rule["either"] else "->"
    text = (f"alert {rule['protocol']} any {rule['from']} {arrow} any {rule['to']} (msg:\"rule {sid}\"; "
            f"{size}{''.join(write_content(r, c) for c in rule['contents'])}sid:{sid};)")
    return rule, text


def in_ports(spec: str, port: int) -> bool:
    if spec in ("any", "$SOME"):
        return True
    return {"80": port == 80, "[80,90:95]": port == 80 or 90 <= port <= 95, "!80": port != 80,
            "[80:,!85]": port >= 80 and port != 85, "![80,81]": port not in (80, 81),
            ":80": port <= 80}[spec]


def judge_contents(contents, payload: bytes, number=0, cursor=0, lost=False) -> bool:
    """Try all places of contents[number], as far as it is evaluated, and of those after it."""
    if number == len(contents):
        return True
    c = contents[number]
    lost = lost or c.get("lost", False)
    sought, text = c["bytes"], payload
    if c["nocase"]:
        sought, text = sought.lower(), text.lower()
    places = [at for at in range(len(text) - len(sought) + 1) if text[at:at + len(sought)] == sought]
    relative = "distance" in c or "within" in c
    if c.get("buffer"):
        return (c["negated"] or bool(places)) and judge_contents(contents, payload, number + 1, cursor,
                                                                 lost)
    if relative and lost:
        if c["negated"]:
            return judge_contents(contents, payload, number + 1, cursor, lost)
    else:
        low, high = c.get("offset", 0), len(payload)
        if "depth" in c:
            high = min(high, low + c["depth"])
        if c.get("startswith"):
            high = min(high, len(sought))
        if relative:
            low = max(low, cursor + c.get("distance", 0))
        if "within" in c:
            high = min(high, cursor + c.get("distance", 0) + c["within"])
        places = [at for at in places if at >= low and at + len(sought) <= high and
                  (not c.get("endswith") or at + len(sought) == len(payload))]
    if c["negated"]:
        return not places and judge_contents(contents, payload, number + 1, cursor, lost)
    return any(judge_contents(contents, payload, number + 1, at + len(sought), False)
               for at in places)


def judge(rule, packet) -> bool:
    size = rule["size"]
    length = len(packet["payload"])
    if size and not {"12": length == 12, ">9": length > 9, "<9": length < 9, "!4": length != 4}[size]:
        return False
    if "protocol" in packet:
        ports = [(packet["from"], packet["to"])]
        if rule["either"]:
            ports.append((packet["to"], packet["from"]))
        if rule["protocol"] not in ("ip", packet["protocol"]) or not any(
                in_ports(rule["from"], one) and in_ports(rule["to"], other) for one, other in ports):
            return False
    return length > 0 and judge_contents(rule["contents"], packet["payload"])


def is_evaluated(rule) -> bool:
    lost = False
    if rule["size"]:
        return True
    for c in rule["contents"]:
        lost = lost or c.get("lost", False)
        relative = "distance" in c or "within" in c
        if not c["negated"] or not (c.get("buffer") or (relative and lost)):
            return True
    return False


def capture(packets) -> bytes:
    out = [struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101)]
    for p in packets:
        ports = struct.pack(">HH", p["from"], p["to"])
        head = ports + (struct.pack(">HH", 8 + len(p["payload"]), 0) if p["protocol"] == "udp" else
                        struct.pack(">IIBBHHH", 1, 1, 0x50, 0x18, 1000, 0, 0))
        body = head + p["payload"]
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(body), 1, 0, 64,
                         17 if p["protocol"] == "udp" else 6, 0, b"\n\0\0\1", b"\n\0\0\2")
        out.append(struct.pack("<IIII", 0, 0, len(ip + body), len(ip + body)) + ip + body)
    return b"".join(out)


def draw_payload(r: random.Random) -> bytes:
    return bytes(r.choice(b"aAbc") for _ in range(r.choice([0, 1, 4, 12, 12, 20, 30])))


def differential(captures: bool) -> None:
    r = random.Random(SEED)
    wrong, held = [], 0
    for case in range(max(1, CASES // 10)):
        drawn = [draw_rule(r, sid) for sid in range(1, 41)]
        with open("drawn.rules", "w", encoding="ascii") as out:
            out.writelines(text + "\n" for _, text in drawn)
        packets = [{"payload": draw_payload(r), "protocol": r.choice(["tcp", "udp"]),
                    "from": r.choice([79, 80, 85, 92, 1000]), "to": r.choice([80, 81, 85, 95])}
                   for _ in range(40)]
        lines = [{"payload": draw_payload(r)} for _ in range(20)]
        with open("drawn.pcap", "wb") as out:
            out.write(capture(packets))
        with open("drawn.txt", "wb") as out:
            out.write(b"".join(line["payload"] + b"\n" for line in lines))
        wrong += one_plan.faults("drawn.txt", "--rules", "drawn.rules")
        asked_of = [(packets, ["drawn.pcap"])] if captures else []
        for records, options in [*asked_of, (lines, ["--format", "lines", "drawn.txt"])]:
            got = [(int(row[1].split()[0]), int(row[2]))
                   for row in run("--rules", "drawn.rules", "--verdicts", *options)]
            want = [(number, rule["sid"]) for number, record in enumerate(records, 1)
                    for rule, _ in drawn if is_evaluated(rule) and judge(rule, record)]
            held += len(want)
            for number, sid in set(got) ^ set(want):
                wrong.append(f"case {case}: {drawn[sid - 1][1]} {records[number - 1]}: "
                             f"{(number, sid) in got}")
            if not wrong and got != want:
                wrong.append(f"case {case}: the order")
    result(f"{held} verdicts of drawn rules", wrong)


# ---- what was chosen by hand ---------------------------------------------------------------------

def chosen() -> None:
    with open("chosen.rules", "w", encoding="ascii") as out:
        out.write(r"""
alert tcp any any -> any any (msg:"a \"quoted\"; one"; content:"ab"; content:"c"; distance:1; within:1; sid:1;)
alert tcp $HOME any -> any $PORTS (msg:"more"; flow:established; http_uri; content:"zz"; startswith; pcre:"/x/"; sid:2;)
alert (msg:"three"; content:"AB",nocase,offset 1,depth 2; sid:3;)
alert ip any any -> any any (msg:"none"; content:!"q"; sid:4;)
alert ip any any -> any any (msg:"nothing"; flow:established; sid:5;)
alert ip any any -> any any (msg:"not in a buffer"; http.host; content:!"q"; sid:6;)
""")
    for text, want in [(b"abababxc", {"1", "4"}), (b"abababxxc", {"4"}), (b"xzz", {"2", "4"}),
                       (b"xaB", {"3", "4"}), (b"aab", {"3", "4"}), (b"xxabq", set()), (b"", set())]:
        with open("text", "wb") as out:
            out.write(text)
        rows = run("--rules", "chosen.rules", "--verdicts", "--format", "raw", "text")
        result(f"chosen: {text.decode()}", [f"{rows}"] * ({row[2] for row in rows} != want))
    with open("text", "wb") as out:
        out.write(b"ab-c zz")
    rows = run("--rules", "chosen.rules", "--verdicts", "text")
    result("columns", [f"{rows}"] * (rows != [
        ["text", "1", "1", 'a "quoted"; one', "-"],
        ["text", "1", "2", "more", "addresses,ports,flow,http_uri,pcre"],
        ["text", "1", "4", "none", "-"]]))
    # A record that is longer than a batch, and a file of several: windows across all of it.
    with open("long.rules", "w", encoding="ascii") as out:
        out.write("""
alert ip any any -> any any (content:"begin"; startswith; content:"finish"; distance:9000000; endswith; sid:1;)
alert ip any any -> any any (content:"begin"; content:"finish"; within:8000000; sid:2;)
alert ip any any -> any any (content:"finish"; offset:9000006; depth:6; content:!"middle"; sid:3;)
alert ip any any -> any any (dsize:9000012; content:!"nowhere"; sid:4;)
""")
    with open("long", "wb") as out:
        out.write(b"begin" + b"." * 9000001 + b"finish")
    for names in [["long"], ["--format", "raw", "long", "text", "long"]]:
        rows = run("--rules", "long.rules", "--verdicts", *names)
        want = [name for name in names if name == "long" for _ in range(3)]
        result(f"a record of 9 MB, {len(want) // 3} times",
               [f"{rows}"] * ([row[2] for row in rows if row[0] == "long"] != ["1", "3", "4"] * (
                   len(want) // 3)))
    for arguments, message in [(["-e", "a"], "no pattern"), (["--count"], "--count"),
                               (["--report", "pairs"], "--report")]:
        done = subprocess.run([TRAWL, "find", "--rules", "long.rules", "--verdicts", *arguments,
                               "text"], capture_output=True, check=False)
        result(f"refused with {arguments[0]}",
               [done.stderr] * (done.returncode != 2 or message not in done.stderr.decode()))
    with open("dense.rules", "w", encoding="ascii") as out:
        out.write("""
alert ip any any -> any any (content:"a"; content:"aa"; distance:1; content:"aaa"; distance:1; endswith; sid:1;)
""")
    for length, status in [(2000000, 0), (3500000, 2), (9000000, 2)]:
        with open("dense", "wb") as out:
            out.write(b"a" * length)
        done = subprocess.run([TRAWL, "find", "--rules", "dense.rules", "--verdicts", "--format",
                               "raw", "dense", "text"], capture_output=True, check=False)
        rows = done.stdout.count(b"\n") - 1
        result(f"a record of {length} bytes, all alike: verdicts, or the limit of places",
               [done] * (done.returncode != status or rows != (status == 0) or
                         (b"has no verdicts" in done.stderr) != (status == 2)))
    done = subprocess.run([TRAWL, "find", "--verdicts", "a", "text"], capture_output=True, check=False)
    result("refused without rules", [done.stderr] * (done.returncode != 2))
    done = subprocess.run([TRAWL, "find", "--json", "--max-matches", "1", "--rules", "chosen.rules",
                           "--verdicts", "text"], capture_output=True, check=False)
    want = b'{"file":"text","record":1,"sid":1,"msg":"a \\"quoted\\"; one","unchecked":""}\n'
    result("JSON, one verdict", [done] * (done.stdout != want))


def frames() -> None:
    """A rule is asked of frames of its protocol only, which have its header."""
    ether = bytes(12)
    tcp = struct.pack(">HHIIBBHHH", 5, 80, 1, 1, 0x50, 0x18, 1000, 0, 0)

    def ip(protocol: int, body: bytes, fragment: int = 0) -> bytes:
        return ether + b"\x08\0" + struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(body), 1, fragment,
                                                64, protocol, 0, b"\n\0\0\1", b"\n\0\0\2") + body

    protocols = ["tcp", "udp", "icmp", "sctp", "ip", "any", "http", "arp", "pkthdr"]
    of_ip = {"ip", "any", "http", "pkthdr"}
    drawn = [(ether + b"\x08\6" + b"\0\1\x08\0\6\4\0\1needle", {"arp", "pkthdr"}),
             (ether + b"\x81\0\0\1\x08\6needle", {"arp", "pkthdr"}),
             (ether + b"\x88\xccneedle", {"arp", "pkthdr"}), (b"needle", {"arp", "pkthdr"}),
             (ip(6, tcp + b"needle"), of_ip | {"tcp"}), (ip(17, bytes(8) + b"needle"), of_ip | {"udp"}),
             (ip(1, b"needle"), of_ip | {"icmp"}), (ip(47, b"needle"), of_ip),
             (ip(6, b"needle"), of_ip), (ip(6, b"needle", 9), of_ip | {"tcp"})]
    with open("frames.rules", "w", encoding="ascii") as out:
        out.writelines(f'alert {protocol} any any -> any any (msg:"{protocol}"; content:"needle"; sid:{sid};)\n'
                       for sid, protocol in enumerate(protocols, 1))
        out.write('alert tcp any any -> any !81 (msg:"ports"; content:"needle"; sid:100;)\n')
    for link, unknown in [(1, False), (105, True)]:
        with open("frames.pcap", "wb") as out:
            out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, link))
            for frame, _ in drawn:
                out.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)
        rows = run("--rules", "frames.rules", "--verdicts", "frames.pcap")
        wrong = []
        for number, (frame, want) in enumerate(drawn, 1):
            got = {row[3] for row in rows if int(row[1].split()[0]) == number}
            want = set(protocols) | {"ports"} if unknown else want | ({"ports"} if number == 5 else set())
            wrong += [f"{frame}: {got}, not {want}"] * (got != want)
        result(f"frames of link type {link}: " + ("not known: no head is asked" if unknown else
                                                   "protocols that have their header"), wrong)


def joined() -> None:
    """A line that ends with a backslash goes on with the next one, in quotes too; a comment does not."""
    with open("joined.rules", "wb") as out:
        out.write(b'# C:\\\nalert ip any any -> any any (msg:"first"; content:"nee\\\ndle"; \\\n depth:8; sid:1;)\n'
                  b'alert ip any any \\ \t\r\n-> any any (msg:"two \\\r\nlines"; content:"a |6\\\ne|"; no\\\ncase; sid:2;)\n'
                  b'alert ip any any -> any any (content:"needle"; distance:9; sid:3;)\nalert ip (sid:4; \\\n')
    with open("text", "wb") as out:
        out.write(b"A needle")
    for options, want in [(["--verdicts"], [["1", "first"], ["2", "two lines"]]), ([], [["2", "a |6e|"], ["1", "needle"], ["3", "needle"]])]:
        done = subprocess.run([TRAWL, "find", "--no-header", "--rules", "joined.rules", *options, "text"],
                              capture_output=True, check=False)
        got = [row.split("\t")[2:4] for row in done.stdout.decode().split("\n")[:-1]]
        result(f"lines that are joined {options}", [done] * (got != want or b" joined.rules:11: the rule is left out" not in done.stderr))


def malformed() -> None:
    """A rule that cannot be read is left out, with its line; what stands beside it goes on."""
    bad = [(b'alert tcp any any -> any any content:"a"; sid:90;', "parentheses"),
           (b'alert tcp any any -> any any (content:"a"; sid:90;', "not closed"),
           (b'alert tcp any any -> any any (content:"a";)', "no sid"),
           (b'alert tcp any any -> any any (content:"a"; sid:90; sid:91;)', "two sids"),
           (b'alert tcp any any -> any any (content:"a"; sid:0;)', "a number"),
           (b'alert tcp any any -> any any (content:"a|4|"; sid:90;)', "in pairs"),
           (b'alert tcp any any -> any any (content:""; sid:90;)', "empty"),
           (b'alert tcp any any -> any any (content:a; sid:90;)', "in quotes"),
           (b'alert tcp any any -> any any (content:"a; sid:90;)', "in quotes"),
           (b'alert tcp any any -> any any (content:"a"b"; sid:90;)', "after a content's quotes"),
           (b'\0\xff;:"(', "not closed")]
    good = [b'pcre:/J\\d/Vi";', b'pcre:/a"b/; flow:established;', b'pcre:"/a;b/";', b'msg:a "quoted" one;',
            b'reference:url,"x;', b'pcre:/[\\x22"]/; http_uri:field "a;b";', b"foo:!\"a;b\",\"c;d\";"]
    lines = []
    for sid, options in enumerate(good, 1):
        lines.append(b'alert ip any any -> any any (content:"needle"; %s sid:%d;)' % (options, sid))
        lines += [text for text, _ in bad]
    with open("some.rules", "wb") as out:
        out.write(b"\n".join(lines))
    with open("text", "wb") as out:
        out.write(b"a needle")
    for options, status, want in [([], 0, [[str(sid)] for sid in range(1, len(good) + 1)]),
                                  (["--strict"], 2, [])]:
        done = subprocess.run([TRAWL, "find", "--no-header", "--rules", "some.rules", "--verdicts",
                               *options, "text"], capture_output=True, check=False)
        said = done.stderr.decode().split("\n")
        sids = [row.split("\t")[2:3] for row in done.stdout.decode().split("\n")[:-1]]
        wrong = [f"{sids}, {done.returncode}"] * (sids != want or done.returncode != status)
        for number in range(len(lines)):
            why = bad[number % (len(bad) + 1) - 1][1] if number % (len(bad) + 1) else None
            named = [line for line in said if f" some.rules:{number + 1}: the rule is left out: " in line]
            if (why is None) != (not named) or why and why not in named[0]:
                wrong.append(f"{lines[number]}: {named}")
        count = [line for line in said if f"{len(good) * len(bad)} rules are left out" in line]
        wrong += [f"{said[-3:]}"] * (len(count) != 1)
        result(f"{len(good) * len(bad)} malformed rules among others {options}", wrong)


TOKENS = [b'"', b";", b"\\", b"|", b"(", b")", b'content:"', b"!", b"pcre:/", b",", b":", b"[", b"]", b"$", b"->", b"<>", b"\n",
          b"\0", b"\xff", b"offset:", b"depth:99999999999;", b"distance:-5;", b"within:1;", b"nocase;", b"sid:0;"]


def damaged() -> None:
    """Whatever rules and captures are, the run ends with a status that is one."""
    r = random.Random(SEED)
    wrong, lines = [], 0
    for case in range(max(1, CASES // 25)):
        drawn = [draw_rule(r, sid)[1].encode() for sid in range(1, 41)]
        with open("damaged.rules", "wb") as out:
            out.write(b"\n".join(changed(r, text, TOKENS) for text in drawn))
        packets = [{"payload": draw_payload(r), "protocol": "tcp", "from": 80, "to": 80} for _ in range(20)]
        packed = bytearray(capture(packets))
        for _ in range(r.choice([0, 1, 5, 40])):
            packed[r.randrange(24, len(packed))] = r.randrange(256)
        with open("damaged.pcap", "wb") as out:
            out.write(packed)
        done = subprocess.run([TRAWL, "find", "--rules", "damaged.rules", *r.choice([[], ["--verdicts"]]),
                               "damaged.pcap"], capture_output=True, check=False)
        lines += len(drawn)
        wrong += [f"case {case}: {done}"] * (done.returncode not in (0, 1, 2) or b"Sanitizer" in done.stderr)
    result(f"{lines} damaged rules", wrong)


# ---- Suricata's own tests ------------------------------------------------------------------------

def decoded(name: str) -> bytes:
    """A content as the column `name` shows it: TSV, then |hex| and backslashes."""
    text = re.sub(r"\\(.)", lambda m: {"t": "\t", "n": "\n", "r": "\r"}.get(m[1], m[1]), name)
    out, parts = b"", re.split(r"\|", text)
    for number, part in enumerate(parts):
        out += bytes.fromhex(part) if number % 2 else re.sub(r"\\(.)", r"\1", part).encode("latin-1")
    return out


def suricata(captures: bool) -> None:
    with tarfile.open(f"{DATA}/ids/suricata_verify_content.tar.xz") as archive:
        if sys.version_info >= (3, 12):
            archive.extractall("verify", filter="data")
        else:
            archive.extractall("verify")
    known = {}
    with open(f"{DATA}/ids/suricata_verify_raw_counts.tsv", encoding="ascii") as rows:
        for row in rows:
            if not row.startswith("#"):
                name, content, nocase, count = row.rstrip("\n").split("\t")
                known.setdefault(name, {})[(bytes.fromhex(content), nocase == "1")] = int(count)
    raw_counts(known)
    if captures:
        expected_alerts()


def tests_of(folder: str):
    for path, _, names in os.walk(folder):
        rules = [name for name in names if name.endswith(".rules")]
        captures = [name for name in names if name.endswith((".pcap", ".pcapng", ".cap"))]
        if len(rules) == 1 and len(captures) == 1:
            yield path, os.path.join(path, rules[0]), os.path.join(path, captures[0])


def raw_counts(known) -> None:
    """Whether each content is there as often as a search of bytes finds it."""
    wrong, rows_seen, total = [], 0, 0
    for path, rules, packets in tests_of("verify"):
        counts = known.get(os.path.relpath(packets, "verify"))
        if counts is None:
            continue
        done = subprocess.run([TRAWL, "find", "--count=all", "--format", "raw", "--rules", rules, packets],
                              capture_output=True, check=False)
        if done.returncode > 1:
            if b"the list of patterns is empty" not in done.stderr:
                wrong.append(f"{rules}: {done.stderr.decode()}")
            continue
        seen = {}
        for row in done.stdout.decode("latin-1").split("\n")[1:-1]:
            _, _, name, count = row.split("\t")
            seen.setdefault(decoded(name), set()).add(int(count))
        for (content, nocase), count in counts.items():
            if content in seen:
                rows_seen += 1
                total += count
                if count not in seen[content]:
                    wrong.append(f"{packets} {content} {nocase}: {count}, {seen[content]}")
    result(f"{rows_seen} raw counts of Suricata's tests, {total} occurrences", wrong)


# They say nothing of the payload, or are evaluated. (A packet is in one direction of a flow only.)
EVALUATED = {"msg", "sid", "rev", "classtype", "flow", "dsize", "content", "nocase", "offset", "depth",
             "distance", "within", "startswith", "endswith", "fast_pattern", "priority", "metadata",
             "reference", "noalert", "tag"}
# Suricata joins segments to streams, first, and takes tunnels apart; it drops packets, and passes
# others; the alerts of a packet have a limit.
EXCEPTIONS = {
    "stream": ["tcp-urgp-01-oob 1000001", "eve-overlap-payload-03-ips 1", "eve-overlap-payload-03-ips 3",
               "eve-overlap-payload-01 1", "eve-overlap-payload-02-policy-oldlinux 2",
               "eve-payload-01-tcp-exact-overlap 1", "bug-6244-tcp-rst-with-data 2",
               "bug-6244-tcp-rst-with-data 4", "tcp-rst-unacked-stream-04-gap-ips 1",
               "tcp-rst-unacked-stream-07-http 1", "tcp-rst-unacked-stream-08-http-ips 1",
               "tcp-rst-unacked-stream-06-http-nogap-ips 1", "tcp-rst-unacked-stream-02-raw-ips 1",
               "tcp-fastopen-08 7", "tcp-fastopen-08 8"],
    "tunnel": ["bug-4571-01 1", "bug-4571-03 1", "bug-4571-06 1", "decode-nsh-type1 1",
               "decode-nsh-type2 1"],
    "action": ["util-action-tests/util-action-03 2", "util-action-tests/util-action-04 2",
               "util-action-tests/util-action-08 2"],
    "most": ["bug-8021-alert-max-verdict-01 8002107"],
}


def evaluated_rules(path: str):
    """sid to whether a rule asks for nothing else."""
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    for line in text.split("\n"):
        sid = re.search(r"[;( ]sid: *(\d+)", line)
        if sid and not line.startswith("#"):
            head, _, options = line.partition("(")
            options = re.sub(r'"(\\.|[^"\\])*"', '""', options)
            names = {option.strip().split(":")[0] for option in options.split(";")} - {")", ""}
            yield sid[1], names <= EVALUATED and "content" in names and re.fullmatch(
                r"\w+ (tcp|udp|ip|tcp-pkt|tcp-stream) any [\w!\[\]:,]+ -> any [\w!\[\]:,]+ ?", head)


def expected_alerts() -> None:
    wrong, expected = [], 0
    exceptions = {name for names in EXCEPTIONS.values() for name in names}
    for path, rules, packets in tests_of("verify"):
        asked = {sid for sid, whole in evaluated_rules(rules) if whole}
        with open(os.path.join(path, "test.yaml"), encoding="utf-8") as file:
            filters = re.split(r"^ *- filter:", file.read(), flags=re.MULTILINE)[1:]
        wanted = {}
        for text in filters:
            sid = re.search(r"alert\.signature_id: (\d+)", text)
            count = re.search(r"count: (\d+)", text)
            if sid and count and sid[1] in asked:
                wanted[sid[1]] = wanted.get(sid[1], 0) + int(count[1])
        if not wanted:
            continue
        held = {row[2] for row in run("--verdicts", "--rules", rules, packets)}
        for sid, count in wanted.items():
            expected += 1
            excepted = f"{os.path.relpath(path, 'verify')} {sid}" in exceptions
            if ((count > 0) != (sid in held)) != excepted:
                wrong.append(f"{path}: {sid} {count} {sid in held}")
    result(f"{expected} alerts that Suricata's authors expect, or not; {len(exceptions)} exceptions",
           wrong)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        without = why_no_captures()
        if without:
            print(f"# captures, with frames and the alerts of Suricata's tests: skipped: {without}")
        differential(not without)
        chosen()
        if not without:
            frames()
        joined()
        malformed()
        damaged()
        if DATA:
            suricata(not without)
        else:
            print("# Suricata's tests: skipped, there is no folder of test data")
        os.chdir("/")
    print("# " + one_plan.told())
    return asked.summary()


if __name__ == "__main__":
    sys.exit(main())
