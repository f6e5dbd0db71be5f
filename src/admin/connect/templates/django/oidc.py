from urllib.parse import urlencode

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from mozilla_django_oidc.auth import OIDCAuthenticationBackend


def username_of(claims):
    # The sub is the only name of a user that never changes. Nobody can choose a username with a colon here.
    return "redmint:" + claims["sub"]


class RedmintBackend(OIDCAuthenticationBackend):
    def get_userinfo(self, access_token, id_token, payload):
        claims = super().get_userinfo(access_token, id_token, payload)
        if payload["iss"] != settings.OIDC_ISSUER or payload["aud"] != settings.OIDC_RP_CLIENT_ID:
            raise SuspiciousOperation("The id_token is not from redmint, or not for this application.")
        if claims["sub"] != payload["sub"]:
            raise SuspiciousOperation("The user information is about somebody else.")
        return claims

    def verify_claims(self, claims):
        return True

    def filter_users_by_claims(self, claims):
        return self.UserModel.objects.filter(username=username_of(claims))

    def create_user(self, claims):
        user = self.UserModel.objects.create_user(username_of(claims))
        return self.update_user(user, claims)

    def update_user(self, user, claims):
        user.first_name = claims.get("given_name", claims.get("name", ""))[:150]
        user.last_name = claims.get("family_name", "")[:150]
        user.email = claims.get("email", "") if claims.get("email_verified") is True else ""
        user.save()
        return user


def logout_url(request):
    query = {
        "client_id": settings.OIDC_RP_CLIENT_ID,
        "post_logout_redirect_uri": request.build_absolute_uri("/"),
        "id_token_hint": request.session.get("oidc_id_token", ""),
    }
    return settings.OIDC_ISSUER + "{{path.end_session}}?" + urlencode(query)
