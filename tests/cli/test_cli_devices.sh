#!/bin/sh
# The command on devices: what it lists, refuses and finds. Usage: test_cli_devices.sh TRAWL
# Where there is no OpenCL device only the messages are tested.

. "$(dirname "$0")/../support/command.sh"

# check NAME STATUS PART ARGUMENT...: the exit status, and a part of what is printed, on either
# stream ("" for any).
check() {
    name=$1 want=$2 part=$3
    shift 3
    number=$((number + 1))
    "$trawl" "$@" >out 2>&1
    got=$?
    if [ $got = "$want" ] && grep -qF -e "$part" out; then
        echo "ok $number - $name"
    else
        failed=$((failed + 1))
        echo "not ok $number - $name: status $got, not $want, or no '$part' in:"
        sed 's/^/# /' out
    fi
}

printf 'one needle, two needles: needle.\n' >text
printf 'P2\n4 3\n9\n1 2 1 2\n3 4 3 4\n1 2 1 2\n' >text.pgm
printf 'P2\n2 2\n9\n1 2\n3 4\n' >needle.pgm

check 'devices lists backends' 0 'opencl' devices
check 'devices --tuning' 0 'cascade' devices --tuning
check 'devices: two questions' 2 'exclude one another' devices --tuning --json
check 'devices --selftest=serial' 2 "no backend of devices 'serial'" devices --selftest=serial
check 'devices --selftest=openmp' 2 "no backend of devices 'openmp'" devices --selftest=openmp
check 'devices: an argument' 2 'takes no argument' devices here
check 'a device for the CPU' 2 'device and tuning are for' find --backend serial --device 0 -e x text
check 'tuning without a backend' 2 'device and tuning are for' find --tuning group=64 -e x text
check 'bench is none of its commands' 2 'bench/seeds' bench

check 'auto: a small text is for the CPU' 0 'before 0.3 s, its opening included' find --explain -e needle text
check 'auto: an engine by name' 0 'is not known' find --explain --engine bm -e needle text
check 'auto: a pipe' 0 'is not known' find --explain -e needle - <text
check 'auto: records' 0 'is not known' find --explain --format lines -e needle text
check 'auto: --threads means the CPU' 0 'one needle' grep --explain --threads 1 needle text

# So much to do that a GPU would be looked for; the reason is printed before the search.
"$trawl" devices >list 2>&1
if ! grep '^\(cuda\|opencl\)  *[0-9][0-9]*  .* units, ' list | grep -qv 'Portable Computing'; then
    truncate -s 3000M zeros
    for letter in a b c d e f g h; do echo "$letter[a-m]{2,300}$letter.{2,300}$letter"; done >many
    timeout 3 "$trawl" find --explain --count -f many zeros >out 2>&1
    number=$((number + 1))
    if grep -q 'backend .*there is no GPU' out; then
        echo "ok $number - auto: a CPU as a device is no GPU"
    else
        failed=$((failed + 1))
        echo "not ok $number - auto: no GPU"
        sed 's/^/# /' out
    fi
fi

if grep -q '^cuda  *-  ' list; then
    check 'cuda, and no device' 2 'cuda' find --backend cuda -e x text
fi
if ! grep -q '^opencl  *[0-9][0-9]*  .* units, ' list; then
    echo "# no OpenCL device: the rest is left out"
    [ $failed = 0 ]
    exit
fi

check 'find' 0 'text	1	1	4	10' find --backend opencl -e needle text
check 'none' 1 '' find --backend opencl -e noodle text
check 'count' 0 'text	1	3' find --backend opencl --count -e needle text
check 'grep' 0 'one needle' grep --backend opencl needle text
check 'grep -o' 0 'needles' grep --backend opencl -o 'needles?' text
check 'grid' 0 '' grid --backend opencl -n needle.pgm text.pgm
check '--stats' 0 'on the device: kernels' find --backend opencl --stats -e needle text
check '--stats, energy' 0 'find: energy: ' find --backend opencl --stats -e needle text
check 'all devices' 0 'text	1	1	4	10' find --backend opencl --device all -e needle text
check 'no such device' 2 "device '77'" find --backend opencl --device 77 -e x text
check 'no such parameter' 2 "no parameter 'grop'" find --backend opencl --tuning grop=1 -e x text
check 'out of range' 2 'group is 1 to 1024' find --backend opencl --tuning group=0 -e x text
check 'threads' 2 'for the CPU backends' find --backend opencl --threads 2 -e x text
check 'what does not fit' 2 'staged' find --backend opencl --engine wm \
    --tuning texture=1,staged=1 -e abcd text
check 'a pipe' 0 '(standard input)	1	1	4	10' find --backend opencl -e needle - <text
finish
