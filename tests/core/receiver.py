"""A program elsewhere that is told of events: a real server on this machine, which answers as it is told to."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    """Received requests, and the answers: a status or a fault for each request in turn, the last one again and
    again."""

    url: str = ""
    answers: list[int | str] = field(default_factory=lambda: [200])
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)

    def next_answer(self) -> int | str:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            receiver.headers.append({name.lower(): value for name, value in self.headers.items()})
            answer = receiver.next_answer()
            if answer == "hang":
                receiver.closed.wait()
            elif answer == "drip":  # a header that never ends
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
                while not receiver.closed.wait(0.1):
                    self.wfile.write(b"x")
                    self.wfile.flush()
            elif answer == "drop":
                self.connection.close()
            elif answer == "huge":
                self.send_response(200)
                self.end_headers()
                for _ in range(2_000):
                    self.wfile.write(b"y" * 100_000)
            elif answer == "redirect":
                self.send_response(302)
                self.send_header("Location", f"{receiver.url}/elsewhere")
                self.end_headers()
            elif answer == "later":
                self.send_response(503)
                self.send_header("Retry-After", "1200")
                self.end_headers()
            else:
                self.send_response(int(answer))
                self.end_headers()
                self.wfile.write(f"answer {answer} <b>\0".encode())

        def log_message(self, *args: object) -> None:
            pass

        def handle_one_request(self) -> None:
            try:
                super().handle_one_request()
            except OSError:  # the other side has gone
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    receiver.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield receiver
    finally:
        receiver.closed.set()
        server.shutdown()
        server.server_close()
