import { hash } from 'node:crypto'

// The form works without it. A challenge ends after five minutes, so a page that is shown for longer is loaded again, unless
// something was typed there. What is older than the methods for JSON of WebAuthn Level 3 has its own few lines.
const SCRIPT = `(() => {
'use strict'
const Passkey = window.PublicKeyCredential
const missing = document.querySelector('[data-passkey-missing]')
if (!Passkey) {
if (missing) missing.hidden = false
return
}
const quietly = (call) => { try { return Promise.resolve(call()).catch(() => {}) } catch { return Promise.resolve() } }
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (byte) => byte.charCodeAt(0))
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '')
const LAST = 'redmint-passkey'
const told = document.querySelector('[data-passkey-signals]')
if (told) {
const { rpId, userId, allAcceptedCredentialIds, name, displayName } = JSON.parse(told.dataset.passkeySignals)
quietly(() => Passkey.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds }))
quietly(() => Passkey.signalCurrentUserDetails?.({ rpId, userId, name, displayName }))
}
const box = document.querySelector('[data-passkey-options]')
if (!box) return
const { form } = box.querySelector('input[name=credential]')
const field = form.elements.credential, button = box.querySelector('button'), problem = box.querySelector('[data-passkey-problem]')
const kind = box.dataset.passkeyUse, is_offer = 'passkeySuggest' in box.dataset
const publicKey = JSON.parse(box.dataset.passkeyOptions), rpId = publicKey.rpId ?? publicKey.rp.id
const needed = form.elements[box.dataset.passkeyNeeds], is_unnamed = publicKey.user?.name === ''
const listed = (list = []) => list.map((one) => ({ ...one, id: bytes(one.id) }))
publicKey.challenge = bytes(publicKey.challenge)
if (kind === 'get') publicKey.allowCredentials = listed(publicKey.allowCredentials)
else {
publicKey.user.id = bytes(publicKey.user.id)
publicKey.excludeCredentials = listed(publicKey.excludeCredentials)
}
if ('passkeyUnknown' in box.dataset) quietly(() => {
const credentialId = sessionStorage.getItem(LAST)
if (credentialId) return Passkey.signalUnknownCredential?.({ rpId, credentialId })
})
quietly(() => sessionStorage.removeItem(LAST))
const loaded = Date.now()
const isOlderThan = (seconds) => Date.now() - loaded > seconds * 1000
const send = (credential) => {
if (kind === 'get' && isOlderThan(290)) return location.reload()
const { response } = credential
const answer = kind === 'get'
? { authenticatorData: text(response.authenticatorData), signature: text(response.signature), userHandle: response.userHandle ? text(response.userHandle) : null }
: { attestationObject: text(response.attestationObject), transports: response.getTransports ? response.getTransports() : [] }
field.value = JSON.stringify({ id: credential.id, rawId: credential.id, type: credential.type, response: { clientDataJSON: text(response.clientDataJSON), ...answer } })
quietly(() => sessionStorage.setItem(LAST, credential.id))
form.requestSubmit(button)
}
if (is_offer) quietly(() => Passkey.isUserVerifyingPlatformAuthenticatorAvailable().then((can) => { if (can) form.elements.passkeys.value = 'yes' }))
let waiting = new AbortController()
const suggest = async () => {
if (!is_offer || !Passkey.isConditionalMediationAvailable || !await Passkey.isConditionalMediationAvailable()) return
waiting = new AbortController()
navigator.credentials.get({ publicKey, mediation: 'conditional', signal: waiting.signal }).then(send, () => {})
}
button.addEventListener('click', async (event) => {
if (field.value !== '') return
event.preventDefault()
if (needed && !needed.reportValidity()) return
if (is_unnamed) publicKey.user.name = publicKey.user.displayName = needed.value
if (isOlderThan(240)) return location.reload()
waiting.abort()
problem.textContent = ''
button.disabled = true
try {
const credential = await navigator.credentials[kind]({ publicKey })
button.disabled = false
send(credential)
} catch ({ name }) {
button.disabled = false
// WebAuthn Level 3 §5.1.3: the authenticator has one of those that are excluded.
problem.textContent = kind === 'create' && name === 'InvalidStateError' ? problem.dataset.passkeyExists : problem.dataset.passkeyProblem
suggest()
}
})
addEventListener('pageshow', (event) => { if (event.persisted) { field.value = ''; button.disabled = false } })
const isUntouched = () => [...form.querySelectorAll('input:not([type=hidden])')].every((input) => input.value === input.defaultValue)
if (is_offer) setInterval(() => { if (isOlderThan(240) && isUntouched()) location.reload() }, 15000)
box.hidden = false
quietly(suggest)
})()
`

/** The script of pages with passkeys, as a file. */
export const PASSKEY_SCRIPT = SCRIPT

/** Its path, below the issuer: another script has another one, so that browsers may keep it for good. */
export const PASSKEY_SCRIPT_PATH = `/oauth2/passkeys.${hash('sha256', SCRIPT, 'base64url').slice(0, 16)}.js`
