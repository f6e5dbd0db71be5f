// "Forgot your password?" with a real SMTP server.
import t, { type Test } from 'tap'
import { countMail, MAILS_AN_HOUR, type MailRoom } from '../../../../src/mail/mail-limits.ts'
import { countMails } from '../../../../src/mail/mail-queue.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { createUser } from '../../../support/records.ts'

import { signInAndAgree } from '../../../support/scene/requests.ts'
import { addressFor, scene } from '../../../support/scene.ts'
import { DEMO_HERE, type Service, startService, type TestOptions } from '../../../support/service.ts'
import { type Arrived, startSmtp, textOf } from '../../../support/smtp.ts'
import { until } from '../../../support/until.ts'

const PATH = '/forgot-password'
const PEOPLE: Readonly<Record<string, Record<string, string>>> = {
  ann: { email: 'ann@example.org', email_verified: 'true', locale: 'de-AT' },
  bob: { email: 'bob@example.org', email_verified: 'false' },
  carol: { email: 'carol@example.org', email_verified: 'true', disabled: 'true' },
  dave: {},
}

async function start(t: Test, options: TestOptions = {}) {
  const smtp = await startSmtp(t)
  const service = await startService(t, {
    smtp_url: `smtp://localhost:${smtp.port}`,
    mail_from: 'Example <login@example.com>',
    service_name: 'Example',
    mail: { ca: smtp.ca, timing: { poll: 86_400 } },
    ...options,
  })
  for (const [username, more] of Object.entries(PEOPLE)) {
    await createUser(service.storage, username, { sub: `sub-of-${username}`, ...more })
    await indexUser(service.storage, username)
  }
  return { ...service, smtp }
}

/** Asks by one name. */
const ask = (service: Service, username: string, headers = {}) => service.post(PATH, { username }, headers)

const linkOf = (mail: Arrived | undefined) => /https:\/\/\S+\?link=\S+/.exec(mail ? textOf(mail) : '')?.[0]

t.test('a lost password is replaced by the link of a mail in the language of the person', async (t) => {
  const service = await start(t)
  const { smtp, get } = service
  const page = await get(PATH)
  t.match(page.text, /<form method="post" action="\/forgot-password">/)
  t.equal((await get(`${PATH}?transaction=x`)).status, 200, 'no request waits for it')
  const answer = await ask(service, 'ann')
  t.equal(answer.status, 200)
  t.match(answer.text, /If there is an account/)
  await until('the mail arrives', () => smtp.mails.length > 0)
  const [mail] = smtp.mails
  t.same(mail?.to, ['ann@example.org'])
  const text = mail ? textOf(mail) : ''
  t.match(text, /ein neues Passwort/)
  t.match(text, /Content-Type: text\/plain[\s\S]*Content-Type: text\/html/, 'text first')
  t.match(text, /\nBenutzername: ann\r?\n/)
  t.notMatch(text, /<img/)
  const link = linkOf(mail)
  t.match(link, /^https:\/\/auth.example.com\/reset-password\?link=/)
  const opened = await get(new URL(link ?? '').pathname + new URL(link ?? '').search)
  t.equal(opened.status, 303)
  t.notOk(service.log.join('').includes(link?.split('link=')[1] ?? ''), 'E8 no link in the log')
})

t.test('the page is there where mail is, unless FORGOT_PASSWORD_URL is set', async (t) => {
  const statusWith = async (options: TestOptions) => (await (await startService(t, options)).get(PATH)).status
  t.equal(await statusWith(DEMO_HERE), 200)
  t.equal(await statusWith({ ...DEMO_HERE, forgot_password_url: 'https://example.com/reset' }), 404)
  t.equal(await statusWith({ demo: false }), 404)
})

t.test('D1 a mail is the same whatever the request says of hosts', async (t) => {
  const service = await start(t)
  const { smtp } = service
  const evil = 'evil.example'
  const headers: Record<string, string>[] = [
    {},
    // A form of another origin is refused (test/main/plugins/own-forms.test.ts).
    { host: evil, referer: `https://${evil}/` },
    { forwarded: `host=${evil};proto=http`, 'x-forwarded-host': evil, 'x-forwarded-proto': 'http' },
  ]
  const seen = new Set<string>()
  for (const [index, given] of headers.entries()) {
    await ask(service, 'ann', given)
    await until('it arrives', () => smtp.mails.length > index)
    const mail = smtp.mails[index]
    const link = linkOf(mail)?.split('link=')[1] ?? ''
    const stable = (mail ? textOf(mail) : '')
      .replaceAll(link, '<link>')
      .replace(/Message-ID: \S+/, '')
      .replace(/Date: .*/, '')
      .replace(/--_NmP-[^\r\n"]+/g, '--boundary')
    t.notOk(stable.includes(evil))
    seen.add(stable.replace(/boundary="[^"]+"/, 'boundary'))
  }
  t.equal(seen.size, 1)
})

t.test(
  'D8 every name gets the same answer, after the same commands, and only a confirmed address gets mail',
  async (t) => {
    const service = await start(t)
    const { smtp, storage } = service
    const names = [
      'ann',
      'nobody@example.org',
      'nobody',
      'bob',
      'bob@example.org',
      'carol',
      'dave',
      'x'.repeat(300),
      '',
    ]
    const answers = new Set<string>()
    for (const name of names)
      answers.add(JSON.stringify([(await ask(service, name)).status, (await ask(service, name)).text]))
    t.equal(answers.size, 1)
    await until('her mails arrive', () => smtp.mails.length === 2)
    await until('nothing waits', async () => (await countMails(storage)) === 0)
    t.same(
      new Set(smtp.mails.flatMap(({ to }) => to)),
      new Set(['ann@example.org']),
      'E5 no unconfirmed address',
    )
  },
)

t.test('D8 a known name costs the same commands as a made-up one, in the same order', async (t) => {
  const service = await start(t)
  const { storage } = service
  const commands: string[] = []
  const watch = (name: string, method: string, part: Record<string, unknown>) => {
    const call = (part[method] as (...given: unknown[]) => unknown).bind(part)
    part[method] = (...given: unknown[]) => {
      commands.push(name)
      return call(...given)
    }
  }
  watch('read', 'read', storage.records as never)
  watch('count', 'countFailure', storage.counters as never)
  watch('offer', 'offer', storage.queue as never)
  // What a server makes of it comes after the answer.
  storage.queue.claim = async () => []
  const seen = new Map<string, string>()
  for (const name of ['ann', 'bob', 'nob', 'carol', 'ann@example.org', 'nob@example.org']) {
    commands.length = 0
    await ask(service, name)
    seen.set(name, commands.join())
  }
  t.strictSame([...new Set(seen.values())], ['read,read,read,count,offer'])
})

t.test(
  'the answer says only what is kept: without storage it is 503, and nothing is on its way',
  async (t) => {
    const service = await start(t)
    service.storage.queue.offer = async () => {
      throw new StorageUnavailable('it is away')
    }
    for (const name of ['ann', 'nobody']) t.equal((await ask(service, name)).status, 503, name)
  },
)

t.test('another server makes the mail if the one that answered is gone', async (t) => {
  const smtp = await startSmtp(t)
  const storage = new MemoryStorage()
  const options = {
    storage,
    demo: false,
    smtp_url: `smtp://localhost:${smtp.port}`,
    mail_from: 'Example <login@example.com>',
  } as const
  const one = await startService(t, { ...options, mail: { ca: smtp.ca, timing: { poll: 86_400 } } })
  await createUser(storage, 'ann', { sub: 's', email: 'ann@example.org', email_verified: 'true' })
  const { claim } = storage.queue
  // As after kill -9: it does nothing after its answer.
  storage.queue.claim = async () => []
  t.equal((await ask({ ...one, smtp } as never, 'ann')).status, 200)
  await one.fastify.close()
  storage.queue.claim = claim
  await startService(t, { ...options, mail: { ca: smtp.ca, timing: { poll: 0.02 } } })
  await until('the mail arrives', () => smtp.mails.length === 1)
})

t.test(
  'D9 D10 three mails an hour for a person and for an address, and a newer link ends the older ones',
  async (t) => {
    const service = await start(t)
    const { smtp, storage } = service
    for (let i = 0; i < MAILS_AN_HOUR.user + 2; i += 1)
      await ask(service, i % 2 === 0 ? 'ann' : 'Ann@Example.org')
    await until('they arrive', () => smtp.mails.length === MAILS_AN_HOUR.user)
    const limited = () => service.log.filter((line) => line.includes('"event":"mails_limited"'))
    await until('the first beyond is an event', () => limited().length === 1)
    await until('nothing waits', async () => (await countMails(storage)) === 0)
    t.equal(smtp.mails.length, MAILS_AN_HOUR.user)
    const statuses = []
    for (const mail of smtp.mails) {
      const { search } = new URL(linkOf(mail) ?? '')
      const { headers } = await service.get(`/reset-password${search}`)
      const cookie = String([headers['set-cookie']].flat()[0]).split(';', 1)[0] ?? ''
      statuses.push((await service.get('/reset-password', { cookie })).status)
    }
    t.same(statuses.filter((status) => status === 200).length, 1, 'one link works')
  },
)

t.test('D9 one sender has ten mails in the hour, and made-up names use up none of them', async (t) => {
  const service = await start(t)
  const { smtp, storage } = service
  for (let i = 0; i < 12; i++)
    await createUser(storage, `p${i}`, { sub: `p${i}`, email: `p${i}@example.org`, email_verified: 'true' })
  for (let i = 0; i < 30; i++) await ask(service, `nobody-${i}`)
  const dropped = () => service.log.filter((line) => line.includes('"event":"mail_dropped"'))
  t.equal(dropped().length, 0, 'nothing was lost')
  for (let i = 0; i < 12; i++) await ask(service, `p${i}`)
  await until('they arrive', () => smtp.mails.length === MAILS_AN_HOUR.sender)
  t.equal(dropped().length, 1)
  t.match(dropped().join(), /"reason":"sender","kind":"reset_password","network":"127.0.0.1","count":1/)
  t.notMatch(dropped().join(), /example\.org|p1/, 'no text that somebody typed')
  await until('nothing waits', async () => (await countMails(storage)) === 0)
  t.equal(smtp.mails.length, MAILS_AN_HOUR.sender)
})

t.test('people in a browser where somebody signed in have room of their own for mails', async (t) => {
  const service = await scene(t, { with: ['mail'] })
  const { visitor, storage, smtp, log } = service
  const known = visitor()
  await signInAndAgree(known)
  const { all } = MAILS_AN_HOUR
  const fill = async (room: MailRoom) => {
    for (let i = 0; i < all[room]; i++)
      await countMail(storage, {
        to: { text: '', key: `${room}-${i}` } as never,
        username: `${room}-${i}`,
        room,
      })
  }
  for (const room of ['first', 'further'] as const) await fill(room)
  await visitor().request('POST', PATH, 'username=bob')
  await until('who asks elsewhere is refused', () => log.some((line) => line.includes('"mails_limited"')))
  await known.request('POST', PATH, 'username=alice')
  await until('the mail arrives', () => smtp().mails.length === 1)
  t.same(smtp().mails[0]?.to, [addressFor('alice')])
})

t.test('demo mode shows its mail on a page', async (t) => {
  const service = await startService(t, DEMO_HERE)
  await createUser(service.storage, 'ann', { sub: 's', email: 'ann@example.org', email_verified: 'true' })
  await ask(service, 'ann')
  await until('it is there', async () =>
    (await service.get('/demo/mail')).text.includes('/reset-password?link='),
  )
  const { text } = await service.get('/demo/mail')
  t.match(text, /<a class="link" href="http:\/\/localhost:3000\/reset-password\?link=/)
})
