import { secretProblem } from '../../src/admin/clients/secret.ts'
import { isObject } from '../../src/core/json.ts'
import { labelProblem } from '../../src/core/managed-by.ts'
import { nearestName } from '../../src/core/nearest.ts'
import { type Entry, readEntries as readClients } from '../client/import-file.ts'
import { Refusal } from '../errors.ts'
import { EntryProblems } from '../import.ts'
import { APPLICATION, DETAIL_TYPE, ISSUER, PROVIDER, RESOURCE } from '../simple.ts'
import { readEntries as readUsers, type UserEntry } from '../user/import-file.ts'
import { parseYaml, type Yaml } from '../yaml.ts'
import { secretReader } from './secret-reference.ts'
import { readSimpleEntries, type SimpleEntry } from './simple.ts'

/** What a file declares. */
export interface Declaration {
  /** The label that its records carry. */
  label: string
  clients: readonly Entry[]
  users: readonly UserEntry[]
  resources: readonly SimpleEntry[]
  detail_types: readonly SimpleEntry[]
  issuers: readonly SimpleEntry[]
  /** Servers elsewhere that take identity assertions. */
  applications: readonly SimpleEntry[]
  providers: readonly SimpleEntry[]
  /** The problems of the file so far, each with its line. */
  problems: EntryProblems
}

/** A parsed file: its members, and the lines on which they and the entries of lists begin. */
interface Parsed extends Pick<Yaml, 'lineOf'> {
  members: Readonly<Record<string, unknown>>
}

const LISTS = [
  'clients',
  'users',
  'resources',
  'detail_types',
  'issuers',
  'applications',
  'providers',
] as const
const MEMBERS: readonly string[] = ['label', ...LISTS]

/**
 * Reads a file of clients, users, resources, trusted issuers, other servers and providers, in YAML or JSON. Collects the
 * problems of what cannot be read.
 * @param environment the variables to which secrets may refer
 * @throws Refusal if the file is neither YAML nor JSON, or is not an object; the message does not quote the file
 */
export async function readDeclaration(
  content: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Declaration> {
  const file = await parse(content)
  const problems = new EntryProblems((line) => `line ${line}`)
  const fail = (problem: string, ...path: string[]) =>
    problems.add({ index: file.lineOf(...path), name: '' }, problem)
  for (const name of Object.keys(file.members).filter((name) => !MEMBERS.includes(name))) {
    const nearest = nearestName(name, MEMBERS)
    const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`
    fail(`${name} is not a member of the file${hint}`, name)
  }
  const { label } = file.members
  const text = typeof label === 'string' ? label : ''
  const problem = labelProblem(text)
  if (problem !== undefined) fail(`label ${problem}`, 'label')
  // A template that failed leaves an empty file, and --prune would then remove every record.
  if (!LISTS.some((name) => name in file.members)) {
    fail(
      'there are no clients, users, resources, issuers, applications or providers: give an empty list, such as clients: [], if that is meant',
    )
  }
  const list = (name: (typeof LISTS)[number]): [number, unknown][] => {
    const entries = name in file.members ? file.members[name] : []
    if (Array.isArray(entries)) return entries.map((entry, index) => [file.lineOf(name, index), entry])
    fail(`${name} must be a list`, name)
    return []
  }
  return {
    label: text,
    clients: readClients(list('clients'), problems, secretReader(environment, secretProblem)),
    issuers: readSimpleEntries(list('issuers'), problems, ISSUER, 'an issuer'),
    applications: readSimpleEntries(list('applications'), problems, APPLICATION, 'another server'),
    providers: readSimpleEntries(
      list('providers'),
      problems,
      PROVIDER,
      'a provider',
      secretReader(environment),
    ),
    users: readUsers(list('users'), problems, secretReader(environment)),
    resources: readSimpleEntries(list('resources'), problems, RESOURCE, 'a resource'),
    detail_types: readSimpleEntries(list('detail_types'), problems, DETAIL_TYPE, 'a type of details'),
    problems,
  }
}

async function parse(content: string): Promise<Parsed> {
  const { value: members, lineOf } = await parseYaml(content)
  if (isObject(members)) return { members, lineOf }
  throw new Refusal(
    'The file must hold an object with a label, and lists of clients, users, resources, issuers, applications and providers.',
  )
}
