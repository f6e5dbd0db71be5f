// Which events the owner of an account is told of by mail, and what the link of a notice keeps.
import t from 'tap'
import type { SecurityEvent } from '../../../../src/core/events.ts'
import { parseObject } from '../../../../src/core/json.ts'
import type { MailRequest } from '../../../../src/mail/mailer.ts'
import { PROVIDER } from '../../../../src/providers/provider-record.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { notMeTag } from '../../../../src/self-service/not-me.ts'
import { notifyOwner } from '../../../../src/self-service/notices.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { createUser } from '../../../support/records.ts'
import { ISSUER } from '../../../support/service.ts'

const ADDRESS = { email: 'alice@example.com', email_verified: 'true' }
const BEFORE = 'https://old.example#1'
const SINCE = 'https://accounts.example.org#2'

async function start(fields: Record<string, string> = ADDRESS, account_page: 'on' | 'off' = 'off') {
  const now = () => Date.parse('2026-11-28T12:00:00Z')
  const storage = new MemoryStorage({ now })
  await createUser(storage, 'alice', { sub: 'sub-of-alice', ...fields })
  const sent: MailRequest[] = []
  const context = {
    storage,
    settings: { issuer: ISSUER, account_page },
    now,
    send: async (mail: MailRequest) => sent.push(mail),
  }
  const tell = (event: object) => notifyOwner(context, event as SecurityEvent)
  /** The links with other accounts that stay, as each link of a notice says it. */
  const staying = async () =>
    [...(await storage.evidence.list(notMeTag('alice'))).values()].map(
      ({ value }) => parseObject(value)?.links,
    )
  return { storage, sent, tell, staying }
}

t.test('events that are no change of a way to sign in, or of nobody, tell nobody', async (t) => {
  const { sent, tell, staying } = await start()
  await tell({ event: 'sign_in_succeeded', username: 'alice' })
  // Its notice goes to the address before, which the account has no more.
  await tell({ event: 'address_changed', username: 'alice' })
  await tell({ event: 'password_changed' })
  await tell({ event: 'password_changed', username: 'nobody' })
  t.same([sent, await staying()], [[], []])
  await tell({ event: 'password_changed', username: 'alice' })
  t.match(sent, [{ to: { text: ADDRESS.email }, content: { kind: 'password_changed' } }])
})

t.test('who is acted for is led to the own account, and nothing is undone', async (t) => {
  const { storage, sent, tell, staying } = await start({ ...ADDRESS, locale: 'de' }, 'on')
  const event = { event: 'user_acted_as', username: 'alice', resource: 'https://orders.example' }
  await tell(event)
  const content = { kind: 'acted_as', language: 'de en', account: 'alice', link: `${ISSUER}/account` }
  t.match(sent, [{ to: { text: ADDRESS.email }, content: { ...content, about: event.resource } }])
  await storage.records.put({
    kind: RESOURCE,
    id: event.resource,
    hash: { resource_name: 'Orders', scopes: 'a' },
  })
  await tell(event)
  t.match(sent[1], { content: { about: 'Orders' } })
  t.same(await staying(), [])
  const closed = await start()
  await closed.tell(event)
  t.notOk('link' in (closed.sent[0]?.content ?? { link: '' }), 'where there is no account page')
  await closed.tell({ ...event, username: 'nobody' })
  t.equal(closed.sent.length, 1)
})

t.test('an address that nobody confirmed is told nothing', async (t) => {
  const { sent, tell, staying } = await start({ email: ADDRESS.email })
  await tell({ event: 'password_changed', username: 'alice' })
  t.same([sent, await staying()], [[], []])
})

t.test('a link keeps what was linked before the change', async (t) => {
  const { storage, tell, staying } = await start({ ...ADDRESS, linked_subjects: `${BEFORE} ${SINCE}` })
  const hash = { kind: 'oidc', issuer: 'https://accounts.example.org', client_id: 'redmint' }
  await storage.records.put({ kind: PROVIDER, id: 'acme', hash })
  await tell({ event: 'password_changed', username: 'alice' })
  await tell({ event: 'provider_linked', username: 'alice', provider: 'acme' })
  // Nobody knows which it was.
  await tell({ event: 'provider_linked', username: 'alice', provider: 'removed' })
  t.same(new Set(await staying()), new Set([[BEFORE, SINCE], [BEFORE], []]))
})
