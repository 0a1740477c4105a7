"""Verifies requests as a receiver does: one JSON line each on standard input, one result each on standard output."""

import json
import sys

from cloudevents.http import from_http
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    request = json.loads(line)
    headers, body = request["headers"], request["body"]
    try:
        Webhook(request["secret"]).verify(body, headers)
        event = from_http(headers, body)
        result = {"id": event["id"], "type": event["type"], "data": event.data}
    except WebhookVerificationError as error:
        result = {"error": str(error)}
    print(json.dumps(result), flush=True)
