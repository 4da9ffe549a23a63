# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC2154
# A Slurm of one node, this machine, in a directory. Sourced.
#
#	slurm_start DIRECTORY	starts it, and sets SLURM_CONF; false, with the
#				reason on standard output, if it cannot
#	slurm_stop		stops it, if it was started
#
# It needs root, Debian's munge, slurmctld, slurmd and slurm-client, and no
# service of the machine: all have keys, sockets and ports of their own.
slurm_pids=

# Two ports that are free now.
slurm_ports() {
	"$python" - <<'PYTHON'
import socket

sockets = [socket.socket() for _ in range(2)]
for one in sockets:
    one.bind(("", 0))
print(*(one.getsockname()[1] for one in sockets))
PYTHON
}

slurm_configure() {
	host=$(hostname -s)
	# shellcheck disable=SC2046
	set -- "$1" $(slurm_ports)
	cat >"$1/slurm.conf" <<CONF
ClusterName=ctprof
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$2
SlurmdPort=$3
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$1/munge.socket
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES State=UP
CONF
}

slurm_is_up() {
	sinfo --noheader --format=%T 2>/dev/null | grep -q idle
}

slurm_start() {
	[ "$(id -u)" = 0 ] || {
		echo "it needs root"
		return 1
	}
	for program in munged slurmctld slurmd sbatch sinfo; do
		command -v $program >/dev/null || {
			echo "$program is not installed"
			return 1
		}
	done
	mkdir -p "$1/state" "$1/spool"
	# munged demands that nobody else may write on the way to its files.
	chmod 755 "$1" "$1/state" "$1/spool"
	slurm_configure "$1"
	export SLURM_CONF="$1/slurm.conf"
	head -c 1024 /dev/urandom >"$1/munge.key"
	chmod 600 "$1/munge.key"
	munged --foreground --force --key-file="$1/munge.key" \
		--socket="$1/munge.socket" --pid-file="$1/munge.pid" \
		--seed-file="$1/munge.seed" --log-file="$1/munge.log" \
		>"$1/munged.out" 2>&1 &
	slurm_pids=$!
	wait_until test -S "$1/munge.socket"
	slurmctld -D -i >"$1/slurmctld.out" 2>&1 &
	slurm_pids="$! $slurm_pids"
	slurmd -D >"$1/slurmd.out" 2>&1 &
	slurm_pids="$! $slurm_pids"
	wait_until slurm_is_up || {
		echo "it does not start: $(tail -n 5 "$1"/slurmctld.log \
			"$1"/slurmd.log "$1"/*.out | tr '\n' ' ')"
		return 1
	}
}

slurm_stop() {
	# shellcheck disable=SC2086
	[ -z "$slurm_pids" ] || kill $slurm_pids 2>/dev/null
	# shellcheck disable=SC2086
	[ -z "$slurm_pids" ] || wait $slurm_pids 2>/dev/null
	slurm_pids=
}
