// What the types must refuse, and the names that a host needs.

import Fastify from 'fastify'
import redmint, {
  type Config,
  ConfigError,
  html,
  password,
  type RoundResult,
  readConfig,
  type SignInMethod,
} from 'redmint'
import bearer from 'redmint/bearer'
import resourceServer from 'redmint/resource-server'
import { openStorage, type RedisLocation } from 'redmint/storage'

const config: Config = readConfig({ REDIS_URL: 'redis://127.0.0.1:6379' })
const redis: RedisLocation | undefined = config.redis
export const host = Fastify()
export const storage = openStorage(redis === undefined ? {} : { redis }, host.log)
export const error: new (...args: never[]) => Error = ConfigError

host.register(redmint, { ...config.settings, storage })
const wrong: RoundResult = { outcome: 'failed', reason: 'wrong_answer' }
const word: SignInMethod = {
  name: 'word',
  acr_values: ['2'],
  username: ({ answer }) => answer.username,
  async authenticate(context, round) {
    const result = await context.checkPassword(round)
    if (result.outcome !== 'ok') return result
    const is_fresh = await context.useOnce(`${result.user.sub} ${round.answer.word}`, 60)
    return is_fresh ? { ...result, amr: ['pwd', 'kba'], acr: '2' } : wrong
  },
  fields: ({ language }) => html`<input name="word" lang="${language}">`,
}
host.register(redmint, { ...config.settings, methods: [password, word] })
// @ts-expect-error There is always a way to sign in.
host.register(redmint, { ...config.settings, methods: [] })
// @ts-expect-error The clock is no option.
host.register(redmint, { ...config.settings, now: Date.now })
// @ts-expect-error The issuer is required.
host.register(redmint, { demo: true })
// @ts-expect-error The setting does not exist.
host.register(redmint, { issuer: 'https://auth.example.com', access_token_lifetime: 300 })
// @ts-expect-error A kind of Redis that does not exist.
openStorage({ redis: { kind: 'replica', url: 'redis://127.0.0.1:6379' } }, host.log)
host.register(bearer)
// @ts-expect-error No need of a route.
host.protect({ scope: ['api.read'] })
host.register(resourceServer, { issuer: 'https://auth.example.com', resource: 'https://api.example.com' })
// @ts-expect-error The issuer is required.
host.register(resourceServer, { resource: 'https://api.example.com' })
const api = { issuer: 'https://auth.example.com', resource: 'https://api.example.com' }
// @ts-expect-error It is refused or allowed.
host.register(resourceServer, { ...api, acting: true })
// @ts-expect-error Scopes are a list.
host.protect({ scopes: 'api.read' })
