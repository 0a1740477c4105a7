"""Logs in, lists and shows servers with the client that openapi-python-client generated."""

import importlib
import json
import pkgutil
import sys

import muster_client
from muster_client import AuthenticatedClient, Client
from muster_client.api.servers import get_server, list_servers
from muster_client.api.tokens import issue_token
from muster_client.models import Error, IssueTokenBody, ListServersScope

url, password = sys.argv[1:]

# Each operation is a module. One that cannot be imported would be noticed at its first use only.
modules = list(pkgutil.walk_packages(muster_client.__path__, "muster_client."))
for module in modules:
    importlib.import_module(module.name)


def log_in(secret):
    body = IssueTokenBody.from_dict(
        {
            "auth": {
                "identity": {
                    "methods": ["password"],
                    "password": {"user": {"name": "sysadmin", "domain": {"id": "default"}, "password": secret}},
                },
                "scope": {"project": {"name": "system", "domain": {"id": "default"}}},
            }
        }
    )
    return issue_token.sync_detailed(client=Client(base_url=url), body=body)


refused = log_in("wrong")
issued = log_in(password)
client = AuthenticatedClient(
    base_url=url,
    token=issued.headers["X-Subject-Token"],
    prefix="",
    auth_header_name="X-Auth-Token",
    raise_on_unexpected_status=True,
)
listed = list_servers.sync(client=client, scope=ListServersScope.SYSTEM, status=["running", "ready"], limit=200)
shown = get_server.sync(client=client, id=listed.servers[0].id)
missing = get_server.sync(client=client, id="none")
assert isinstance(refused.parsed, Error) and isinstance(missing, Error)
print(
    json.dumps(
        {
            "operations": sum(module.name.startswith("muster_client.api.") and not module.ispkg for module in modules),
            "refused": refused.parsed.class_,
            "user": issued.parsed.token.user.name,
            "statuses": sorted({server.status for server in listed.servers}),
            "listed": [server.name for server in listed.servers],
            "shown": shown.server.name,
            "year": shown.server.created_at.year,
            "missing": missing.class_,
        }
    )
)
