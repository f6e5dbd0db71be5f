// The steps of a browser from an authorization request to the client's callback.
import type { Test } from 'tap'
import { PASSWORD } from '../accounts.ts'
import { asDeparture, asPage, type Departure, type Page, type Visitor } from '../visitor.ts'
import { CALLBACK, SUITE, USERNAME } from './records.ts'

/** What a page asks the user for. */
export type Shown = 'sign_in' | 'consent'

const MAX_PAGES = 5

/** Signs in and gives consent as the pages ask, until the browser returns to the client. */
export async function goThroughPages(browser: Visitor, found: Page | Departure) {
  const shown: Shown[] = []
  let end = found
  while (!('location' in end) && !isResponse(end)) {
    if (shown.length === MAX_PAGES) throw new Error('the pages have no end')
    const signsIn = end.text.includes('name="password"')
    shown.push(signsIn ? 'sign_in' : 'consent')
    end = await browser.submit(
      end,
      signsIn ? { username: USERNAME, password: PASSWORD } : { decision: 'allow' },
    )
  }
  return { end, shown }
}

const isResponse = (page: Page) => page.text.includes(`<form method="post" action="${SUITE}`)

/** The parameters of a redirect to the client's callback. */
export function readQuery(t: Test, end: Page | Departure): URLSearchParams {
  const { location, told } = asDeparture(end)
  t.equal(location.origin + location.pathname, CALLBACK)
  t.equal(location.hash, '')
  return told
}

/** The parameters of a form to the client's callback, with an empty query (Form Post Response Mode §2). */
export function readForm(t: Test, end: Page | Departure): URLSearchParams {
  const page = asPage(end)
  t.equal(page.status, 200)
  t.match(page.headers['cache-control'], /\bno-store\b/)
  t.ok(page.text.includes(`<form method="post" action="${CALLBACK}">`), 'no query, and no other encoding')
  return new URLSearchParams(page.hidden)
}
