import { Html, html } from './html.ts'
import { hashSource } from './theme.ts'

// Disabled after the form was read, which needs the pressed button. After a step back the browser may show the page as it
// was left (pageshow), and a stopped navigation leaves the page where it is (the second timer).
const SCRIPT = `(() => {
const form = document.querySelector('main form'), buttons = form.querySelectorAll('button')
const wait = (waiting) => { for (const button of buttons) button.disabled = waiting }
form.addEventListener('submit', () => { setTimeout(wait, 0, true); setTimeout(wait, 10000, false) })
addEventListener('pageshow', () => wait(false))
})()`

/**
 * The script of a page whose form is an answer that counts once: while the answer is on its way, the buttons do nothing. A
 * second press would stop the way to the client, and show that nothing is open any more.
 */
export const SEND_ONCE_SCRIPT = html`<script>${new Html(SCRIPT)}</script>`

/** The script source that the Content-Security-Policy of such a page allows. */
export const SEND_ONCE_SOURCE = hashSource(SCRIPT)
