"""A provider of OpenID Connect on a port: discovery, keys, the code flow with PKCE, and signed ID tokens."""

import base64
import json
import secrets
import threading
import time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT_ID, SECRET = "workbench", "of the client"


class OidcProvider:
    """Signs everybody in as the person whose claims are set. `issuer_in_token` and `audience` make it lie."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {}
        self.issuer_in_token = ""
        self.audience = CLIENT_ID
        self.lifetime = 300
        self.cancels = False
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        }

    def keys(self) -> dict[str, Any]:
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [key | {"kid": "1", "use": "sig", "alg": "RS256"}]}

    def authorize(self, asked: dict[str, str]) -> str:
        """The address to which the browser goes back: with a code, or with word that the person cancelled."""
        if self.cancels:
            return f"{asked['redirect_uri']}?{urlencode({'error': 'access_denied', 'state': asked['state']})}"
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, sent: dict[str, str], authorization: str) -> dict[str, str] | None:
        """The tokens for a code; None if the client, the code or the verifier is wrong."""
        basic = base64.b64encode(f"{CLIENT_ID}:{SECRET}".encode()).decode()
        asked = self.codes.pop(sent.get("code", ""), None)
        if asked is None or authorization != f"Basic {basic}" or asked["redirect_uri"] != sent["redirect_uri"]:
            return None
        digest = sha256(sent.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked["code_challenge"]:
            return None
        now = int(time.time())
        times = {"iat": now, "exp": now + self.lifetime}
        claims = {"iss": self.issuer_in_token or self.issuer, "aud": self.audience, **times, **self.claims}
        id_token = jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": "1"})
        return {"access_token": secrets.token_urlsafe(), "token_type": "Bearer", "id_token": id_token}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                where = urlsplit(self.path)
                provider.asked.append(where.path)
                if where.path == "/.well-known/openid-configuration":
                    self._answer(200, provider.discovery())
                elif where.path == "/keys":
                    self._answer(200, provider.keys())
                elif where.path == "/authorize":
                    asked = {name: values[0] for name, values in parse_qs(where.query).items()}
                    self.send_response(302)
                    self.send_header("Location", provider.authorize(asked))
                    self.end_headers()
                else:
                    self._answer(404, {})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                sent = {name: values[0] for name, values in parse_qs(body).items()}
                tokens = provider.token(sent, self.headers.get("Authorization", ""))
                self._answer(200 if tokens else 401, tokens or {"error": "invalid_grant"})

            def _answer(self, status: int, content: dict[str, Any]) -> None:
                body = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *said: object) -> None:
                """Say nothing."""

        return Handler
