package sandbox

// System returns the rules for what every program of a Linux system needs to start: programs and
// libraries, the files of the loader, of time zones and of locales, certificates, numbers about
// the machine, and the harmless devices. It holds nothing of a user, of another process, or of
// the network's configuration: for that, see [Resolver].
func System() Rules {
	return Rules{
		Exec: roots("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"),
		Read: roots(
			"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload",
			"/etc/ld-musl-x86_64.path", "/etc/ld-musl-aarch64.path",
			"/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/locale.conf", "/etc/nsswitch.conf",
			"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/crypto-policies",
			"/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust/extracted",
			"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version", "/proc/filesystems",
			"/proc/sys/kernel/osrelease", "/proc/sys/kernel/ngroups_max", "/proc/sys/kernel/pid_max",
			"/proc/sys/kernel/cap_last_cap", "/proc/sys/kernel/random", "/proc/sys/vm/overcommit_memory",
			"/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage",
		),
		Devices: roots("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"),
	}
}

// Resolver returns the files that a program with a network reads to find hosts by name.
func Resolver() []Root {
	return roots("/etc/resolv.conf", "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/services", "/etc/protocols")
}

func roots(paths ...string) []Root {
	all := make([]Root, len(paths))
	for i, p := range paths {
		all[i] = Root{Path: p}
	}
	return all
}
