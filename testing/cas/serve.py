"""Serves the CAS server over TLS on a free port of loopback, and prints the port once it does.

It ends when its standard input does, so it never outlives the test that started it.
"""

import os
import socketserver
import ssl
import sys
import threading
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import django
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application


class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class Handler(WSGIRequestHandler):
    def get_environ(self):
        return {**super().get_environ(), "HTTPS": "on"}

    def log_message(self, *_):
        """Tests tell for themselves what they asked."""


def prepare_database():
    from cas_server.models import ReplaceAttributName, ServicePattern

    call_command("migrate", verbosity=0)
    service = ServicePattern.objects.create(name="any", pattern=".*")
    ReplaceAttributName.objects.create(name="*", service_pattern=service)


def serve(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = Server(("127.0.0.1", 0), Handler)
    server.set_app(get_wsgi_application())
    # The handshake is left to the thread of the connection: a slow client holds up nobody else.
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    print(f"port {server.server_address[1]}", flush=True)
    server.serve_forever()


def end_with_input():
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
    threading.Thread(target=end_with_input, daemon=True).start()
    django.setup()
    prepare_database()
    serve(*sys.argv[1:])
