import type { NewestSessionAnswer } from '../admin/access/newest-sessions.ts'
import type { ExplanationAnswer } from '../admin/explanations.ts'
import type { Page } from '../admin/operation/list.ts'
import { AdminError } from '../admin/operation/problem.ts'
import { type AnswerOf, OPERATIONS, type OperationName } from '../admin/operations.ts'
import type { Groups } from '../admin/upkeep/groups.ts'
import { foldName } from '../core/visible-text.ts'
import type { Desk } from './desk.ts'
import { at } from './pages/parts.ts'

/** So many of a kind are shown. */
const LIMIT = '10'
/** Each look is bounded, and may find nothing and yet be followed by another one. */
const LOOKS = 4
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/
const SID = /^[A-Za-z0-9_-]{16}$/

/** Some of a kind that a search found, the best first. */
interface Some<Item> {
  readonly items: readonly Item[]
  /** Whether there may be others. */
  readonly has_more: boolean
}

/** What a search found, by kind: records by their words first, then what is named by an id. */
export interface FoundRecords {
  readonly people: Some<AnswerOf<'read_user'>>
  readonly applications: Some<AnswerOf<'read_client'>>
  readonly groups: Some<Groups['items'][number]>
  readonly providers: Some<AnswerOf<'read_provider'>>
  readonly sessions: Some<NewestSessionAnswer>
  readonly explanation: ExplanationAnswer | undefined
  /** What was not looked in, because the operator may not read it. */
  readonly unseen: readonly Unseen[]
}

/** Kinds that an operator may not read, as words, and the right that it takes. */
export interface Unseen {
  readonly what: string
  readonly right: string
}

/** What is looked in, and what reads it. */
const LOOKED_IN = {
  people: 'list_users',
  groups: 'list_groups',
  sessions: 'list_newest_sessions',
  applications: 'list_clients',
  providers: 'list_providers',
  'refused requests': 'read_explanation',
} as const satisfies Readonly<Record<string, OperationName>>

const NONE = { items: [], has_more: false } as const
/** What a search for nothing finds. */
export const NOTHING: FoundRecords = {
  ...{ people: NONE, applications: NONE, groups: NONE, providers: NONE, sessions: NONE },
  explanation: undefined,
  unseen: [],
}

/**
 * Finds what has this name, or this id, among what the operator may see. A name may have the form of an id: each kind is
 * looked through.
 * @throws StorageUnavailable
 */
export async function findAll(desk: Desk, q: string): Promise<FoundRecords> {
  const query = { q, limit: LIMIT }
  const [people, applications, groups, providers, sessions, explanation] = await Promise.all([
    desk.may('list_users') ? some((cursor) => desk.ask('list_users', { query: { ...query, cursor } })) : NONE,
    desk.may('list_clients')
      ? some((cursor) => desk.ask('list_clients', { query: { ...query, cursor } }))
      : NONE,
    groupsFound(desk, q),
    desk.may('list_providers')
      ? some((cursor) => desk.ask('list_providers', { query: { ...query, cursor } }))
      : NONE,
    SID.test(q) && desk.may('list_newest_sessions')
      ? some((cursor) => desk.ask('list_newest_sessions', { query: { sid: q, limit: LIMIT, cursor } }))
      : NONE,
    explained(desk, q),
  ])
  return { people, applications, groups, providers, sessions, explanation, unseen: unseenBy(desk) }
}

function unseenBy(desk: Desk): Unseen[] {
  const by_right = new Map<string, string[]>()
  for (const [what, name] of Object.entries(LOOKED_IN)) {
    if (desk.may(name)) continue
    const { scope } = OPERATIONS[name]
    by_right.set(scope, [...(by_right.get(scope) ?? []), what])
  }
  return [...by_right].map(([right, kinds]) => ({ what: kinds.join(', '), right }))
}

/** Returns the paths of the pages of all that was found: only that of the person, if what was typed is a whole address. */
export function placesOf(found: FoundRecords, typed: string): string[] {
  const { people, applications, groups, providers, sessions, explanation } = found
  const pageOf = ({ username }: { readonly username: string }) => at`/people/${username}`
  const named = people.items.filter((one) => isAddressOf(typed, one))
  if (named.length > 0) return named.map(pageOf)
  return [
    ...people.items.map(pageOf),
    ...applications.items.map(({ client_id }) => at`/applications/${client_id}`),
    ...groups.items.map(({ group }) => membersAt(group)),
    ...providers.items.map(({ provider }) => at`/providers/${String(provider)}`),
    ...sessions.items.map(({ username }) => at`/people/${username}/sessions`),
    ...(explanation === undefined ? [] : [explanationAt(explanation.id)]),
  ]
}

/** Others may have an address that begins with the words of this one: the whole one names a person. */
function isAddressOf(typed: string, { username, claims = {} }: AnswerOf<'read_user'>): boolean {
  const wanted = foldName(typed)
  return (
    wanted.includes('@') && [username, String(claims.email ?? '')].some((one) => foldName(one) === wanted)
  )
}

/** Returns the path of the people in a group. */
export const membersAt = (group: string) =>
  `/people?${new URLSearchParams({ only: 'group', group }).toString()}`

/** Returns the path of the page of a refusal. */
export const explanationAt = (id: string) => `/explain?${new URLSearchParams({ id }).toString()}`

async function some<Item>(
  look: (cursor: string | undefined) => Promise<{ readonly body: Page<Item> }>,
): Promise<Some<Item>> {
  let cursor: string | undefined
  for (let i = 0; i < LOOKS; i++) {
    const { items, next } = (await look(cursor)).body
    if (items.length > 0 || next === undefined) return { items, has_more: next !== undefined }
    cursor = next
  }
  return { items: [], has_more: true }
}

async function groupsFound(desk: Desk, q: string): Promise<FoundRecords['groups']> {
  if (!desk.may('list_groups')) return NONE
  const { items, is_cut } = (await desk.ask('list_groups', { query: { q } })).body
  return { items: items.slice(0, Number(LIMIT)), has_more: is_cut || items.length > Number(LIMIT) }
}

async function explained(desk: Desk, id: string): Promise<ExplanationAnswer | undefined> {
  if (!REQUEST_ID.test(id) || !desk.may('read_explanation')) return undefined
  try {
    return (await desk.ask('read_explanation', { params: { id } })).body
  } catch (error) {
    if (error instanceof AdminError && error.code === 'not_found') return undefined
    throw error
  }
}
