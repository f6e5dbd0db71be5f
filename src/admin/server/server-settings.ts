import { Type } from '@sinclair/typebox'
import { readConfig } from '../../config/config.ts'
import { ENVIRONMENT } from '../../config/environment.ts'
import { SECRET_SETTINGS } from '../../config/secret-settings.ts'
import { completeSettings, type Settings, variableOf } from '../../config/settings.ts'
import { VARIABLE_DOCS } from '../../config/variable-docs.ts'
import { byName, operation } from '../operation/operation.ts'

const Setting = Type.Object({
  name: Type.String(),
  value: Type.Optional(Type.String({ description: 'JSON; absent: it is a secret, or not set' })),
  source: Type.String({
    enum: ['default', 'demo', 'variable', 'option'],
    description:
      '`default`: it has the default; `demo`: it is as demo mode has it; `variable`: an environment variable says it; `option`: the application that embeds redmint',
  }),
  variable: Type.Optional(
    Type.String({
      description: 'The variable that sets it; its name is that of the option. Absent: none does',
    }),
  ),
  docs: Type.Optional(
    Type.String({ description: 'What it means, in Markdown as in `docs/configuration.md`' }),
  ),
})

const read = operation({
  name: 'read_settings',
  summary: 'The settings of the server that answers, without secrets',
  method: 'GET',
  path: '/server/settings',
  scope: 'redmint:server:read',
  answer: Type.Object({ items: Type.Array(Setting) }),
  async run({ settings, reads_environment }) {
    return { body: { items: settingsOf(settings, reads_environment ? 'variable' : 'option') } }
  },
})

/** What operators see of the settings. */
export const SETTING_OPERATIONS = byName(read)

function settingsOf(settings: Settings, given_by: 'variable' | 'option') {
  const defaults = new Map<string, unknown>(Object.entries(completeSettings({ issuer: settings.issuer })))
  const of_demo = new Map<string, unknown>(Object.entries(demoSettings(settings)))
  return Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => ({
      name,
      ...(SECRET_SETTINGS.has(name) ? {} : { value: textOf(value) }),
      source:
        textOf(value) === textOf(defaults.get(name))
          ? 'default'
          : textOf(value) === textOf(of_demo.get(name))
            ? 'demo'
            : given_by,
      ...describedBy(variableOf(name as keyof Settings)),
    }))
}

/** What demo mode sets unless the operator does: as at a start with storage in memory. */
const demoSettings = ({ demo, issuer }: Settings): Partial<Settings> =>
  demo === false ? {} : readConfig({ DEMO: String(demo), ISSUER: issuer }).settings

/** A variable, if it is one, and what it means. */
function describedBy(variable: string): { variable: string; docs: string } | undefined {
  return Object.hasOwn(ENVIRONMENT.properties, variable)
    ? { variable, docs: VARIABLE_DOCS[variable as keyof typeof VARIABLE_DOCS] }
    : undefined
}

const textOf = (value: unknown) =>
  JSON.stringify(value, (_, part) => (part instanceof Map ? Object.fromEntries(part) : part)) ?? ''
