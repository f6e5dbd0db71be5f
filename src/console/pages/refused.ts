import { type AdminError, PROBLEMS } from '../../admin/operation/problem.ts'
import { hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { ShownPage } from '../rows.ts'
import { text } from './parts.ts'

const page = (status: number, title: string, body: Html): ShownPage => ({
  title,
  section: 'home',
  body,
  status,
})
const toHome = (base: string) =>
  html`<p class="up"><a class="button" href="${base}">To the start of the console</a></p>`

/** An operation was refused. */
export function refusedPage({ code, message }: AdminError, base: string): ShownPage {
  const { status, title } = PROBLEMS[code]
  return page(status, title.replace(/\.$/, ''), html`<p>${text(message)}</p>\n${toHome(base)}`)
}

/** Something else went wrong; the page says nothing of it. */
export function failedPage(status: number, detail: string, request_id: string): ShownPage {
  const title = status === 503 ? 'The console cannot answer now' : 'That did not work'
  return page(
    status,
    title,
    html`<p>${detail}</p>
<p>Request <code>${request_id}</code></p>`,
  )
}

/** Where a form that came too late is shown again. */
export interface KeptAt {
  /** Below the console. */
  readonly to: string
  /** Whether with what was typed. */
  readonly is_kept: boolean
}

const whatIsKept = ({ is_kept }: KeptAt) =>
  is_kept
    ? 'What you typed is kept for half an hour, without secrets: the form comes again, filled in.'
    : 'What you typed is too long to be kept: go back in the browser to copy it.'

/** A form of another tab, after the session ended. @param kept absent: nobody's form */
export const signedOutPage = (base: string, kept?: KeptAt): ShownPage =>
  page(
    400,
    'You have been signed out',
    kept === undefined
      ? html`<p>Nothing was changed. Sign in, and do it again.</p>\n${toHome(base)}`
      : html`<p>Nothing was changed. ${whatIsKept(kept)}</p>
<p class="up"><a class="button main" href="${base}${kept.to}">Sign in, and go on</a></p>`,
  )

/** A form that is not of this session, as another site would send it. */
export const foreignFormPage = (base: string): ShownPage =>
  page(
    403,
    'This form is not of this session',
    html`<p>Nothing was changed. If you sent it yourself, you signed in again meanwhile: open the page again.</p>\n${toHome(base)}`,
  )

/** A form that was sent after who it is was confirmed too long ago. @param title that of its page */
export const unconfirmedPage = ({
  base,
  title,
  username,
  ...kept
}: KeptAt & { readonly base: string; readonly title: string; readonly username: string }): ShownPage =>
  page(
    403,
    'Confirm it is you',
    html`<p>To go on with “${text(title.replace(/\?$/, ''))}”, confirm that you are ${text(username, 120)}: your sign-in is more than ten minutes ago, or your account changed since.</p>
<p>Nothing was changed yet. ${whatIsKept(kept)}</p>
<p class="up"><a class="button main" href="${base}${kept.to}">Sign in again, and go on</a></p>`,
  )

/** A form that was sent twice. */
export const alreadySentPage = (base: string): ShownPage =>
  page(
    409,
    'This form was sent already',
    html`<p>It acted once, and not again. What was shown once is not shown again.</p>\n${toHome(base)}`,
  )

/** Somebody without any right at the admin API. */
export const noRightsPage = (username: string): ShownPage =>
  page(
    403,
    'You may not use the console',
    html`<p>The account ${text(username, 120)} has no rights at the admin API. An operator can give some with <code>redmint admin grant</code>.</p>`,
  )

/** The answer of a sign-in that does not count. */
export const unusableSignInPage = (address: string): ShownPage =>
  page(
    400,
    'That sign-in does not count',
    html`<p>It was not started in this browser, is over, was refused, or was not by the strongest way of your account.</p>
<p class="up"><a class="button main" href="${address}">Sign in again</a></p>`,
  )

/** Nothing is at a path of the console. */
export const nothingHerePage = (base: string): ShownPage =>
  page(404, 'Nothing is here', html`<p>The console has no such page.</p>\n${toHome(base)}`)

/** Asks whether to sign out. */
export const signOutPage = (base: string, csrf: string): ShownPage => ({
  title: 'Sign out of the console?',
  section: 'home',
  body: html`<form class="narrow-page" method="post" action="${base}/sign-out">
${hidden('csrf', csrf)}
<p class="down">Your session at the console ends. You stay signed in elsewhere.</p>
<div class="buttons"><button class="main">Sign out</button>
<a class="button plain" href="${base}">Cancel</a></div>
</form>`,
})

/** Nobody is signed in at the console any more. @param logout the address that signs out everywhere */
export const goodbyePage = (base: string, logout: string): ShownPage =>
  page(
    200,
    'You are signed out of the console',
    html`<p>Other applications may still have you signed in.</p>
<ul class="buttons up"><li><a class="button" href="${logout}">Sign out everywhere</a></li>
<li><a class="button" href="${base}">Sign in again</a></li></ul>`,
  )
