// When a session or a family was used last: it is noted to the minute, and was not before it began.
import t from 'tap'
import { SESSION } from '../../../../src/sessions/session-record.ts'
import { lastUseOf } from '../../../../src/tokens/listed-grants.ts'

const STARTED = Date.parse('2026-11-28T10:00:40Z')
const MINUTE = Date.parse('2026-11-28T10:00:00Z')

t.test('a session was not used before it began, whatever was noted', async (t) => {
  const texts = { sid: 'one', username: 'alice', sub: 'sub-of-alice', amr: 'pwd', acr: '1' }
  const times = { auth_time: '1', started_at: String(STARTED), ends_at: String(STARTED + 1) }
  const used = (noted: object) => {
    const parsed = SESSION.parse({ ...texts, ...times, ...noted }, 'id')
    return parsed.ok ? parsed.record.last_used_at : parsed.problems
  }
  t.equal(used({ last_used_at: String(MINUTE) }), STARTED)
  t.equal(used({ last_used_at: String(MINUTE + 120_000) }), MINUTE + 120_000)
  t.equal(used({}), undefined, 'the record does not say it')
  for (const text of ['', 'today', '1.5', '8640000000000001', 'Infinity'])
    t.equal(used({ last_used_at: text }), undefined, `written by hand: ${text}`)
})

t.test('a family was used when its refresh token was spent, and not before it began', async (t) => {
  const used = (record: Readonly<Record<string, string>>) =>
    lastUseOf({ family: 'one', started_at: STARTED, record })
  t.equal(used({}), STARTED)
  t.equal(used({ last_used_at: String(MINUTE) }), STARTED)
  t.equal(
    used({ last_used_at: String(MINUTE + 60_000), spent_at: String(STARTED + 70_000) }),
    STARTED + 70_000,
  )
  t.equal(used({ last_used_at: 'today', spent_at: '8640000000000001' }), STARTED, 'written by hand')
})
