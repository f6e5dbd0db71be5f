// A provider that answers too much, or with other keys each time, is refused, and nobody else waits for it.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import t from 'tap'
import { guardedFetch } from '../../../../src/outbound/guarded-fetch.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { HOST, startDocumentHost } from '../../../support/outbound/document-host.ts'
import { federate, leave, type Meddle, signInThere, UPSTREAM } from '../../../support/providers/federation.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { asPage } from '../../../support/visitor.ts'

const OWN = requestUrl({ client_id: 'own' })
const DISCOVERY = '/.well-known/openid-configuration'
const TOKEN = '/oauth2/token'
const KEYS = '/.well-known/jwks.json'
const LONG = Buffer.alloc(10 * 1024 * 1024, ' ')

/** A key set of its own each time. */
function newKeySet(): Response {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { ...publicKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'RS256', use: 'sig' }
  return new Response(JSON.stringify({ keys: [key] }), { headers: { 'content-type': 'application/json' } })
}

const ROWS = [
  ['10 MB as discovery document', DISCOVERY, 'ETOOLONG', 1],
  ['10 MB as token answer', TOKEN, 'ETOOLONG', 1],
  ['10 MB as key set', KEYS, 'ETOOLONG', 1],
  ['another key set each time', KEYS, undefined, 2],
] as const

for (const [title, path, code, most_asked] of ROWS) {
  t.test(`${title}: refused, while a password signs in`, async (t) => {
    const meddle: { now: Meddle } = { now: async () => undefined }
    const { person, log, setFields } = await federate(t, {}, {}, meddle)
    await setFields('alice', { linked_subjects: linkOf(UPSTREAM, 'sub-of-alice') })
    let goOn = () => {}
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const { port, origin, options } = await startDocumentHost(t, {
      '/': (response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{')
        held.then(() => response.end(LONG))
      },
    })
    const { allow_private: _, ...trusted } = options
    const fetch = guardedFetch({ issuer_private_hosts: [`${HOST}:${port}`] }, { ...trusted, timeout: 60_000 })
    let asked = 0
    const misbehave: Meddle = async ({ pathname }) => {
      if (pathname !== path) return undefined
      asked += 1
      if (code !== undefined) return fetch(`${origin}/`, { method: 'GET', headers: {} })
      await held
      return newKeySet()
    }
    const alice = person()
    let waiting: ReturnType<typeof alice.here.open>
    if (path === DISCOVERY) {
      const page = await alice.here.page(OWN)
      meddle.now = misbehave
      waiting = alice.here.submit(page, { method: 'provider:acme' })
    } else {
      const answered = await signInThere(alice, await leave(alice))
      meddle.now = misbehave
      waiting = alice.here.open(answered)
    }
    let is_waiting = true
    const found = waiting.finally(() => {
      is_waiting = false
    })
    const { here } = person()
    t.ok('location' in (await signInOn(here, await here.page(OWN))))
    t.ok(is_waiting, 'the provider has not answered yet')
    goOn()
    t.equal(alertOn(asPage(await found)), en.messages.provider_broken)
    t.ok(asked >= 1 && asked <= most_asked, `asked ${asked} times`)
    if (code !== undefined) t.match(log.join(''), `"code":"${code}"`)
    meddle.now = async () => undefined
    t.ok('location' in (await signInOn(alice.here, await alice.here.page(OWN))), 'the password still counts')
  })
}
