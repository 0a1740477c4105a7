"""Uses Muster as an assistant does, with the published client. Prints what it saw as JSON."""

import asyncio
import json
import sys

import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client

url, token, mode, server_id, answer = sys.argv[1:]
questions = []


async def answer_question(_context, params):
    questions.append(params.message)
    if answer == "yes":
        return types.ElicitResult(action="accept", content={"confirm": True})
    return types.ElicitResult(action="decline")


async def main():
    headers = {"Authorization": f"Bearer {token}"}
    callback = None if answer == "cannot ask" else answer_question
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(url, http_client=http)
        info = types.Implementation(name="PyPI client", version="1")
        async with Client(
            transport, mode=mode, elicitation_callback=callback, client_info=info
        ) as client:
            tools = await client.list_tools()
            found = await client.call_tool("find_servers", {"scope": "max", "limit": 2})
            missing = await client.call_tool("show_server", {"server": "none"})
            resource = await client.read_resource(f"muster://servers/{server_id}")
            preview = await client.call_tool(
                "preview_action", {"action": "suspend", "servers": [server_id]}
            )
            ticket = preview.structured_content["ticket"]
            performed = await client.call_tool("perform_action", {"ticket": ticket})
            print(
                json.dumps(
                    {
                        "version": client.protocol_version,
                        "tools": [tool.name for tool in tools.tools],
                        "found": len(found.structured_content["servers"]),
                        "missing": missing.is_error,
                        "resource": json.loads(resource.contents[0].text)["server"]["id"],
                        "questions": questions,
                        "refused": performed.is_error,
                        "performed": performed.content[0].text,
                    }
                )
            )


asyncio.run(main())
