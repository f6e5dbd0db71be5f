// The console in a browser: an operator, somebody with a long name, and records of each kind.
import type { Test } from 'tap'
import { CONSOLE_ACTIONS, CONSOLE_PAGES } from '../../../src/console/rooms.ts'
import { placeOf } from '../scene/operators.ts'
import { setStage } from './stage.ts'

// Nothing is sent.
const SMTP = { smtp_url: 'smtps://mail.example.com', mail_from: 'login@example.com' }

/** Starts a service with the console, whose operator is ada; returns the addresses of all its pages and actions, too. */
export async function setConsole(t: Test) {
  const stage = await setStage(t, { admin_api: 'on', console: 'on', audit: 'on', ...SMTP })
  const { issuer, redis } = stage
  await stage.addUser('ada', { name: 'Ada Lovelace', email: 'ada@example.com' })
  await redis.cli('HSET', 'redmint:user:ada', 'admin', 'redmint:read redmint:write')
  await stage.addUser('carl', { name: `${'Long name '.repeat(5)}${'x'.repeat(120)}` })
  const put = async (kind: string, id: string, fields: Record<string, string>) => {
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
  await put('provider', 'google', { kind: 'google', client_id: 'ours' })
  await put('resource', 'https://api.example.com', { scopes: 'api.read' })
  await put('issuer', 'https://ci.example.com', { jwks_uri: 'https://ci.example.com/keys' })
  const places = [...CONSOLE_PAGES, ...CONSOLE_ACTIONS].map(({ path }) => issuer + placeOf(path))
  return { stage, base: `${issuer}/console`, places }
}
