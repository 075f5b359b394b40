"""A file on a server."""

import http.client
import urllib.parse
import urllib.request

from .errors import NotReadableError


class HttpSource:
    """A file on a server that answers range requests."""

    def __init__(self, url: str) -> None:
        # Characters that no address may hold, such as blanks and umlauts, as browsers send them. What is encoded already stays.
        self._url = urllib.parse.quote(url, safe="%/:?#[]@!$&'()*+,;=~")
        # A GET of one byte, because some servers answer HEAD without a length.
        with self._open(0, 1) as answer:
            total = (answer.headers.get("Content-Range") or "").rpartition("/")[2]
            if answer.status != 206 or not total.isdigit():
                raise NotReadableError(f"{url}: the server does not answer range requests; download the file")
            self.size = int(total)

    def __reduce__(self) -> tuple[type["HttpSource"], tuple[str]]:
        return HttpSource, (self._url,)

    def _open(self, offset: int, length: int):  # type: ignore[no-untyped-def]
        request = urllib.request.Request(self._url, headers={"Range": f"bytes={offset}-{offset + length - 1}"})
        try:
            return urllib.request.urlopen(request, timeout=60)  # noqa: S310
        except (OSError, http.client.HTTPException) as error:
            raise NotReadableError(f"{self._url} cannot be read: {error}") from error

    def read(self, offset: int, length: int) -> bytes:
        if length == 0:
            return b""
        with self._open(offset, length) as answer:
            if answer.status != 206:
                raise NotReadableError(f"{self._url}: the server answered {answer.status} to a range request")
            try:
                return bytes(answer.read())
            except (OSError, http.client.HTTPException) as error:
                raise NotReadableError(f"{self._url}: the connection broke off: {error}") from error

    def close(self) -> None:
        pass
