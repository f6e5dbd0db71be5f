// What links and the password of the SMTP server leave behind, and what requests can say about mail.
import t from 'tap'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { giveInvitation } from '../../../../src/self-service/invitation.ts'
import { giveResetLink } from '../../../../src/self-service/reset-password.ts'
import { createCli } from '../../../support/cli/run-cli.ts'
import type { ReadMail } from '../../../support/scene/mail.ts'
import { scene } from '../../../support/scene.ts'
import { ISSUER } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asPage } from '../../../support/visitor.ts'

const PASSWORD = 'planted-smtp-password'
const EVIL = 'evil.example'
/** Milliseconds. */
const HOUR = 3_600_000

type Started = Awaited<ReturnType<typeof scene>>

/** Brings about each mail that somebody can ask for, with these headers and fields besides. */
async function askForAll(
  service: Started,
  headers: Record<string, string> = {},
  more: Record<string, string> = {},
): Promise<readonly ReadMail[]> {
  const { post, confirmed, mails, fastify } = service
  const { browser, csrf } = await confirmed('/account/address')
  await post('/forgot-password', { username: 'bob', ...more }, headers)
  await post('/sign-up', { email: 'carol@example.net', ...more }, headers)
  const cookie = browser.cookiesFor('/account')
  const type = 'application/x-www-form-urlencoded'
  await fastify.inject({
    method: 'POST',
    url: '/account/change-address',
    headers: { ...headers, cookie, 'content-type': type },
    payload: new URLSearchParams({ csrf, email: 'dave@example.net', ...more }).toString(),
  })
  // The link to bob, to carol and to dave, and the notice to alice.
  return mails(4)
}

/** A mail without what is random in it. */
const stable = ({ to, text }: ReadMail): string =>
  [to, text.replace(/[\w-]{16}\.[\w-]{43}/g, '<link>')]
    .join('\n')
    .replace(/Message-ID: \S+/g, '')
    .replace(/Date: .*/g, '')
    .replace(/--_NmP-[^\r\n"]+/g, '--boundary')
    .replace(/boundary="[^"]+"/g, 'boundary')

t.test('D1 every mail is byte for byte the same, whatever a request says of hosts', async (t) => {
  const hostile: readonly (readonly [Record<string, string>, Record<string, string>])[] = [
    [{}, {}],
    [{ host: EVIL }, {}],
    [{ forwarded: `for=192.0.2.1;host=${EVIL};proto=http` }, {}],
    [{ 'x-forwarded-host': EVIL, 'x-forwarded-proto': 'http', 'x-forwarded-prefix': '/evil' }, {}],
    [{ 'x-forwarded-server': EVIL, 'x-forwarded-port': '81', 'x-original-url': `//${EVIL}/` }, {}],
    [{ referer: `https://${EVIL}/` }, {}],
    [
      {},
      { issuer: `https://${EVIL}`, link: EVIL, host: EVIL, origin: EVIL, redirect_uri: `https://${EVIL}` },
    ],
  ]
  const seen = new Set<string>()
  // Mails say times to the minute: each scene begins at the same one.
  const begins_at = Math.ceil(Date.now() / HOUR) * HOUR
  for (const [headers, more] of hostile) {
    const service = await scene(t, { with: ['mail'], sign_up: 'open' })
    service.pass((begins_at - Date.now()) / 1000)
    const all = await askForAll(service, headers, more)
    t.equal(all.length, 4)
    for (const { text, link } of all) {
      t.notMatch(text, EVIL)
      t.match(link, /^\/[\w-]+\?link=/)
    }
    seen.add(all.map(stable).join('\n\n'))
  }
  t.equal(seen.size, 1)
  const refused = await scene(t, { with: ['mail'], sign_up: 'open' })
  const { status } = await refused.post(
    '/forgot-password',
    { username: 'bob' },
    { origin: `https://${EVIL}` },
  )
  t.ok(status === 200 || status >= 400, 'a foreign Origin is refused, or changes nothing')
  if (status === 200) t.notMatch((await refused.mails(1))[0]?.text, EVIL)
})

t.test('E8 no link is in a log, an event, a metric, or what operators see', async (t) => {
  const service = await scene(t, { with: ['mail'], sign_up: 'open' })
  const { redmint, storage, press, visitor, get, log } = service
  const events: SecurityEvent[] = []
  redmint.reported.on('event', (event) => void events.push(event))
  const links = (await askForAll(service)).map(({ link }) => link)
  const by = { kind: 'command', id: '' } as const
  for (const given of [
    await giveInvitation(redmint, { uses: 1, days: 1, groups: [], by }),
    await giveResetLink(redmint, 'alice'),
  ])
    links.push((given?.url ?? '').slice(ISSUER.length))
  t.equal(links.length, 6)
  for (const link of links) {
    t.equal((await visitor().page(link)).status, 200, link.split('?')[0] ?? '')
    await get(`${link}&more=1`)
    await get(link.replace('link=', 'other='))
    await service.post(link, {})
  }
  const not_me = links.find((link) => link.startsWith('/not-me')) ?? ''
  t.equal((await press(not_me)).status, 200)
  const carol = visitor()
  const welcome = await carol.page(links.find((link) => link.startsWith('/welcome')) ?? '')
  asPage(await carol.submit(welcome, { username: 'carol', password: 'seven wet umbrellas at noon' }))
  const { redmint: run } = createCli({ storage })
  const shown: string[] = []
  for (const args of [
    ['mail', 'list'],
    ['user', 'invitations'],
    ['user', 'show', 'alice'],
    ['user', 'list'],
  ]) {
    const { stdout, stderr } = await run([...args, '--json'])
    shown.push(stdout, stderr)
  }
  const said = [
    log.join(''),
    JSON.stringify(events),
    (await get('/actuator/prometheus')).text,
    ...shown,
  ].join()
  for (const link of links) {
    const [tag = '', secret = ''] = link.split('link=')[1]?.split('.') ?? []
    t.equal(secret.length, 43)
    t.notOk(said.includes(secret), `${link.split('?')[0]} ${tag}`)
  }
})

t.test('E8 the password in SMTP_URL is in no log, event or answer', async (t) => {
  const service = await scene(t, { with: ['mail'], smtp_url: `smtp://redmint:${PASSWORD}@127.0.0.1:9` })
  const { post, log, storage, get } = service
  await post('/forgot-password', { username: 'alice' })
  await until('it was tried', () => log.some((line) => line.includes('could not be handed over')))
  const environment = {
    REDIS_URL: 'redis://127.0.0.1:1',
    SMTP_URL: `smtp://redmint:${PASSWORD}@127.0.0.1:9`,
    MAIL_FROM: 'login@example.com',
  }
  const { redmint } = createCli({ storage, environment })
  const shown: string[] = []
  for (const args of [['mail', 'list', '--json'], ['mail', 'test', 'a@example.org'], ['doctor']]) {
    const { stdout, stderr } = await redmint(args)
    shown.push(stdout, stderr)
  }
  const wrong = createCli({ environment: { ...environment, SMTP_URL: `smtp://x y:${PASSWORD}@h` } })
  const refused = await wrong.redmint(['mail', 'test', 'a@example.org'])
  t.not(refused.code, 0)
  const said = [
    log.join(''),
    (await get('/actuator/prometheus')).text,
    ...shown,
    refused.stdout,
    refused.stderr,
  ]
  t.notOk(said.join().includes(PASSWORD))
})
