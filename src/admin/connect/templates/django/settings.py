INSTALLED_APPS += ["mozilla_django_oidc"]
MIDDLEWARE += ["mozilla_django_oidc.middleware.SessionRefresh"]
AUTHENTICATION_BACKENDS = ["web_app.oidc.RedmintBackend"]
LOGIN_URL = "oidc_authentication_init"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "/"
LOGIN_REDIRECT_URL_FAILURE = "/refused"
OIDC_RP_CLIENT_ID = "{{client_id}}"
OIDC_RP_CLIENT_SECRET = "{{client_secret}}"
OIDC_RP_SCOPES = "{{scope}}"
OIDC_RP_SIGN_ALGO = "RS256"
OIDC_USE_PKCE = True
OIDC_STORE_ID_TOKEN = True
# After so many seconds redmint is asked again, and a user who is disabled there is out.
OIDC_RENEW_ID_TOKEN_EXPIRY_SECONDS = 900
OIDC_ISSUER = "{{issuer}}"
OIDC_OP_AUTHORIZATION_ENDPOINT = OIDC_ISSUER + "{{path.authorize}}"
OIDC_OP_TOKEN_ENDPOINT = OIDC_ISSUER + "{{path.token}}"
OIDC_OP_USER_ENDPOINT = OIDC_ISSUER + "{{path.userinfo}}"
OIDC_OP_JWKS_ENDPOINT = OIDC_ISSUER + "{{path.jwks}}"
OIDC_OP_LOGOUT_URL_METHOD = "web_app.oidc.logout_url"
