import type { AuditEntries } from '../../../core/audit-entries.ts'
import {
  type BoundedEntry,
  type BoundedListId,
  type BoundedLists,
  isOfUser,
  type ListLimits,
  type NewEntry,
  userOf,
} from '../../bounded-lists.ts'
import type { RedisAccess } from './access.ts'
import { withTrail } from './trail.ts'

/** What is written for no owner, and for no kind. */
const NONE = '-'

/** Bounded lists in Redis: a hash each, and its order in a sorted set. */
export class RedisBoundedLists implements BoundedLists {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async put(
    list: BoundedListId,
    entries: readonly NewEntry[],
    { ttl, max, of_kind = max, looked_at = 1, keep }: ListLimits,
    more: ReadonlyMap<string, number> = new Map(),
  ): Promise<void> {
    const { keys, run } = this.#access
    const user = isOfUser(list) ? [keys.record({ name: 'user' }, userOf(list).user)] : []
    await run('put-bounded', [...keys.boundedList(list), ...user], {
      ...{ ttl, max, of_kind, looked_at, keep },
      items: entries.flatMap(({ name, owner = NONE, kind = NONE, text }) => [name, owner, kind, text]),
      more: [...more].flat(),
    })
  }

  async read(
    list: BoundedListId,
    { name, last }: { readonly name?: string; readonly last?: number } = {},
  ): Promise<BoundedEntry[]> {
    const { keys, run } = this.#access
    const entries = await run('read-bounded', keys.boundedList(list), { name, last })
    return entries.map(([name, text, ends_in, more]) => ({ name, text, ends_in, more }))
  }

  async drop(list: BoundedListId, name?: string, told?: AuditEntries): Promise<boolean> {
    const [key, index] = this.#access.keys.boundedList(list)
    const dropped = await withTrail(this.#access, key, told, ({ keys, args }) =>
      this.#access.run('drop-bounded', [key, index, ...keys], { name, entries: args }),
    )
    return dropped === 1
  }
}
