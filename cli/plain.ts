import type { ISSUERS } from '../src/admin/issuers/issuers.ts'
import { readAll } from '../src/admin/operation/misfit.ts'
import { toJson } from '../src/admin/operation/record-json.ts'
import {
  changePlain,
  createPlain,
  planPlain,
  readPlain,
  removePlain,
  type Stored,
} from '../src/admin/plain/plain-noun.ts'
import type { PROVIDERS } from '../src/admin/providers/providers.ts'
import type { RESOURCES } from '../src/admin/resources/resources.ts'
import type { Hash } from '../src/core/record-hash.ts'
import type { Change } from '../src/storage/records.ts'
import { adminContext } from './admin-context.ts'
import { allItems, type Calls } from './calls.ts'
import { type RecordAnswer, storedForm } from './from-answer.ts'

type AnyPlain = typeof RESOURCES | typeof ISSUERS | typeof PROVIDERS

/** Returns the records of a plain noun by their ids, sorted; undefined: the key is not a hash. */
export async function allPlain(calls: Calls, noun: AnyPlain): Promise<Map<string, Hash | undefined>> {
  // The list of a host is whole, also while no server runs.
  if (calls.host !== undefined) return readAll(calls.host.storage, noun.kind)
  const items = await allItems(calls, `list_${noun.id}s`, {})
  return new Map(items.map((item) => storedOf(noun, item)).map(({ id, hash }) => [id, hash]))
}

/** Reads a record. @throws AdminError `not_found` */
export async function plainNamed({ host, call }: Calls, noun: AnyPlain, name: string): Promise<Stored> {
  if (host !== undefined) return readPlain(host.storage, noun, name)
  return storedOf(noun, await call(`read_${noun.id}`, { params: pathOf(noun, name) }))
}

/** Registers a record. @throws AdminError `exists`, or `invalid_field` */
export async function addPlain(
  { host, call }: Calls,
  noun: AnyPlain,
  name: string,
  given: Hash,
): Promise<Stored> {
  const planned = planPlain(noun, name, given)
  if (host !== undefined) {
    await createPlain(adminContext(host), noun, planned)
    return planned
  }
  const body = { ...jsonOf(noun, given), [noun.id]: name }
  return storedOf(noun, await call(`create_${noun.id}`, { body }))
}

/** Changes a record. @throws AdminError `not_found`, `invalid_field` or `stale` */
export async function changePlainNamed(
  calls: Calls,
  noun: AnyPlain,
  name: string,
  { set, unset = [] }: Pick<Change, 'set' | 'unset'>,
): Promise<Stored> {
  const { host, call } = calls
  if (host !== undefined) {
    const stored = await readPlain(host.storage, noun, name)
    return { id: stored.id, hash: await changePlain(adminContext(host), noun, stored, { set, unset }) }
  }
  const body = { ...jsonOf(noun, set), ...Object.fromEntries(unset.map((field) => [field, null])) }
  return storedOf(noun, await call(`change_${noun.id}`, { params: pathOf(noun, name), body }))
}

/** Removes a record, and returns its id. @throws AdminError `not_found` or `stale` */
export async function removePlainNamed({ host, call }: Calls, noun: AnyPlain, name: string): Promise<string> {
  if (host === undefined) {
    const answer = await call(`delete_${noun.id}`, { params: pathOf(noun, name) })
    return String(answer[noun.id])
  }
  const { id } = await readPlain(host.storage, noun, name)
  await removePlain(adminContext(host), noun, id)
  return id
}

const pathOf = ({ id }: AnyPlain, name: string) => ({ [id]: name }) as Record<AnyPlain['id'], string>

const jsonOf = ({ table }: AnyPlain, fields: Hash) => toJson(table, Object.keys(table), fields)

function storedOf({ id, table }: AnyPlain, answer: RecordAnswer): Stored {
  return { id: String(answer[id]), hash: storedForm(table, answer) }
}
