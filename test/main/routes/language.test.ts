// Pages that no link can open again, in another language: their form carries the page, and no request is repeated.
import t, { type Test } from 'tap'
import { LANGUAGE_TAGS } from '../../../src/config/language-tags.ts'
import { PATHS } from '../../../src/core/paths.ts'
import { formatKept } from '../../../src/pages/kept.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { logoutUrl, startWithLeavers } from '../../support/logout/leavers.ts'
import { changeClient } from '../../support/records.ts'
import { requestUrl, visitorOf } from '../../support/scene/requests.ts'
import { startService } from '../../support/service.ts'
import { asPage, type Page, type Visitor } from '../../support/visitor.ts'

const SECRET_STATE = 'a-state-that-no-page-repeats'
const COOKIE = '__Host-redmint-language=de; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax'

const requestIdOf = ({ text }: Page) => /<dd><code>([\w-]{16})<\/code><\/dd>/.exec(text)?.[1]
const buttonsOf = ({ text }: Page) =>
  [...text.matchAll(/name="language" value="([\w-]+)"/g)].map(([, tag]) => tag)
/** The sealed page in the form of the languages, which stands after what the page is about. */
const keptOf = ({ text }: Page) =>
  /<form method="post" action="\/oauth2\/language">\n<input type="hidden" name="page" value="([^"]*)">/.exec(
    text,
  )?.[1]
/** Chooses a language at a page that no link can open again. */
const choose = (visitor: Visitor, page: Page, fields: Record<string, string | undefined>) =>
  visitor.post(PATHS.language, { page: keptOf(page), ...fields })
const othersThan = (shown: string) => LANGUAGE_TAGS.filter((tag) => tag !== shown)

async function start(t: Test) {
  const service = await startService(t)
  return { ...service, visitor: visitorOf(() => service.fastify) }
}

t.test('an error page is the same in the other language, and back again', async (t) => {
  const { visitor } = await start(t)
  const english = await visitor.page(requestUrl({ client_id: 'nobody', state: SECRET_STATE }))
  t.equal(english.status, 400)
  t.strictSame(buttonsOf(english), othersThan('en'))
  t.strictSame(Object.keys(english.hidden), [])
  t.match(keptOf(english), /^[\w.-]{50,}$/)
  t.notMatch(english.text, SECRET_STATE)
  const german = asPage(await choose(visitor, english, { language: 'de' }))
  t.match(german, { status: 200, url: PATHS.language, set_cookies: [COOKIE] })
  t.match(german.text, '<html lang="de"')
  t.not(requestIdOf(english), undefined)
  t.equal(requestIdOf(german), requestIdOf(english))
  t.match(german.headers, { 'cache-control': 'no-store', 'content-security-policy': /^default-src 'none'/ })
  t.strictSame(buttonsOf(german), othersThan('de'))
  const again = asPage(await choose(visitor, german, { language: 'en' }))
  t.equal(again.title, english.title)
})

t.test('a cookie counts as it was sent, and is not decoded', async (t) => {
  const { fastify } = await start(t)
  for (const [value, language] of [
    ['de', 'de'],
    ['%64e', 'en'],
  ]) {
    const headers = { cookie: `__Host-redmint-language=${value}; other=%zz` }
    const { body } = await fastify.inject({ url: requestUrl({ client_id: 'nobody' }), headers })
    t.match(body, `<html lang="${language}"`, value ?? '')
  }
})

t.test('a page that a form led to has the switch, too', async (t) => {
  const { visitor } = await start(t)
  const action = `<form method="post" action="${PATHS.interaction}">`
  const sign_in = {
    text: action,
    hidden: { transaction: 'over', csrf: 'x' },
    url: PATHS.interaction,
  } as never
  const expired = asPage(await visitor.submit(sign_in, {}))
  t.equal(expired.title.split(' · ')[0], 'This sign-in is no longer open')
  t.strictSame(buttonsOf(expired), othersThan('en'))
})

t.test('the page after a logout keeps its link to the client', async (t) => {
  const { visitor, signIn, storage } = await startWithLeavers(t)
  await changeClient(storage, 'mail', { set: { client_uri: 'https://mail.example.com/' } })
  const alice = visitor()
  const { id_token } = await signIn(alice)
  const english = await alice.page(logoutUrl({ id_token_hint: id_token }))
  t.match(english.text, 'href="https://mail.example.com/"')
  t.notMatch(english.text, id_token)
  const german = asPage(await choose(alice, english, { language: 'de' }))
  t.match(german.text, '<html lang="de"')
  t.match(german.text, 'href="https://mail.example.com/"')
})

t.test('a page that was not sealed for this is refused, in the language that was chosen', async (t) => {
  const { visitor, fastify } = await start(t)
  const { sealer } = fastify.redmint
  const error = await visitor.page(requestUrl({ client_id: 'nobody' }))
  const kept = formatKept({ page: 'logged_out', props: { signed_in: false } })
  const odd = [undefined, 'x', `${keptOf(error)}x`, sealer.seal('pending', kept), sealer.seal('page', '{}')]
  for (const page of odd) {
    const refused = asPage(await choose(visitor, error, { language: 'de', page }))
    t.match(refused, { status: 400, set_cookies: [COOKIE] })
    t.match(refused.text, '<html lang="de"')
  }
  for (const language of [undefined, 'nl', 'DE', '__proto__']) {
    const refused = asPage(await choose(visitor, error, { language }))
    t.match(refused, { status: 400, set_cookies: [] })
  }
})

t.test('without a sealing key there is the page without the switch', async (t) => {
  const { visitor, fastify } = await start(t)
  fastify.redmint.sealer.seal = () => {
    throw new StorageUnavailable('There is no sealing key yet.')
  }
  const error = await visitor.page(requestUrl({ client_id: 'nobody' }))
  t.strictSame([error.status, buttonsOf(error)], [400, []])
})

t.test('pages that are the same without their query lead to themselves without it', async (t) => {
  const SWITCH = '<form>\n<details>'
  const { visitor } = await start(t)
  for (const path of ['/nothing?code=x', '/oauth2/token?code=x', '/?code=x']) {
    t.match((await visitor.page(path)).text, SWITCH, path)
  }
  const demo = await visitor.page('/demo/callback?error=access_denied&state=x')
  t.match(demo.text, SWITCH.replace('<form>', '<form action="/demo">'))
})
