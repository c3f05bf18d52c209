"""Files that are too large to be previewed: taken in as they are, read by a worker, watched on their upload's page."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import redirect

from runs import ingest, tasks
from runs.forms import secrets_to_redact
from runs.incoming import received, refuse_coding
from runs.ingest import Rejected, Text

LOGGED_OUT = "You are logged out. Log in in another window, then send the file again: it is still chosen here."


@login_not_required  # it checks by itself: a script that is sent on to the login page would take that for the answer
def send(request: HttpRequest) -> HttpResponse:
    """The body is the file, as upload.js sends it: {"url"} of the upload's page, or {"errors", "url"}."""
    if not request.user.is_authenticated:
        return JsonResponse({"errors": [{"line": None, "message": LOGGED_OUT}]}, status=401)
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    name = request.GET.get("name", "")[:255]
    try:
        refuse_coding(request)
        receipt = _submitted(request, [(name, received(request))], secrets_to_redact(request.GET))[0]
    except Rejected as error:
        kept = error.upload.get_absolute_url() if error.upload else ""
        return JsonResponse({"errors": error.errors, "url": kept}, status=error.status)
    return JsonResponse({"url": receipt.upload.get_absolute_url()}, status=201 if receipt.created else 200)


def send_files(request: HttpRequest, files: list[tuple[str, Text]]) -> HttpResponse:
    """The same for a form without the script: (name, text) of each, all taken in or none. Raises Rejected."""
    receipts = _submitted(request, files, secrets_to_redact(request.POST))
    if not any(receipt.created for receipt in receipts):
        messages.info(request, "This was stored before; nothing was stored twice.")
    elif len(receipts) > 1:
        messages.info(request, f"{len(receipts)} texts were taken in, each as an upload of its own.")
    return redirect(receipts[0].upload) if len(receipts) == 1 else redirect("uploads")


def _submitted(request: HttpRequest, files: list[tuple[str, Text]], redact: frozenset[str]) -> list[ingest.Receipt]:
    user: Any = request.user
    receipts = ingest.submit_all(files, door="web", user=user, redact=redact, may_queue=True)
    for receipt in receipts:
        tasks.hand_over(receipt)
    return receipts
