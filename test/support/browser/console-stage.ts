// The console in a browser: an operator, somebody with a long name, and records of each kind.
import type { Test } from 'tap'
import { CONSOLE_ACTIONS, CONSOLE_PAGES } from '../../../src/console/rooms.ts'
import { ACT_AS } from '../../../src/core/admin-scopes.ts'
import { GRANTED, placeOf, SHOWN_GRANT, SHOWN_RECORDS } from '../scene/operators.ts'
import { setStage } from './stage.ts'

// Nothing is sent.
const SMTP = { smtp_url: 'smtps://mail.example.com', mail_from: 'login@example.com' }

/** Starts a service with the console, whose operator is ada; returns the addresses of all its pages and actions, too. */
export async function setConsole(t: Test) {
  const stage = await setStage(t, { admin_api: 'on', console: 'on', audit: 'on', ...SMTP })
  const { issuer, redis } = stage
  await stage.addUser('ada', { name: 'Ada Lovelace', email: 'ada@example.com' })
  await redis.cli('HSET', 'redmint:user:ada', 'admin', `redmint:read redmint:write ${ACT_AS}`)
  await stage.addUser('carl', { name: `${'Long name '.repeat(5)}${'x'.repeat(120)}` })
  const put = async (kind: string, id: string, fields: Readonly<Record<string, string>>) => {
    await redis.cli('HSET', `redmint:${kind}:${id}`, ...Object.entries(fields).flat())
    await redis.cli('ZADD', `redmint:names:${kind}`, '0', id)
  }
  await redis.cli('ZADD', 'redmint:names:user', '0', 'ada', '0', 'carl')
  await put('client', 'web', {
    is_public: 'true',
    redirect_uris: `https://app.example.com/${'callback'.repeat(20)}`,
    allowed_scopes: 'openid',
    grant_types: 'authorization_code',
  })
  for (const record of SHOWN_RECORDS) await put(...record)
  const granted = { ...GRANTED, client_id: 'web', subject: 'sub-of-alice', scope: 'openid', status: 'active' }
  await redis.cli('HSET', `redmint:grant:{${SHOWN_GRANT}}`, ...Object.entries(granted).flat())
  const places = [...CONSOLE_PAGES, ...CONSOLE_ACTIONS].map(({ path }) => issuer + placeOf(path))
  return { stage, base: `${issuer}/console`, places }
}
