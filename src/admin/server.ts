import { type TSchema, Type } from '@sinclair/typebox'
import { completeSettings, type Settings } from '../config/settings.ts'
import { VERSION } from '../core/version.ts'
import { type Operation, operation } from './operation.ts'

/** Settings whose values nobody sees. */
const SECRET_SETTINGS: readonly string[] = [
  'client_certificate_secret',
  'key_encryption_key',
  'pairwise_salt',
]

const Setting = Type.Object({
  name: Type.String(),
  value: Type.Optional(Type.String({ description: 'JSON; absent: it is a secret, or not set' })),
  source: Type.String({ enum: ['default', 'set'], description: '`set`: it is not the default' }),
})

const Server: TSchema = Type.Object(
  {
    version: Type.String(),
    issuer: Type.String(),
    storage: Type.String({ description: 'Where the records are' }),
    answers: Type.Boolean({ description: 'Whether storage accepts a write now' }),
    settings: Type.Array(Setting),
  },
  { description: 'The server that answers' },
)

const read = operation({
  name: 'read_server',
  summary: 'Read what runs here, and its settings without secrets',
  method: 'GET',
  path: '/server',
  scope: 'redmint:server:read',
  answer: Server,
  async run({ storage, settings }) {
    await storage.probe()
    return {
      body: {
        version: VERSION,
        issuer: settings.issuer,
        storage: storage.description,
        answers: true,
        settings: settingsOf(settings),
      },
    }
  },
})

/** What operators see of servers. */
export const SERVER_OPERATIONS: readonly Operation[] = [read]

function settingsOf(settings: Settings) {
  const defaults = new Map<string, unknown>(Object.entries(completeSettings({ issuer: settings.issuer })))
  return Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => ({
      name,
      ...(SECRET_SETTINGS.includes(name) ? {} : { value: textOf(value) }),
      source: textOf(value) === textOf(defaults.get(name)) ? 'default' : 'set',
    }))
}

const textOf = (value: unknown) =>
  JSON.stringify(value instanceof Map ? Object.fromEntries(value) : value) ?? ''
