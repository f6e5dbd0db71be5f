from functools import wraps

import requests
from django.conf import settings
from django.http import HttpResponse


def needs(scope):
    """Decorates a view that only a token for this API, with the scope, may call."""

    def decorate(view):
        @wraps(view)
        def checked(request, *args, **kwargs):
            scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not sent:
                return refused(401, "Bearer")
            try:
                token = introspect(sent.strip())
            except requests.RequestException:
                return HttpResponse(status=503)
            audience = token.get("aud", [])
            audience = [audience] if isinstance(audience, str) else audience
            # A token that is bound to a key (cnf) is worth nothing without the proof, which is not looked at here.
            if not token["active"] or settings.REDMINT["resource"] not in audience or "cnf" in token:
                return refused(401, 'Bearer error="invalid_token"')
            if scope not in token["scope"].split():
                return refused(403, f'Bearer error="insufficient_scope", scope="{scope}"')
            request.token = token
            return view(request, *args, **kwargs)

        return checked

    return decorate


def introspect(token):
    url = settings.REDMINT["issuer"] + "{{path.introspect}}"
    answer = requests.post(url, data={"token": token}, auth=settings.REDMINT["client"], timeout=5)
    answer.raise_for_status()
    return answer.json()


def refused(status, challenge):
    return HttpResponse(status=status, headers={"WWW-Authenticate": challenge})
