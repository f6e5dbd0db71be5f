// Who gets the page that says what a link did.
import t from 'tap'
import { completeSettings } from '../../../../src/config/settings.ts'
import { linkFlow } from '../../../../src/self-service/link-flow.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import type { User } from '../../../../src/users/user-record.ts'

type Asked = Parameters<ReturnType<typeof linkFlow>>[0]

const flow = linkFlow({
  storage: new MemoryStorage(),
  settings: completeSettings({ issuer: 'https://auth.example.com' }),
  accounts: { findUser: async ({ username }) => ({ username, claims: {} }) as unknown as User },
  clients: { find: async () => undefined },
})

/** What is due for somebody who came by a link of alice, and where the answer leads. */
async function dueFor(username: string | undefined, signed_in?: string): Promise<string> {
  const session = username === undefined ? undefined : { sid: 'a-sid', username }
  const asked = { session, pending: { signed_in }, parameters: { username: 'alice', about: 'reset' } }
  const found = await flow(asked as unknown as Asked)
  if (found.due !== 'answer') return found.due
  const reply = await found.answer()
  return reply.to === 'site' ? reply.location : reply.to
}

t.test('only the sign-in of the link itself gets the page, and as the person of the link', async (t) => {
  t.equal(await dueFor(undefined), 'user', 'nobody')
  t.equal(await dueFor('alice'), 'user', 'who was signed in before')
  t.equal(await dueFor('alice', 'another-sid'), 'user', 'whose session is another one by now')
  t.equal(await dueFor('bob', 'a-sid'), 'https://auth.example.com/account', 'who signed in as somebody else')
  t.equal(await dueFor('alice', 'a-sid'), 'page')
})
