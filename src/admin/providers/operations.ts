import { Type } from '@sinclair/typebox'
import { guardedFetch } from '../../outbound/guarded-fetch.ts'
import { examineProvider } from '../../providers/examine.ts'
import { EXAMINED } from '../../providers/examined.ts'
import { byName, operation } from '../operation/operation.ts'
import { CLIENT_SECRET, simpleOperations } from '../simple/simple-operations.ts'
import { changeSimple, readSimple } from '../simple/simple-type.ts'
import { lintProvider } from './lint.ts'
import { PROVIDERS, providersOff, sealedSecret, wellFormed } from './providers.ts'

const READ = 'redmint:apis:read'
const WRITE = 'redmint:apis:write'
const path = '/providers/:provider'
const params = Type.Object({ provider: Type.String({ minLength: 1, maxLength: 2048 }) })

const SecretAnswer = Type.Object({ provider: Type.String(), has_secret: Type.Boolean() })

const setSecret = operation({
  name: 'set_provider_secret',
  summary: 'Set the secret that a provider gave redmint; it is never shown',
  method: 'POST',
  path: `${path}/secret`,
  scope: WRITE,
  params,
  body: Type.Object({ client_secret: CLIENT_SECRET }, { additionalProperties: false }),
  answer: SecretAnswer,
  rights: () => PROVIDERS.rights,
  async run(context, { params: { provider }, body: { client_secret } }) {
    const { storage } = context
    const stored = await readSimple(storage, PROVIDERS, provider)
    const set = await sealedSecret(context, stored, client_secret)
    const hash = await changeSimple(context, PROVIDERS, stored, { set })
    return { body: { provider: stored.id, has_secret: true }, stored: hash }
  },
})

const ExaminedAnswer = Type.Object({
  provider: Type.String(),
  checks: Type.Array(
    Type.Object({
      about: Type.Unsafe<(typeof EXAMINED)[number]>(Type.String({ enum: [...EXAMINED] })),
      result: Type.Unsafe<'ok' | 'wrong' | 'unknown'>(Type.String({ enum: ['ok', 'wrong', 'unknown'] })),
      detail: Type.String(),
    }),
  ),
})

const test = operation({
  name: 'test_provider',
  summary: 'Ask a provider what is wrong with its record',
  method: 'POST',
  path: `${path}/test`,
  scope: WRITE,
  params,
  answer: ExaminedAnswer,
  // It sends the secret.
  rights: () => PROVIDERS.rights,
  async run({ storage, settings, now }, { params: { provider } }) {
    const { id, hash } = await readSimple(storage, PROVIDERS, provider)
    const context = { storage, settings, now, fetch: guardedFetch(settings) }
    const checks = await examineProvider(context, wellFormed(id, hash))
    return { body: { provider: id, checks } }
  },
})

/** What operators do with providers. */
export const PROVIDER_OPERATIONS = {
  ...simpleOperations(PROVIDERS, {
    path: '/providers',
    article: 'a provider',
    read: READ,
    write: WRITE,
    lint: lintProvider,
    off: providersOff,
  }),
  ...byName(setSecret, test),
}
