"""What bench start compares: launchers, each with the command that runs another one in a container, as data and a bundle."""
import json
import os
import pathlib
import shutil
import subprocess
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Launcher:
    title: str
    words: tuple           # {ctr}, {bundle}, {root} (the host's root file system, in another place), {name} (a new one),
                           # {as_root} (what unshare wants of ordinary users)
    program: str = ""      # what must be installed for it; none: always there
    reference: bool = False  # a column of the table has the ratios to it
    again: bool = False    # another one's second row: how far apart equal things are


BWRAP = "bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev".split()

LAUNCHERS = (
    Launcher("none: the command itself", ()),
    Launcher("unshare", ("unshare", "{as_root}", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc", "--"),
             "unshare"),
    Launcher("bwrap", (*BWRAP, "--"), "bwrap", reference=True),
    Launcher("bwrap again", (*BWRAP, "--"), "bwrap", again=True),
    Launcher("crun", ("crun", "--root={state}", "run", "--bundle={bundle}/crun", "{name}"), "crun", reference=True),
    Launcher("crun, no cgroup", ("crun", "--root={state}", "--cgroup-manager=disabled", "run", "--bundle={bundle}/crun",
                                 "{name}"), "crun"),
    Launcher("runc", ("runc", "--root={state}", "run", "--bundle={bundle}/runc", "{name}"), "runc"),
    Launcher("systemd-nspawn", ("systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--read-only",
                                "--directory={root}", "--machine={name}", "--"), "systemd-nspawn"),
    Launcher("podman", ("podman", "run", "--rm", "--rootfs", "{root}"), "podman"),
    Launcher("ctr, flat", ("{ctr}", "run", "--pidns=flat", "--")),
    Launcher("ctr, multi", ("{ctr}", "run", "--pidns=multi", "--")),
    Launcher("ctr, kernel", ("{ctr}", "run", "--pidns=kernel", "--")),
    Launcher("ctr, kernel, network none", ("{ctr}", "run", "--pidns=kernel", "--network=none", "--")),
)


@dataclass
class Place:
    """Where the launchers find what they want: a bundle for OCI's runtimes, and the host's root in another place."""
    ctr: pathlib.Path
    directory: pathlib.Path
    root: pathlib.Path
    made: int = 0
    bundles: dict = field(default_factory=dict)  # by runtime and command

    def command(self, launcher, command):
        """The words that run COMMAND."""
        if launcher.program in ("crun", "runc"):
            self._bundle(launcher.program, command)
            command = []
        self.made += 1
        words = (word.format(ctr=self.ctr, bundle=self.directory, root=self.root, state=self.directory / "state",
                             name=f"ctr-bench-{os.getpid()}-{self.made}",
                             as_root="--map-root-user" if os.geteuid() != 0 else "") for word in launcher.words)
        return [word for word in words if word] + command

    def _bundle(self, runtime, command):
        """The runtime's own proposal, with our command and the host's root."""
        if self.bundles.get(runtime) == command:
            return
        bundle = self.directory / runtime
        shutil.rmtree(bundle, ignore_errors=True)
        bundle.mkdir()
        rootless = ["--rootless"] if os.geteuid() != 0 else []
        subprocess.run([runtime, "spec", *rootless], cwd=bundle, check=True, capture_output=True)
        file = bundle / "config.json"
        config = json.loads(file.read_text())
        config["process"].update(args=command, terminal=False, cwd="/")
        config["root"] = {"path": str(self.root), "readonly": True}
        file.write_text(json.dumps(config))
        self.bundles[runtime] = command
