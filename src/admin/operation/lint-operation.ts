import { type TObject, Type } from '@sinclair/typebox'
import type { AdminScope } from '../../core/admin-scopes.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { type Finding, FindingAnswer, shownFinding } from './findings.ts'
import { madePageSchema, pageOf } from './list.ts'
import { scanAll, unlistedFindings } from './misfit.ts'
import type { Noun } from './noun.ts'
import { type AdminContext, type Operation, operation } from './operation.ts'

/** Which records are checked: one, some of many, or all that there are. */
export type Extent = 'one' | 'page' | 'all'

/** How the records of a noun are checked. */
interface Linting<Name extends string> {
  /** The last part of its path and name, such as `clients`. */
  readonly many: string
  readonly scope: AdminScope
  /** Finds the record that a request names. @throws AdminError `not_found`; StorageUnavailable */
  read(store: RecordStore, name: string): Promise<{ readonly id: string; readonly hash: Hash }>
  /** Returns the findings about records; undefined: the key is not a hash. @throws StorageUnavailable */
  lint(
    context: AdminContext,
    records: ReadonlyMap<string, Hash | undefined>,
    extent: Extent,
  ): Promise<readonly Finding<Name>[]>
}

/**
 * Returns the operation that finds errors and likely mistakes in the records of a noun: page by page, or in one. The command
 * on the host gets them all at once, by a scan of all keys, and with what only all of them tell.
 */
export function lintOperation<Name extends string>(
  noun: Noun & { readonly id: Name },
  { many, scope, read, lint }: Linting<Name>,
): Operation {
  const item = Type.Object({ [noun.id]: Type.String(), ...FindingAnswer.properties })
  const query: TObject = Type.Object({
    [noun.id]: Type.Optional(Type.String({ minLength: 1, maxLength: 2048, description: 'only this one' })),
  })
  const recordsOf = async (context: AdminContext, name: unknown, paging: Paging) => {
    if (typeof name === 'string') {
      const { id, hash } = await read(context.storage, name)
      return { extent: 'one', records: new Map([[id, hash]]) } as const
    }
    if (context.caller.kind === 'command')
      return { extent: 'all', records: await scanAll(context.storage, noun.kind) } as const
    const { items, ...more } = await pageOf(context, noun.kind, undefined, paging)
    return { extent: 'page', records: new Map(items.map(({ id, hash }) => [id, hash])), ...more } as const
  }
  return operation({
    name: `lint_${many}`,
    summary: `Find errors and likely mistakes in ${many}`,
    method: 'GET',
    path: `/lint/${many}`,
    scope,
    query,
    answer: Type.Object({
      checked: Type.Integer({ description: 'How many records the findings of this page are about' }),
      ...madePageSchema(item).properties,
    }),
    needs: { page: true },
    async run(context, { query: given, cursor, limit }) {
      const { extent, records, ...more } = await recordsOf(context, given[noun.id], { cursor, limit })
      const found = [
        ...(await lint(context, records, extent)),
        ...(await unlistedFindings(context.storage, noun.kind, noun.id, [...records.keys()])),
      ]
      const items = found.map((finding) => ({ [noun.id]: finding[noun.id], ...shownFinding(finding) }))
      const [only] = extent === 'one' ? records.keys() : []
      return {
        body: { checked: records.size, items, ...more },
        ...(noun.id === 'username' && { shows: only }),
      }
    },
  })
}

type Paging = Parameters<typeof pageOf>[3]
