"""Requests to a service, by the standard library alone."""

from __future__ import annotations

import http.client
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any, Optional, Union

# What a busy service answers.
_BUSY = {429, 502, 503, 504}


class Refused(Exception):
    """The service said no: sending the same again would change nothing. `body` is its answer, such as the outcome of a
    promotion that the policy blocks (409)."""

    def __init__(self, status: int, detail: str, body: Any = None) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail
        self.body = body


class Unavailable(Exception):
    """There was no answer, or none but that the service is busy. `after` are the seconds that it asks to wait."""

    def __init__(self, reason: str, after: Optional[float] = None) -> None:
        super().__init__(reason)
        self.after = after


def _by_proxy(url: str) -> str:
    """Name the proxy that a request uses. A service on this machine rarely needs one."""
    parts = urllib.parse.urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme)
    if proxy is None or urllib.request.proxy_bypass(parts.hostname or ""):
        return ""
    host = urllib.parse.urlsplit(proxy).hostname or "?"
    return f" by the proxy {host}; set no_proxy={parts.hostname} to go without it"


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the token to another host."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Service:
    """One service. `timeout` are the seconds that a request may take; `actor` is who asks, for the audit trail.

    Without arguments it reads SERVICE_URL and SERVICE_LOCAL_API_TOKEN, as svc does.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        timeout: float = 10.0,
        actor: Optional[str] = None,
    ) -> None:
        self._url = (url or os.environ.get("SERVICE_URL") or "http://127.0.0.1:8765").rstrip("/")
        if not self._url.startswith(("http://", "https://")):
            raise ValueError(f"the address of the service must begin with http:// or https:// (it is {self._url!r})")
        # A file that a token is read of ends with a newline.
        self._token = (token or os.environ.get("SERVICE_LOCAL_API_TOKEN") or "").strip()
        if not re.fullmatch(r"[!-~]*", self._token):
            raise ValueError("the token must be of ASCII characters without blanks")
        self._actor = actor
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirects)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """The JSON answer. Raises Refused, or Unavailable where it may be tried again. A `body` of bytes is sent as it is."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        address = self._url + path + ("?" + urllib.parse.urlencode(given) if given else "")
        sent = {"content-type": "application/json", **(headers or {})}
        if self._token:
            sent["authorization"] = f"Bearer {self._token}"
        if self._actor:
            sent["x-service-actor"] = self._actor
        data = body if body is None or isinstance(body, bytes) else json.dumps(body, allow_nan=False).encode()
        request = urllib.request.Request(address, data=data, headers=sent, method=method)
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                answered = _json_of(error)
            detail = answered.get("detail") if isinstance(answered, dict) else None
            detail = _text_of(detail) or str(error.reason)
            if error.code in _BUSY:
                raise Unavailable(f"{error.code}: {detail}", _seconds(error.headers.get("retry-after"))) from error
            raise Refused(error.code, detail, answered) from error
        except (OSError, ValueError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or str(error) or type(error).__name__
            raise Unavailable(f"{reason} ({self._url}{_by_proxy(self._url)})") from error

    def register(
        self,
        bundle: Union[str, "os.PathLike[str]"],
        *,
        environment: Optional[str] = None,
        artifact: Optional[Mapping[str, Any]] = None,
    ) -> str:
        """Registers a bundle, a folder with a release.yaml or that file alone, and returns its release_id. What
        is registered already keeps its id. Without `artifact`, release.yaml is read by PyYAML: `pip install PyYAML`."""
        # Not above: `python3 -m release_governance.checksum` is a program of its own.
        from .checksum import checksum

        path = os.fspath(bundle)
        file = os.path.join(path, "release.yaml") if os.path.isdir(path) else path
        body: dict[str, Any] = {
            "artifact": _read_yaml(file) if artifact is None else artifact,
            "checksum": checksum(path),
            "reuse": True,
        }
        if environment is not None:
            body["environment"] = environment
        release_id: str = self.call("POST", "/v1/releases", body)["release_id"]
        return release_id

    def gate(
        self, agent_id: str, environment: str, release_id: str, *, window: str = "24h", **query: Any
    ) -> dict[str, Any]:
        """Whether a release may replace the live one: `verdict`, and the reasons. Writes nothing."""
        path = f"/v1/gate/{_part(agent_id)}/{_part(environment)}"
        answer: dict[str, Any] = self.call("GET", path, query={"release_id": release_id, "window": window, **query})
        return answer

    def promote(
        self,
        release_id: str,
        *,
        environment: str,
        reason: str,
        window: str = "24h",
        first: bool = False,
        dry_run: bool = False,
        idempotency_key: Optional[str] = None,
    ) -> dict[str, Any]:
        """Makes a release live if the policy passes; `first` says that nothing is live yet. Raises Refused with status 409 where it blocks. With an
        `idempotency_key` the same call may be made again after Unavailable."""
        body = {
            "release_id": release_id,
            "environment": environment,
            "reason": reason,
            "window": window,
            "first": first,
            "dry_run": dry_run,
        }
        headers = {} if idempotency_key is None else {"idempotency-key": idempotency_key}
        answer: dict[str, Any] = self.call("POST", "/v1/promote", body, headers=headers)
        return answer


def _part(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def _text_of(detail: Any) -> str:
    """What a refusal says: with the reasons of a policy that blocks (409), or each field that is wrong (422)."""
    if isinstance(detail, list):
        return "; ".join(f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}" for each in detail)
    if not isinstance(detail, dict):
        return str(detail or "")
    policy = detail.get("outcome", detail).get("policy", {})
    return " ".join([str(detail.get("message", "")), "; ".join(policy.get("reasons", []))]).strip()


def _json_of(error: urllib.error.HTTPError) -> Any:
    try:
        return json.loads(error.read())
    except (OSError, ValueError, http.client.HTTPException):
        return None


def _seconds(text: Optional[str]) -> Optional[float]:
    return float(text) if text is not None and text.isdigit() else None


def _read_yaml(file: str) -> Any:
    with open(file, "rb") as opened:
        data = opened.read()
    try:
        return json.loads(data)
    except ValueError:
        pass
    try:
        from ._yaml import read
    except ImportError as error:
        raise RuntimeError(
            f"PyYAML reads {file}: pip install PyYAML, or give `artifact` as a dict"
        ) from error
    return read(data)
