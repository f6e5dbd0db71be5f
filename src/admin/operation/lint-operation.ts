import { type Static, type TObject, type TOptional, type TString, Type } from '@sinclair/typebox'
import type { AdminScope } from '../../core/admin-scopes.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { FindingAnswer, type RecordFinding, type ShownFinding, shownFinding } from './findings.ts'
import { madePageSchema, pageOf } from './list.ts'
import { scanAll, unlistedFindings } from './misfit.ts'
import { type AdminContext, operation } from './operation.ts'
import type { RecordType } from './record-type.ts'

/** Which records are checked: one, some of many, or all that there are. */
export type Extent = 'one' | 'page' | 'all'

/** How the records of a type are checked. */
interface Linting<Name extends string, Many extends string> {
  /** The last part of its name, and of its path with dashes, such as `clients`. */
  readonly many: Many
  readonly scope: AdminScope
  /** Finds the record that a request names. @throws AdminError `not_found`; StorageUnavailable */
  read(store: RecordStore, name: string): Promise<{ readonly id: string; readonly hash: Hash }>
  /** Returns the findings about records; undefined: the key is not a hash. @throws StorageUnavailable */
  lint(
    context: AdminContext,
    records: ReadonlyMap<string, Hash | undefined>,
    extent: Extent,
  ): Promise<readonly RecordFinding<Name>[]>
}

/**
 * Returns the operation that finds errors and likely mistakes in the records of a type: page by page, or in one. The command
 * on the host gets them all at once, by a scan of all keys, and with what only all of them tell.
 */
export function lintOperation<Id extends string, const Many extends string>(
  type: Pick<RecordType, 'kind'> & { readonly id: Id },
  { many, scope, read, lint }: Linting<Id, Many>,
) {
  const item = Type.Unsafe<ShownFinding & { readonly [Name in Id]: string }>(
    Type.Object({ [type.id]: Type.String(), ...FindingAnswer.properties }),
  )
  const query = Type.Object({
    [type.id]: Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description: 'only this one' })),
  }) as TObject<{ [Name in Id]: TOptional<TString> }>
  const recordsOf = async (context: AdminContext, name: unknown, paging: Paging) => {
    if (typeof name === 'string') {
      const { id, hash } = await read(context.storage, name)
      return { extent: 'one', records: new Map([[id, hash]]) } as const
    }
    if (context.caller.kind === 'command')
      return { extent: 'all', records: await scanAll(context.storage, type.kind) } as const
    const { items, ...more } = await pageOf(context, type.kind, undefined, paging)
    return { extent: 'page', records: new Map(items.map(({ id, hash }) => [id, hash])), ...more } as const
  }
  return operation({
    name: `lint_${many}`,
    summary: `Find errors and likely mistakes in ${many}`,
    method: 'GET',
    path: `/lint/${many.replaceAll('_', '-')}`,
    scope,
    query,
    answer: madePageSchema(item, {
      checked: Type.Integer({ description: 'How many records the findings of this page are about' }),
    }),
    needs: { page: true },
    async run(context, { query: given, cursor, limit }) {
      const { extent, records, ...more } = await recordsOf(
        context,
        new Map(Object.entries(given)).get(type.id),
        { cursor, limit },
      )
      const found = [
        ...(await lint(context, records, extent)),
        ...(await unlistedFindings(context.storage, type.kind, type.id, [...records.keys()])),
      ]
      const items = found.map((finding) => {
        return { [type.id]: finding[type.id], ...shownFinding(finding) } as Static<typeof item>
      })
      const [only] = extent === 'one' ? records.keys() : []
      return {
        body: { checked: records.size, items, ...more },
        ...(type.id === 'username' && { shows: only }),
      }
    },
  })
}

type Paging = Parameters<typeof pageOf>[3]
