# Verifies a JWT access token with PyJWT: the issuer and the token are the arguments.
import sys

import jwt

issuer, token = sys.argv[1:]
key = jwt.PyJWKClient(issuer + "/.well-known/jwks.json").get_signing_key_from_jwt(token)
print(jwt.decode(token, key, algorithms=["ES256"], audience=issuer, issuer=issuer)["client_id"])
