"""Parses requests by the published definition of OTLP, one JSON text per line, and prints what it understood."""

import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

# OTLP writes these ids in hexadecimal, while JSON of Protocol Buffers has bytes in base64.
SIZES = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def to_base64(value):
    if isinstance(value, list):
        return [to_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: convert(key, item) for key, item in value.items()}


def convert(key, value):
    if key not in SIZES:
        return to_base64(value)
    raw = bytes.fromhex(value)
    assert len(raw) == SIZES[key], key
    return base64.b64encode(raw).decode()


for line in sys.stdin:
    # Unknown fields and wrong types are errors.
    request = json_format.ParseDict(to_base64(json.loads(line)), ExportTraceServiceRequest())
    # Written and read once more in the binary form.
    request = ExportTraceServiceRequest.FromString(request.SerializeToString())
    for resource_spans in request.resource_spans:
        resource = {a.key: a.value.string_value for a in resource_spans.resource.attributes}
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                values = {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in span.attributes}
                print(
                    json.dumps(
                        {
                            "service": resource["service.name"],
                            "trace": span.trace_id.hex(),
                            "id": span.span_id.hex(),
                            "parent": span.parent_span_id.hex(),
                            "name": span.name,
                            "kind": span.kind,
                            "start": span.start_time_unix_nano / 1e6,
                            "end": span.end_time_unix_nano / 1e6,
                            "status": span.status.code,
                            "attributes": values,
                        }
                    )
                )
