import { type TObject, type TString, Type } from '@sinclair/typebox'
import type { Settings } from '../../config/settings.ts'
import type { AdminScope } from '../../core/admin-scopes.ts'
import type { FieldTable } from '../../core/field-table.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { applyChange } from '../operation/apply-change.ts'
import { compare } from '../operation/compare.ts'
import type { RecordFinding } from '../operation/findings.ts'
import { lintOperation } from '../operation/lint-operation.ts'
import { foundPage, foundPageSchema, SEARCH } from '../operation/list.ts'
import {
  type AdminContext,
  byName,
  type Operation,
  type OperationOutcome,
  operation,
} from '../operation/operation.ts'
import { AdminError, alreadyExists } from '../operation/problem.ts'
import {
  answerSchema,
  bodySchema,
  describeRecord,
  givenFields,
  labelOf,
  type RecordBody,
  readGiven,
  wholeSchema,
} from '../operation/record-type.ts'
import { assertReplaceable, assertVersion } from '../operation/version.ts'
import {
  changedSimple,
  changeSimple,
  changesOf,
  createSimple,
  planSimple,
  readSimple,
  removeSimple,
  type SimpleType,
  type Stored,
} from './simple-type.ts'

/** How the operations of a simple record type are named. */
interface Naming<Name extends string> {
  /** The path of the list, such as `/resources`. */
  readonly path: `/${string}`
  /** As in "Register a resource", "List resources". */
  readonly article: string
  readonly read: AdminScope
  readonly write: AdminScope
  /** Returns the findings about a record; undefined: its key is not a hash. */
  lint(id: string, hash: Hash | undefined, settings: Settings): RecordFinding<Name>[]
  /** What other records tell of it; absent: nothing. @throws StorageUnavailable */
  lintBeside?(store: RecordStore, id: string, hash: Hash | undefined): Promise<RecordFinding<Name>[]>
  /** As Operation.off of the list. */
  readonly off?: NonNullable<Operation['off']>
}

/** The secret that another server gave redmint. */
export const CLIENT_SECRET = Type.String({
  minLength: 1,
  maxLength: 512,
  writeOnly: true,
  description: 'What the provider gave redmint; it is never shown',
})

type Body = Readonly<Record<string, unknown>>

/**
 * Returns the operations of a simple type: list and search, create, read, replace, merge-patch, delete and lint. Its id
 * names them, as `list_resources` and `create_resource`.
 */
export function simpleOperations<Table extends FieldTable, Id extends string>(
  type: SimpleType<Table, Id>,
  naming: Naming<Id>,
) {
  const { article, read, write, lint, off } = naming
  const one = type.id
  const answer = answerSchema(type)
  const body = bodySchema(type)
  const secret = type.secret && { client_secret: CLIENT_SECRET }
  const params = Type.Object({ [one]: Type.String({ minLength: 1, maxLength: 2048 }) }) as TObject<{
    [Name in Id]: TString
  }>
  const path = `${naming.path}/:${one}` as const
  const nameIn = (given: object) => String(new Map(Object.entries(given)).get(one))

  const list = operation({
    name: `list_${one}s`,
    summary: `List or search ${one}s`,
    method: 'GET',
    path: naming.path,
    scope: read,
    query: SEARCH,
    answer: foundPageSchema(answer),
    needs: { page: true },
    ...(off && { off }),
    async run(context, { query: { q }, cursor, limit }) {
      const exactly = async (name: string) => {
        const found = await type.find(context.storage, name)
        return found === undefined ? [] : [found]
      }
      const { items, ...more } = await foundPage(context, type.kind, exactly, { q, cursor, limit })
      return { body: { items: items.map(({ id, hash }) => describeRecord(type, id, hash)), ...more } }
    },
  })

  const create = operation({
    name: `create_${one}`,
    summary: `Register ${article}`,
    method: 'POST',
    path: naming.path,
    scope: write,
    body: Type.Object(
      { ...bodySchema(type, secret).properties, [type.id]: Type.String({ minLength: 1, maxLength: 2048 }) },
      { additionalProperties: false },
    ),
    answer,
    needs: { creates: true, dry_run: true },
    rights: () => type.rights,
    run: (context, { body: given, dry_run }) =>
      createFrom(context, type, nameIn(given), givenIn(given), dry_run),
  })

  const readOne = operation({
    name: `read_${one}`,
    summary: `Read ${article}`,
    method: 'GET',
    path,
    scope: read,
    params,
    answer,
    async run({ storage }, { params: named }) {
      const { id, hash } = await readSimple(storage, type, nameIn(named))
      return { body: describeRecord(type, id, hash), stored: hash }
    },
  })

  const replace = operation({
    name: `replace_${one}`,
    summary: `Register ${article}, or make it what is given; whether it is disabled stays if not given`,
    method: 'PUT',
    path,
    scope: write,
    params,
    body: wholeSchema(type, secret),
    answer,
    needs: { version: 'if_exists', dry_run: true },
    rights: () => type.rights,
    async run(context, { params: named, body, version, dry_run }) {
      const name = nameIn(named)
      const { label, fields: others } = labelOf(body)
      const given = { ...givenIn(others), label }
      const stored = await type.find(context.storage, name)
      if (stored === undefined) {
        if (version !== undefined)
          throw new AdminError('stale', `There is no ${type.name} "${name}" any more.`)
        return createFrom(context, type, name, given, dry_run)
      }
      assertReplaceable(stored.hash, version, dry_run)
      const { set } = readGiven(type, given.fields, describeRecord(type, stored.id, stored.hash))
      const wanted = { ...type.base(name, set), ...set, ...label }
      const written = [...givenFields(type), ...Object.keys(label)]
      const names = written.filter((field) => field !== 'disabled' || set.disabled !== undefined)
      const change = compare(type.table, names, stored.hash, wanted)
      const sealed = await sealedIn(
        context,
        type,
        { id: stored.id, hash: applyChange(stored.hash, change) },
        given.secret,
        dry_run,
      )
      return finish(context, type, stored, { ...change, set: { ...change.set, ...sealed } }, dry_run)
    },
  })

  const change = operation({
    name: `change_${one}`,
    summary: `Change ${article} by a merge patch (RFC 7396)`,
    method: 'PATCH',
    path,
    scope: write,
    params,
    body,
    answer,
    needs: { version: true, dry_run: true },
    rights: () => type.rights,
    async run(context, { params: named, body: given, version, dry_run }) {
      const stored = await readSimple(context.storage, type, nameIn(named))
      assertVersion(stored.hash, version)
      const described = describeRecord(type, stored.id, stored.hash)
      return finish(context, type, stored, readGiven(type, given, described, stored.hash), dry_run)
    },
  })

  const remove = operation({
    name: `delete_${one}`,
    summary: `Remove ${article}`,
    method: 'DELETE',
    path,
    scope: write,
    params,
    answer: Type.Object({ [type.id]: Type.String(), removed: Type.Boolean() }),
    needs: { version: true, dry_run: true },
    rights: () => type.rights,
    async run(context, { params: named, version, dry_run }) {
      const { id, hash } = await readSimple(context.storage, type, nameIn(named))
      assertVersion(hash, version)
      if (dry_run) return { difference: changesOf(type, hash, {}), stored: hash }
      await removeSimple(context, type, id, { expected: hash, whole: true })
      return { body: { [type.id]: id, removed: true } }
    },
  })

  const lintAll = lintOperation(type, {
    many: `${one}s`,
    scope: read,
    read: (store, name) => readSimple(store, type, name),
    async lint({ settings, storage }, records) {
      const found: RecordFinding<Id>[] = []
      for (const [id, hash] of records)
        found.push(...lint(id, hash, settings), ...((await naming.lintBeside?.(storage, id, hash)) ?? []))
      return found
    },
  })

  return byName(list, create, readOne, replace, change, remove, lintAll)
}

/** What a request gives of a whole record. */
interface Given {
  readonly fields: Body
  readonly secret: string | undefined
  readonly label?: Hash
}

function givenIn({ client_secret, ...fields }: Body): Given {
  return { fields, secret: typeof client_secret === 'string' ? client_secret : undefined }
}

/** Returns the fields that keep a given secret; none if it is not given, or kept already. */
async function sealedIn(
  context: AdminContext,
  { secret }: SimpleType,
  wanted: Stored,
  given: string | undefined,
  dry_run = false,
): Promise<Hash> {
  return given === undefined || secret === undefined ? {} : secret.seal(context, wanted, given, dry_run)
}

async function createFrom<Table extends FieldTable, Id extends string>(
  context: AdminContext,
  type: SimpleType<Table, Id>,
  name: string,
  { fields, secret, label }: Given,
  dry_run = false,
): Promise<OperationOutcome<RecordBody<Table, Id>>> {
  const { set } = readGiven(type, fields, { [type.id]: name })
  const open = planSimple(type, name, { ...set, ...label })
  const sealed = await sealedIn(context, type, open, secret, dry_run)
  const planned = { ...open, hash: { ...open.hash, ...sealed } }
  if (dry_run) {
    if ((await type.find(context.storage, planned.id)) !== undefined)
      throw alreadyExists(type.name, planned.id)
    return { difference: changesOf(type, {}, planned.hash) }
  }
  await createSimple(context, type, planned)
  return { body: describeRecord(type, planned.id, planned.hash), stored: planned.hash }
}

async function finish<Table extends FieldTable, Id extends string>(
  context: AdminContext,
  type: SimpleType<Table, Id>,
  stored: Stored,
  change: { readonly set: Hash; readonly unset: readonly string[] },
  dry_run = false,
): Promise<OperationOutcome<RecordBody<Table, Id>>> {
  if (dry_run) {
    const wanted = changedSimple(type, stored, change)
    return { difference: changesOf(type, stored.hash, wanted), stored: stored.hash }
  }
  const hash = await changeSimple(context, type, stored, change)
  return { body: describeRecord(type, stored.id, hash), stored: hash }
}
