// Cookies that another server neither signed nor made long enough to be guessed (CVE-2026-109373, CVE-2026-119128): of ours
// each character counts, and none says anything without what the server keeps or seals.
import t from 'tap'
import { requestUrl, signInAndAgree } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { asDeparture, type Visitor } from '../../../support/visitor.ts'

/** The same text with another character at a place. */
const changedAt = (text: string, place: number) =>
  text.slice(0, place) + (text[place] === 'A' ? 'B' : 'A') + text.slice(place + 1)

t.test('a cookie with one other character is none', async (t) => {
  const { visitor } = await scene(t)
  const alice = visitor()
  await signInAndAgree(alice)
  const silent = requestUrl({ prompt: 'none' })
  const answerTo = async (cookies: Iterable<[string, string]>) => {
    const other: Visitor = visitor()
    for (const [name, value] of cookies) other.cookies.set(name, value)
    const { told } = asDeparture(await other.open(silent))
    return told.get('error') ?? 'signed in'
  }
  t.equal(await answerTo(alice.cookies), 'signed in')
  const session = [...alice.cookies.keys()].find((name) => name.includes('session')) ?? ''
  const value = alice.cookies.get(session) ?? ''
  t.ok(value.length >= 43, 'it cannot be guessed')
  for (let place = 0; place < value.length; place += 3)
    t.equal(
      await answerTo([...alice.cookies, [session, changedAt(value, place)]]),
      'login_required',
      `${place}`,
    )
  for (const guessed of [
    '',
    '0',
    'true',
    'alice',
    'sub-of-alice',
    value.slice(1),
    `${value}A`,
    value.toLowerCase(),
  ])
    t.equal(await answerTo([...alice.cookies, [session, guessed]]), 'login_required', guessed)
  for (const [name, kept] of alice.cookies)
    if (name !== session)
      t.equal(await answerTo([[name, kept]]), 'login_required', `${name} alone signs nobody in`)
})

t.test(
  'the sealed cookie of a browser opens no page of another one, nor does one that was changed',
  async (t) => {
    const { visitor } = await scene(t)
    const alice = visitor()
    const { url } = await alice.page(requestUrl())
    const [[name = '', value = ''] = [], ...more] = [...alice.cookies]
    t.same(more, [], 'one cookie says which browser it is')
    const titleWith = async (kept: string) => {
      const other = visitor()
      other.cookies.set(name, kept)
      return (await other.page(url)).title
    }
    const opened = await titleWith(value)
    t.equal(opened, 'Sign in')
    // That each character counts is shown in the test of the sealer.
    for (const place of [0, 1, 30, value.length - 2])
      t.not(await titleWith(changedAt(value, place)), opened, `${place}`)
  },
)
