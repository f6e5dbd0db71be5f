import { Html, html } from './html.ts'
import { hashSource } from './theme.ts'

// The page works without it: what only the script can do is hidden, or empty, until it runs. After a step back the
// browser may show the page as it was left (pageshow), and a stopped navigation leaves the page where it is (the timer).
const SCRIPT = `(() => {
const find = (selector) => document.querySelector(selector)
const password = find('#password'), show = find('#show'), caps = find('#caps'), button = find('button.main')
const text = button.textContent
const reveal = (shown) => {
password.type = shown ? 'text' : 'password'
show.setAttribute('aria-pressed', shown)
}
const wait = (waiting) => {
button.disabled = waiting
button.textContent = waiting ? button.dataset.waiting : text
}
const warn = (event) => {
if (event.getModifierState) caps.textContent = event.getModifierState('CapsLock') ? caps.dataset.text : ''
}
show.hidden = false
show.addEventListener('click', () => { reveal(password.type === 'password'); password.focus() })
password.addEventListener('keydown', warn)
password.addEventListener('keyup', warn)
password.addEventListener('blur', () => { caps.textContent = '' })
password.form.addEventListener('submit', () => { reveal(false); wait(true); setTimeout(wait, 10000, false) })
addEventListener('pageshow', () => wait(false))
})()`

/** The script of a page with a password: shows it on demand, tells of Caps Lock, and lets the form be sent once. */
export const PASSWORD_SCRIPT = html`<script>${new Html(SCRIPT)}</script>`

/** The script source that the Content-Security-Policy of such a page allows. */
export const PASSWORD_SOURCE = hashSource(SCRIPT)
