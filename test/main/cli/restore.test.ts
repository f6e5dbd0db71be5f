import t from 'tap'
import { readRestoreMark, writeRestoreMark } from '../../../src/keys/restore-mark.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { signJwt } from '../../../src/tokens/jwt.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { claimsOf, ENVIRONMENT, signIn, signingKeyOf } from '../../support/cli/tokens.ts'

const AT = Date.parse('2026-11-21T10:15:30.250Z')
const NEXT_SECOND = AT / 1000 + 0.75

function setup() {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage, environment: ENVIRONMENT, now: () => AT })
  return { storage, redmint }
}

t.test('restore mark ends what was issued before now', async (t) => {
  const { storage, redmint } = setup()
  const { grant, access_token, refresh_token } = await signIn(storage)
  const jwt = signJwt(await signingKeyOf(storage, AT), 'at+jwt', claimsOf(grant, AT))
  const result = await redmint(['restore', 'mark', '--yes', '--json'])
  t.match(parsed(result), {
    not_before: '2026-11-21T10:15:31.000Z',
    ended: { sessions: 0, grants: 1, codes: 0, tokens: 0 },
    forgotten: { requests: 0, links: 0, invitations: 0, recovery_codes: 0 },
  })
  t.equal(await readRestoreMark(storage), NEXT_SECOND)
  for (const token of [access_token, refresh_token, jwt]) {
    t.match(parsed(await redmint(['token', 'inspect', token, '--json'])), { accepted: false })
  }
  t.match(await redmint(['token', 'inspect', jwt]), { stdout: /restore mark/ })
})

t.test('restore mark says what it did and what remains to do', async (t) => {
  const { redmint } = setup()
  t.match(await redmint(['restore', 'mark', '--yes']), {
    code: 0,
    stdout:
      /^The restore mark is 2026-11-21T10:15:31.000Z .*There was nothing to end.*Clients, users and consents/s,
  })
})

t.test('--at takes an instant of the past', async (t) => {
  const { storage, redmint } = setup()
  const mark = (at: string) => redmint(['restore', 'mark', '--yes', '--at', at])
  t.match(await mark('2026-11-20T10:00:00Z'), { code: 0 })
  t.equal(await readRestoreMark(storage), Date.parse('2026-11-20T10:00:00Z') / 1000)
  const odd = ['yesterday', '2026-11-20', '2026-11-20T10:00:00', '1763632800', '2026-13-20T10:00:00Z']
  for (const at of [...odd, '2026-02-30T10:00:00Z', '2026-00-10T10:00:00Z'])
    t.match(await mark(at), { code: 2, stderr: /is not an instant: give one such as/ }, at)
  t.match(await mark('2026-11-21T10:15:31Z'), { code: 2, stderr: /is in the future/ })
})

t.test('a mark is not moved back, and a malformed one is replaced', async (t) => {
  const { storage, redmint } = setup()
  await writeRestoreMark(storage, NEXT_SECOND - 1)
  await redmint(['restore', 'mark', '--yes', '--at', '2026-11-20T10:00:00Z'])
  t.equal(await readRestoreMark(storage), NEXT_SECOND - 1)
  await storage.records.put({ kind: { name: 'restore' }, id: 'mark', hash: { not_before: '' } })
  t.match(await redmint(['restore', 'mark', '--yes']), { code: 0 })
  t.equal(await readRestoreMark(storage), NEXT_SECOND)
})

t.test('restore mark asks first', async (t) => {
  const { storage, redmint } = setup()
  t.match(await redmint(['restore', 'mark'], 'n\n', true), { code: 0, stdout: /Nothing was changed/ })
  t.equal(await readRestoreMark(storage), 0)
  t.match(await redmint(['restore', 'mark']), { code: 2, stderr: /give --yes/ })
})
