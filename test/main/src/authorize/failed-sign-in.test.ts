// All failed sign-ins look the same to the browser, byte by byte.

import t from 'tap'
import { PASSWORD, userRecord } from '../../../support/accounts.ts'
import { createUser } from '../../../support/records.ts'
import { requestUrl } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { asPage, type Visitor, withoutTransaction } from '../../../support/visitor.ts'

const CASES: Record<string, [username: string | undefined, password: string | undefined]> = {
  'an unknown user': ['nobody', PASSWORD],
  'a wrong password': ['alice', 'wrong horse battery'],
  'an empty password': ['alice', ''],
  'no password': ['alice', undefined],
  'a password of 5000 characters': ['alice', 'x'.repeat(5_000)],
  'a disabled user': ['disabled', PASSWORD],
  'a user without a password': ['hashless', PASSWORD],
  'a malformed user': ['malformed', PASSWORD],
  'no username': [undefined, PASSWORD],
  'an invalid username': ['al:ice {x}', PASSWORD],
}

/** All that the browser receives for a sign-in, without dates and without the username that it sent. */
async function toldOf(visitor: Visitor, url: string, username?: string, password?: string) {
  const form = await visitor.page(url)
  const fields = {
    ...form.hidden,
    ...(username && { username }),
    ...(password !== undefined && { password }),
  }
  const posted = await visitor.request('POST', '/oauth2/interaction', new URLSearchParams(fields).toString())
  const page = await visitor.request('GET', String(posted.headers.location))
  return [posted, page].map(({ status, headers: { date: _, 'x-request-id': _id, ...headers }, text }) => ({
    status,
    headers: {
      ...headers,
      ...('location' in headers && { location: withoutTransaction(String(headers.location)) }),
      'content-length': undefined,
    },
    text: withoutTransaction(text)
      .replace(` value="${username ?? ''}" autocomplete`, ' value="" autocomplete')
      .replace(/ autofocus| aria-invalid="true"/g, ''),
  }))
}

t.test('all failures look the same, byte by byte', async (t) => {
  const { storage, visitor, log } = await scene(t, {
    sign_in_failures: 100,
  })
  const { password_hash = '' } = await userRecord('x')
  await createUser(storage, 'disabled', { sub: 'd', password_hash, disabled: 'true' })
  await createUser(storage, 'hashless', { sub: 'h' })
  await createUser(storage, 'malformed', { sub: 'not a sub', password_hash })
  const person = visitor()
  const { url } = await person.page(requestUrl())
  // The first failure changes the page, so the comparison starts with the second one.
  await toldOf(person, url, 'somebody', 'something')
  const expected = await toldOf(person, url, 'somebody else', 'something')
  t.match(expected, [{ status: 303 }, { status: 200, text: /role="alert"/ }])
  for (const [name, [username, password]] of Object.entries(CASES)) {
    t.strictSame(await toldOf(person, url, username, password), expected, name)
  }
  t.match(asPage(await person.submit(await person.page(url), { username: 'alice', password: PASSWORD })), {
    status: 200,
    title: /^Allow /,
  })
  const lines = log.join('')
  t.match(lines, /"username":"malformed","field":"sub"/)
  t.notMatch(lines, /correct horse|wrong horse|argon2id\$|x{100}/)
})

t.test('and so does every user where there were too many failures', async (t) => {
  const { visitor } = await scene(t, {
    sign_in_failures: 3,
  })
  const stranger = visitor()
  const { url } = await stranger.page(requestUrl())
  for (const username of ['alice', 'nobody']) {
    for (let count = 0; count < 3; count += 1) await toldOf(stranger, url, username, 'wrong horse battery')
  }
  const [known, unknown] = [
    await toldOf(stranger, url, 'alice', PASSWORD),
    await toldOf(stranger, url, 'nobody', PASSWORD),
  ]
  t.match(known[1]?.text, /role="alert"/)
  t.notMatch(known[1]?.text, /password is wrong|not right/i)
  t.strictSame(unknown, known, 'the right password, and a user that there is not')
  const wrong = await toldOf(stranger, url, 'alice', 'wrong horse battery')
  t.strictSame(wrong, known, 'nor does it say whether the password is right')
})
