// New recovery codes as a file, which a form without scripts gets.
import t, { type Test } from 'tap'
import { appCode } from '../../../support/authenticator.ts'
import { keyOn } from '../../../support/scene/pages.ts'
import { scene } from '../../../support/scene.ts'
import type { TestOptions } from '../../../support/service.ts'
import { asPage, type Page } from '../../../support/visitor.ts'

const FILE = '/oauth2/recovery-codes'
const codesOn = ({ text }: Page) => text.match(/([0-9A-Z]{6}-){3}[0-9A-Z]{6}/g) ?? []

/** Sets an app up in a sign-in, up to the page that shows the codes. */
async function shown(test: Test, options: TestOptions = {}) {
  const service = await scene(test, { second_factor: 'required', ...options })
  const alice = service.visitor()
  const page = asPage(await service.afterPassword(alice))
  const codes = asPage(await alice.submit(page, { code: appCode(keyOn(page), service.redmint.now()) }))
  return { ...service, alice, codes }
}

t.test('the file has the codes of the page, and the page stays', async (t) => {
  const { alice, codes, post, log } = await shown(t)
  t.match(codes.text, `formaction="${FILE}"`)
  t.notMatch(codes.hidden.codes, codesOn(codes)[0] ?? '')
  const file = await alice.request('POST', FILE, new URLSearchParams(codes.hidden).toString())
  t.equal(file.status, 200)
  t.match(file.headers, {
    'content-disposition': 'attachment; filename="recovery-codes.txt"',
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
  })
  t.strictSame(file.text.split('\r\n').slice(3, -1), codesOn(codes))
  t.match(file.text, /^redmint \(https:\/\/auth\.example\.com\)\r\nalice\r\n/)
  t.notOk(log.some((line) => codesOn(codes).some((code) => line.includes(code))))
  t.ok('location' in (await alice.submit(codes, {})), 'the sign-in goes on')
  t.equal((await post(FILE, { codes: '' })).status, 400)
})

t.test('nothing else becomes a file, and nothing does after half an hour', async (t) => {
  const { post, request, codes, redmint, pass } = await shown(t)
  const { sealer } = redmint
  const forged = JSON.stringify({ username: 'x', codes: ['x'], ends_at: redmint.now() + 60_000 })
  for (const sealed of ['x', codes.hidden.transaction ?? '', sealer.seal('page', forged), 'constructor'])
    t.equal((await post(FILE, { codes: sealed })).status, 400)
  t.ok((await request({ method: 'GET', url: FILE })).status >= 404)
  pass(1799)
  t.equal((await post(FILE, { codes: codes.hidden.codes ?? '' })).status, 200)
  pass(2)
  t.equal((await post(FILE, { codes: codes.hidden.codes ?? '' })).status, 400)
})

t.test('without a second step it is not there', async (t) => {
  const { post } = await scene(t, { second_factor: 'off' })
  t.equal((await post(FILE, {})).status, 404)
})
