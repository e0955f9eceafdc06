"""The other servers: their programs, and the smallest configuration that serves our site."""

from __future__ import annotations

import os
import re
from pathlib import Path

HEAD_SECONDS = 3  # from the first byte of a head to its last

PROGRAMS = {"nginx": "nginx", "h2o": "h2o", "lighttpd": "lighttpd", "apache": "apache2",
            "caddy": "caddy"}  # fmt: skip
ARGUMENTS = {
    "nginx": ["-p", "{folder}", "-c", "{config}"],
    "h2o": ["-m", "worker", "-c", "{config}"],
    "lighttpd": ["-D", "-f", "{config}"],
    "apache": ["-D", "FOREGROUND", "-f", "{config}"],
    "caddy": ["run", "--adapter", "caddyfile", "--config", "{config}"],
}
VERSION_ARGUMENTS = {
    "ssxrver": ["-v"], "nginx": ["-v"], "h2o": ["--version"], "lighttpd": ["-v"], "apache": ["-v"],
    "caddy": ["version"],
}  # fmt: skip


def version_in(text: str) -> str:
    match = re.search(r"\d+\.\d+(\.\d+)?", text)
    return match[0] if match else ""


def environment(folder: Path) -> dict[str, str]:
    """Nothing of ours is read, and nothing outside the folder is written."""
    return {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": str(folder),
            "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder),
            "TMPDIR": str(folder)}  # fmt: skip


def _nginx(folder: Path, port: int, _: int) -> str:
    module = Path("/usr/lib/nginx/modules/ngx_http_echo_module.so")
    load = f"load_module {module};" if module.exists() else ""
    echo = "echo_read_request_body; echo_request_body;" if load else "return 200;"
    paths = "".join(
        f"{name}_temp_path {folder}/tmp-{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return f"""{load}
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
  types {{ text/html html; text/plain txt; }}
  default_type application/octet-stream; access_log off; {paths}
  client_header_timeout {HEAD_SECONDS}s; client_max_body_size 1m;
  server {{
    listen 127.0.0.1:{port} default_server; server_name main.test; root {folder}/main;
    location = /echo {{ {echo} }}
    location = /nothing {{ return 204; }}
  }}
  server {{ listen 127.0.0.1:{port}; server_name other.test; root {folder}/other; }}
}}
"""


def _h2o(folder: Path, port: int, _: int) -> str:
    user = "user: root\n" if os.geteuid() == 0 else ""
    return f"""{user}listen: {{ host: 127.0.0.1, port: {port} }}
num-threads: 1
http1-request-timeout: {HEAD_SECONDS}
limit-request-body: 1048576
error-log: {folder}/error.log
hosts:
  "main.test":
    paths:
      "/echo":
        mruby.handler: |
          Proc.new {{|env| i = env["rack.input"]; [200, {{}}, [i ? i.read : ""]] }}
      "/nothing":
        mruby.handler: |
          Proc.new {{|env| [204, {{}}, []] }}
      "/":
        file.dir: {folder}/main
  "other.test":
    paths:
      "/":
        file.dir: {folder}/other
"""


def _lighttpd(folder: Path, port: int, _: int) -> str:
    return f"""server.modules = ("mod_alias", "mod_cgi")
server.bind = "127.0.0.1"
server.port = {port}
server.document-root = "{folder}/main"
server.errorlog = "{folder}/error.log"
server.upload-dirs = ("{folder}")
server.max-read-idle = {HEAD_SECONDS}
server.max-request-size = 1024
index-file.names = ("index.html")
mimetype.assign = (".html" => "text/html", ".txt" => "text/plain", "" => "application/octet-stream")
$HTTP["host"] == "other.test" {{ server.document-root = "{folder}/other" }}
$HTTP["url"] =~ "^/(echo|nothing)$" {{
  alias.url = ("/echo" => "{folder}/cgi/echo", "/nothing" => "{folder}/cgi/nothing")
  cgi.assign = ("" => "")
}}
"""


def _apache(folder: Path, port: int, _: int) -> str:
    modules = "".join(
        f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n"
        for name in ("mpm_event", "authz_core", "dir", "mime", "alias", "reqtimeout", "cgi", "env")
    )  # fmt: skip
    user = "User www-data\nGroup www-data\n" if os.geteuid() == 0 else ""
    return f"""{modules}{user}ServerRoot {folder}
ServerName main.test
ServerLimit 1
StartServers 1
ThreadsPerChild 64
MaxRequestWorkers 64
Listen 127.0.0.1:{port}
PidFile {folder}/pid
ErrorLog {folder}/error.log
Mutex posixsem
TypesConfig /dev/null
AddType text/html .html
AddType text/plain .txt
DirectoryIndex index.html
LimitRequestBody 1048576
RequestReadTimeout header={HEAD_SECONDS}
<Directory {folder}>
  Require all granted
</Directory>
<VirtualHost 127.0.0.1:{port}>
  ServerName main.test
  DocumentRoot {folder}/main
  Redirect 204 /nothing
  ScriptAlias /echo {folder}/cgi/echo
</VirtualHost>
<VirtualHost 127.0.0.1:{port}>
  ServerName other.test
  DocumentRoot {folder}/other
</VirtualHost>
"""


def _caddy(folder: Path, port: int, upstream: int) -> str:
    return f"""{{
  admin off
  auto_https off
  servers {{
    protocols h1
    timeouts {{
      read_header {HEAD_SECONDS}s
    }}
  }}
}}
http://main.test:{port} {{
  bind 127.0.0.1
  root * {folder}/main
  request_body {{
    max_size 1MiB
  }}
  @echo path /echo
  reverse_proxy @echo 127.0.0.1:{upstream} {{
    header_up -Expect
  }}
  respond /nothing 204
  file_server
}}
http://other.test:{port} {{
  bind 127.0.0.1
  root * {folder}/other
  file_server
}}
"""


CONFIGURATIONS = {"nginx": _nginx, "h2o": _h2o, "lighttpd": _lighttpd, "apache": _apache,
                  "caddy": _caddy}  # fmt: skip
