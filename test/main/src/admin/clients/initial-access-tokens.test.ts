import t from 'tap'
import {
  digestOf,
  INITIAL_ACCESS_TOKEN,
  idOf,
} from '../../../../../src/clients/registration/initial-access-token.ts'
import { onEachStorage, operatorOn } from '../../../../support/operator.ts'

onEachStorage(t, 'an invitation is shown once, listed by a name, and removed', async (t, storage) => {
  const now = Date.now()
  const { run, events } = operatorOn(storage, {
    now: () => now,
    settings: { client_registration: 'invitation' },
  })
  const { body } = await run('create_invitation', { body: { uses: 3, ttl: 600 } })
  const expires_at = new Date(now + 600_000).toISOString()
  t.match(body, { invitation: /^[\w-]{43}$/, uses: 3, expires_at, client_registration: 'invitation' })
  const invitation = String(body.invitation)
  const isUsable = async () =>
    (await storage.records.read(INITIAL_ACCESS_TOKEN, idOf(invitation))) !== undefined
  t.ok(await isUsable())
  const other = await run('create_invitation')
  t.match(other.body, { uses: 1, expires_at: new Date(now + 86_400_000).toISOString() })
  const { items } = (await run('list_invitations')).body
  t.same(
    new Set(items as object[]),
    new Set([
      { id: body.id, uses_left: 3, created_at: new Date(now).toISOString(), expires_at },
      {
        id: other.body.id,
        uses_left: 1,
        created_at: new Date(now).toISOString(),
        expires_at: other.body.expires_at,
      },
    ]),
  )
  const listed = JSON.stringify(items)
  for (const secret of [invitation, digestOf(invitation)]) t.notMatch(listed, secret)
  const first = await run('list_invitations', { limit: 1 })
  const second = await run('list_invitations', { limit: 1, cursor: String(first.body.next) })
  t.same(
    new Set([...(first.body.items as object[]), ...(second.body.items as object[])]),
    new Set(items as object[]),
  )
  const params = { id: body.id }
  t.strictSame((await run('delete_invitation', { params })).body, { id: body.id, removed: true })
  t.notOk(await isUsable())
  await t.rejects(run('delete_invitation', { params }), { code: 'not_found' })
  t.equal(((await run('list_invitations')).body.items as object[]).length, 1, 'the other one stays')
  t.match(events.at(-1), { event: 'invitation_removed', invitation: body.id })
})
