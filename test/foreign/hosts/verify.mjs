// Verifies a JWT access token with jose and with fast-jwt: the issuer and the token are the arguments.
import { createPublicKey } from 'node:crypto'
import { createDecoder, createVerifier } from 'fast-jwt'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const [issuer, token] = process.argv.slice(2)
const jwks_uri = `${issuer}/.well-known/jwks.json`
const checks = { issuer, audience: issuer, typ: 'at+jwt' }
const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(jwks_uri)), checks)
console.log(payload.client_id)

const { keys } = await (await fetch(jwks_uri)).json()
const { header } = createDecoder({ complete: true })(token)
const jwk = keys.find(({ kid }) => kid === header.kid)
const key = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
const verify = createVerifier({ key, allowedIss: issuer, allowedAud: issuer })
console.log(verify(token).client_id)
