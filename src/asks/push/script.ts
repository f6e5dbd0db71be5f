import { hash } from 'node:crypto'

// Nothing of the page works by it but what nothing else can do, which is hidden until it runs. A browser that this server
// does not know gets a new subscription: an older one may be bound to another key.
const SCRIPT = `(async () => {
'use strict'
const box = document.querySelector('[data-push-key]')
if (!box || !('serviceWorker' in navigator) || !('PushManager' in window)) return
const { pushKey, pushWorker, pushKnown, pushProblem } = box.dataset
const { form } = box.querySelector('input[name=subscription]')
const field = form.elements.subscription, button = box.querySelector('button'), problem = box.querySelector('[role=status]')
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '')
const id = async ({ endpoint }) => text(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)))
const former = async () => (await navigator.serviceWorker.getRegistration(pushWorker))?.pushManager.getSubscription()
button.addEventListener('click', async (event) => {
if (field.value !== '') return
event.preventDefault()
button.disabled = true
problem.textContent = ''
try {
if (await Notification.requestPermission() !== 'granted') throw new Error('denied')
const registration = await navigator.serviceWorker.register(pushWorker)
await (await registration.pushManager.getSubscription())?.unsubscribe()
const active = registration.active ?? registration.waiting ?? registration.installing
if (active.state !== 'activated') await new Promise((resolve) => active.addEventListener('statechange', () => { if (active.state === 'activated') resolve() }))
const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey })
field.value = JSON.stringify(subscription)
button.disabled = false
form.requestSubmit(button)
} catch {
button.disabled = false
problem.textContent = pushProblem
}
})
addEventListener('pageshow', (event) => { if (event.persisted) { field.value = ''; button.disabled = false } })
const known = await former().catch(() => undefined)
box.hidden = known ? pushKnown.split(' ').includes(await id(known)) : false
})()
`

// It opens a page of its own origin only, whatever a message says.
const WORKER = `'use strict'
addEventListener('push', (event) => {
const { title, body, open } = event.data.json()
event.waitUntil(registration.showNotification(title, { body, tag: 'redmint-ask', data: open }))
})
addEventListener('notificationclick', (event) => {
event.notification.close()
const url = new URL(event.notification.data, location.origin)
if (url.origin === location.origin) event.waitUntil(clients.openWindow(url.href))
})
`

/** The script of the page on which a person allows notices, as a file. */
export const PUSH_SCRIPT = SCRIPT

/** Its path, below the issuer: another script has another one, so that browsers may keep it for good. */
export const PUSH_SCRIPT_PATH = `/oauth2/notices.${hash('sha256', SCRIPT, 'base64url').slice(0, 16)}.js`

/** What shows notices in a browser, while no page is open. */
export const PUSH_WORKER = WORKER

/** Its path, below the issuer. It is always the same: browsers look there for a newer one. */
export const PUSH_WORKER_PATH = '/oauth2/notices-worker.js'
