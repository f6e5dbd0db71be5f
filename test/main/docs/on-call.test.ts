// Each row of docs/on-call.md: what it names happens, and its command prints the sentence that names the cause.
import t, { type Test } from 'tap'
import type { Storage } from '../../../src/storage/storage.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { codeIn, readText, tableRows } from '../../support/markdown.ts'
import { freePort } from '../../support/process.ts'
import { federate, leave, type Meddle, signInThere } from '../../support/providers/federation.ts'
import { requestUrl, signInAndAgree, signInOn } from '../../support/scene/requests.ts'
import { scene } from '../../support/scene.ts'
import { codeRequest, ISSUER } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import type { Page } from '../../support/visitor.ts'

const [, ...ROWS] = tableRows(await readText('docs/on-call.md'))
const EXPLAINED = { explain: { delay: 1 } } as const
const ENVIRONMENT = {
  REDIS_URL: 'redis://127.0.0.1:1',
  ISSUER,
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'login@example.com',
}
const asked = new Set<string>()

/** Asks as the row says whose sentence this is, until the answer has it. Returns the answer. */
async function says(t: Test, storage: Storage, sentence: string, id = '') {
  const [, ask = '', , mend = ''] = ROWS.find(([, , says]) => says === sentence) ?? []
  const [command = ''] = codeIn(ask)
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const run = (text: string) => redmint(text.replace('ID', id).split(' ').slice(1))
  let answer = ''
  await until(`${command} says ${sentence}`, async () => {
    const { stdout, stderr } = await run(command)
    answer = stdout + stderr
    return answer.replace(/\s+/g, ' ').includes(sentence)
  }).catch((error: unknown) => t.fail(`${String(error)}: ${answer}`))
  asked.add(sentence)
  /** Runs the command that mends it. */
  const mended = async () => {
    const [command = ''] = codeIn(mend)
    const { code, stderr } = await run(command)
    t.equal(code, 0, `${command} ${stderr}`)
  }
  return { answer, mended }
}

const idOf = ({ headers }: { headers: Readonly<Record<string, unknown>> }) => String(headers['x-request-id'])

t.test('invalid_grant, by a slash too many', async (t) => {
  const service = await scene(t, EXPLAINED)
  const left = await signInAndAgree(service.visitor(), { client_id: 'own' })
  const form = codeRequest(left.told.get('code') ?? '', { client_id: 'own' })
  const refused = await service.token({ ...form, redirect_uri: `${form.redirect_uri}/` })
  t.match(refused.json, { error: 'invalid_grant' })
  const { answer } = await says(
    t,
    service.storage,
    'The redirect_uri is not that of the authorization request',
    idOf(refused),
  )
  t.match(answer, /^ *\^ *$/m, 'the mark')
})

t.test('a refresh token is used twice', async (t) => {
  const service = await scene(t, EXPLAINED)
  const first = await service.redeem(await signInAndAgree(service.visitor(), { client_id: 'own' }))
  const second = await service.refresh(first.json.refresh_token)
  await service.refresh(second.json.refresh_token)
  const refused = await service.refresh(first.json.refresh_token)
  t.equal(service.happened('refresh_token_reused'), 1)
  const { answer } = await says(t, service.storage, 'The refresh token was used before', idOf(refused))
  for (const name of ['sign_in', 'signed_in_at', 'last_refresh_at']) t.match(answer, name)
  const year = new Date().getUTCFullYear()
  t.match(answer, new RegExp(`last_refresh_at: ${year}-`))
})

t.test('somebody without a password, and one who is locked out', async (t) => {
  const service = await scene(t, {
    ...EXPLAINED,
    sign_in_failures: 3,
    people: { carol: { password_hash: '' }, dave: {} },
  })
  const { mended } = await says(t, service.storage, 'password none')
  await mended()
  for (let guesses = 0; guesses < 5; guesses += 1) {
    const visitor = service.visitor()
    await signInOn(visitor, await visitor.page(requestUrl()), 'dave', 'a wrong password')
  }
  const lockout = await says(t, service.storage, 'sign_in_user_at_address')
  await lockout.mended()
})

t.test('Redis is full', async (t) => {
  const { storage } = await scene(t)
  const info = new Map([
    ['redis_version', '8.0.0'],
    ['maxmemory', '1048576'],
    ['used_memory', '1048577'],
    ['maxmemory_policy', 'noeviction'],
  ])
  const latency = { p50: 1, p95: 1 }
  const full = {
    name: 'redis:6379',
    info,
    save: '',
    missing_rights: [],
    latency,
    clock_ahead: 0,
    remote: false,
  }
  const examined = Object.assign(storage, { examine: async () => [full] })
  await says(t, examined, 'Redis refuses to write codes, tokens and sessions')
})

t.test("a provider's certificate has expired", async (t) => {
  const answers: { now: Meddle } = { now: async () => undefined }
  const federated = await federate(t, {}, EXPLAINED, answers)
  const person = federated.person()
  const back = await signInThere(person, await leave(person))
  answers.now = async () => {
    throw Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' })
  }
  const page = (await person.here.open(back)) as Page
  t.match(page.text, 'The other service did not answer as it should')
  // What the person hands over.
  const [, id = ''] = /<dl class="note">[\s\S]*?<code>([^<]+)</.exec(page.text) ?? []
  const { answer } = await says(t, federated.storage, 'CERT_HAS_EXPIRED', id)
  t.match(answer, 'redmint provider test acme')
  t.notMatch(answer, 'reset-factors')
})

t.test('mail is stuck', async (t) => {
  const away = await freePort()
  const service = await scene(t, { with: ['mail'], smtp_url: `smtp://127.0.0.1:${away}` })
  await service.post('/forgot-password', { username: 'alice' })
  const { mended } = await says(t, service.storage, 'ECONNREFUSED')
  await mended()
})

t.test('each row was asked', (t) => {
  t.strictSame([...asked].sort(), ROWS.map(([, , sentence = '']) => sentence).sort())
  t.end()
})
