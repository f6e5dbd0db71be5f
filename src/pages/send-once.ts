import { Html, html } from './html.ts'
import { hashSource } from './theme.ts'

// The buttons are disabled after the browser has read the form, because the pressed one is part of it. After a step back
// the browser may show the page as it was left (pageshow), and a stopped navigation leaves the page where it is (the
// second timer).
const SCRIPT = `(() => {
const wait = (waiting) => { for (const button of document.querySelectorAll('main form button')) button.disabled = waiting }
for (const form of document.querySelectorAll('main form')) form.addEventListener('submit', (event) => { if (event.submitter?.hasAttribute('formaction')) return; setTimeout(wait, 0, true); setTimeout(wait, 10000, false) })
addEventListener('pageshow', () => wait(false))
})()`

/**
 * The script of a page whose answer counts once: it disables the buttons while the answer is sent. A second press would
 * stop the way to the client, and end at a page that says that the sign-in is no longer open.
 */
export const SEND_ONCE_SCRIPT = html`<script>${new Html(SCRIPT)}</script>`

/** The script source that the Content-Security-Policy of such a page allows. */
export const SEND_ONCE_SOURCE = hashSource(SCRIPT)
