import { readdir, readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { EXIT } from '../cli/errors.ts'
import { PROBLEMS } from '../src/admin/operation/problem.ts'
import { ENVIRONMENT, REDIS_VARIABLES } from '../src/config/environment.ts'
import { ERRORS } from '../src/core/error-codes.ts'
import { EVENTS } from '../src/core/events.ts'
import { REASONS } from '../src/core/reasons.ts'
import { MAIL_TEXTS } from '../src/mail/messages/en.ts'
import { en } from '../src/pages/messages/en.ts'
import { commandOf } from './docs/command.ts'

const ROOT = new URL('../', import.meta.url)
const readText = (path: string) => readFile(new URL(path, ROOT), 'utf8')

/** What users rely on: the lines of each part, sorted. A line that goes is a change that breaks something. */
export type PublicInterface = Readonly<Record<Part, readonly string[]>>

/** What makes each part. docs/compatibility.md says what may change of it. */
const PARTS = {
  settings: settingsOf,
  records: recordsOf,
  commands: async () => [...commandsOf(commandOf([]), ''), ...exitCodes()],
  operations: async () => operationsOf(await openapi('admin-openapi')),
  endpoints: async () => operationsOf(await openapi('openapi')),
  events: async () =>
    Object.entries(EVENTS).flatMap(([event, { fields }]) => [
      event,
      ...fields.map((field) => `${event} ${field}`),
    ]),
  reasons: async () => Object.keys(REASONS),
  errors: async () => [
    ...Object.keys(ERRORS),
    ...Object.entries(PROBLEMS).map(([code, { status }]) => `admin API: ${status} ${code}`),
  ],
  metrics: metricsOf,
  texts: async () => [
    ...Object.keys(en.messages).map((name) => `messages.${name}`),
    ...[...MAIL_TEXTS.keys()].map((name) => `mails.${name}`),
  ],
  'style sheet': async () =>
    sectionsOf(await page('pages'))
      .get('A style sheet')
      ?.flatMap(codesIn) ?? [],
  exports: exportsOf,
}
type Part = keyof typeof PARTS

/**
 * Makes the list of everything that users rely on: from the tables of the code, from the descriptions of the APIs, and from
 * the pages that tests compare with the code.
 */
export async function publicInterface(): Promise<PublicInterface> {
  const parts = await Promise.all(
    Object.entries(PARTS).map(
      async ([part, linesOf]) => [part, [...new Set(await linesOf())].sort()] as const,
    ),
  )
  return Object.fromEntries(parts) as unknown as PublicInterface
}

/** Returns the lines of a former list that are not in this one, each after the name of its part. */
export const missingIn = (
  list: PublicInterface,
  former: Readonly<Record<string, readonly string[]>>,
): string[] =>
  Object.entries(former).flatMap(([part, lines]) => {
    const known = new Set<string>(list[part as Part] ?? [])
    return lines.filter((line) => !known.has(line)).map((line) => `${part}: ${line}`)
  })

/** Each variable, and its default. */
async function settingsOf() {
  const rules: Readonly<Record<string, { readonly default?: unknown }>> = {
    ...REDIS_VARIABLES.properties,
    ...ENVIRONMENT.properties,
  }
  return Object.entries(rules).flatMap(([name, rule]) =>
    'default' in rule ? [name, `${name} is ${rule.default} by default`] : [name],
  )
}

/** The keys in Redis, and the fields of their records: docs/keyspace.md, whose tables of fields the code makes. */
async function recordsOf() {
  const sections = sectionsOf(await page('keyspace'))
  const keys = [...(sections.get('Keys') ?? [])]
  return [...sections].flatMap(([heading, rows]) =>
    rows === sections.get('Keys')
      ? keys.flatMap(codesIn)
      : rows.flatMap(codesIn).map((field) => `${heading} ${field}`),
  )
}

/** A command, its arguments and flags, and those below it. */
function commandsOf(command: Command, path: string): string[] {
  const own = [
    ...command.registeredArguments.map((argument) => `${path} <${argument.name()}>`),
    ...command.options.flatMap(({ long, hidden }) => (long && !hidden ? [`${path} ${long}`] : [])),
  ].map((line) => line.trim())
  const below = command.commands.flatMap((one) => commandsOf(one, `${path} ${one.name()}`.trim()))
  return path === '' ? [...own, ...below] : [path, ...own, ...below]
}

const exitCodes = () => Object.entries(EXIT).map(([name, code]) => `exit code ${code}: ${name}`)

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
}
interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const openapi = async (name: string): Promise<OpenApi> => JSON.parse(await readText(`docs/${name}.json`))

/** What is called and how, what it takes, and what it answers if it succeeds. */
function operationsOf({ paths }: OpenApi): string[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  )
  return all.flatMap(([place, { operationId, parameters = [], requestBody = {}, responses }]) => [
    `${operationId}: ${place}`,
    ...parameters.map((parameter) => `${operationId} ${parameter.in} ${parameter.name}`),
    ...membersOf(requestBody).map((member) => `${operationId} request ${member}`),
    ...Object.entries(responses).flatMap(([status, body]) =>
      status.startsWith('2') ? membersOf(body).map((member) => `${operationId} response ${member}`) : [],
    ),
  ])
}

const membersOf = ({ content = {} }: Body) =>
  Object.values(content).flatMap(({ schema }) => (schema ? membersOfSchema(schema) : []))

function membersOfSchema(
  { properties = {}, items, additionalProperties, anyOf = [] }: Schema,
  path = '',
): string[] {
  return [
    ...Object.entries(properties).flatMap(([name, schema]) => {
      const member = path === '' ? name : `${path}.${name}`
      return [member, ...membersOfSchema(schema, member)]
    }),
    ...(items ? membersOfSchema(items, `${path}[]`) : []),
    ...(typeof additionalProperties === 'object' ? membersOfSchema(additionalProperties, `${path}.*`) : []),
    ...anyOf.flatMap((schema) => membersOfSchema(schema, path)),
  ]
}

/** Each metric with its type and labels, and the values of labels. */
async function metricsOf() {
  const sections = sectionsOf(await page('events'))
  const metrics = sections.get('Metrics') ?? []
  return [
    ...metrics.flatMap(([name = '', type = '', labels = '']) => [
      `${codesIn([name])} ${type}`,
      ...codesIn([labels]).map((label) => `${codesIn([name])} label ${label}`),
    ]),
    ...(sections.get('Labels') ?? []).flatMap(([label = '', values = '']) =>
      codesIn([values]).map((value) => `label ${codesIn([label])} ${value}`),
    ),
  ]
}

/** What each entry of the package exports. */
async function exportsOf() {
  const files = (await readdir(new URL('exports/', ROOT))).sort()
  const lines = await Promise.all(
    files.map(async (file) => {
      const text = await readText(`exports/${file}`)
      const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].map(([, names = '']) => names)
      const names = lists
        .flatMap((list) => list.split(','))
        .map((name) => name.replace(/^\s*type |.* as /, '').trim())
      return names.filter(Boolean).map((name) => `${file.replace('.ts', '')} ${name}`)
    }),
  )
  return lines.flat()
}

const page = (name: string) => readText(`docs/${name}.md`)

/** The rows of tables below each heading, without their heads. */
function sectionsOf(text: string): ReadonlyMap<string, readonly (readonly string[])[]> {
  return new Map(
    text.split(/^##+ /m).map((section) => {
      const rows = section.split('\n').filter((line) => line.startsWith('| '))
      return [section.split('\n')[0] ?? '', rows.slice(1).map((row) => row.split('|').slice(1, -1))]
    }),
  )
}

/** The codes in the first cell of a row. */
const codesIn = ([cell = '']: readonly string[]) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
