"""Programs whose words are themselves a language: each reader turns them into parts.

The tables name a reader by `by NAME`; this is the registry of those names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from guard.effects.commands import Running
from guard.effects.model import Part
from guard.effects.readers import (
    databases,
    files,
    forge,
    git,
    inner,
    interpreters,
    outputs,
    runners,
    services,
    shells,
    web,
    wrapped,
)

Reader = Callable[[Running], list[Part]]

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "at": wrapped.at,
        "awk": files.awk,
        "az_rest": services.az_rest,
        "batch_copy": files.batch_copy,
        "client": databases.client,
        "cmd": shells.cmd,
        "copy_between": files.copy_between,
        "coproc": wrapped.coproc,
        "curl": web.curl,
        "dd": files.dd,
        "django_shell": services.django_shell,
        "docker_output": outputs.image,
        "docker_run": inner.docker_run,
        "env_split": wrapped.env_split,
        "eval": shells.evaluate,
        "fd_exec": wrapped.fd_exec,
        "fed": wrapped.fed_shell,
        "find": inner.find,
        "flock": wrapped.flock,
        "forge_api": forge.api,
        "git_checkout": git.checkout,
        "git_exec": git.each_commit,
        "git_foreach": git.each_module,
        "git_lfs": wrapped.git_lfs,
        "heroku_run": services.heroku_run,
        "httpie": web.httpie,
        "kubectl": wrapped.kubectl,
        "mongo": databases.mongo,
        "netcat": services.netcat,
        "nix_c": wrapped.nix_command,
        "package": runners.package,
        "project_run": runners.project_run,
        "parallel": inner.parallel,
        "pip_install": outputs.pip_install,
        "powershell": shells.powershell,
        "python": interpreters.python,
        "rails_runner": services.rails_runner,
        "redis": databases.redis,
        "remote_sql": services.remote_sql,
        "salt_cmd": wrapped.salt,
        "scan_output": outputs.report,
        "screen": inner.screen,
        "script": interpreters.script,
        "script_log": wrapped.script_log,
        "sed": files.sed,
        "send_keys": inner.send_keys,
        "settings_sql": services.settings_sql,
        "shell": shells.shell,
        "skopeo_copy": outputs.copied_image,
        "source": shells.source,
        "sqlx": wrapped.sqlx,
        "ssh": inner.ssh,
        "tar": files.tar,
        "timeit": wrapped.timeit,
        "tinker": services.tinker,
        "tmux_new": wrapped.new_session,
        "tool_exec": wrapped.tool_exec,
        "trap": shells.trap,
        "versioned_run": runners.versioned_run,
        "uv_module": wrapped.python_module,
        "wget": web.wget,
        "with_output": wrapped.with_output,
        "wrangler_d1": services.d1,
        "xargs": inner.xargs,
    }
)
