import type { ClientId, FamilyId } from '../../../core/ids.ts'
import { parseToken } from '../../../core/token-string.ts'
import { familyOf } from '../../family-ids.ts'
import { SINGLE_USE_KINDS, type SingleUse, type UsedBefore } from '../../single-use.ts'
import type { RedisAccess } from './access.ts'

/** Ids that a script uses up in the same step as what it does. */
interface Prepared {
  readonly keys: readonly string[]
  /** The seconds that they are kept, separated by spaces. */
  readonly ttls: string
  /** Returns the answer for the id at this position, from 0 on. */
  usedBefore(position: number): UsedBefore
}

const NONE: Prepared = { keys: [], ttls: '', usedBefore: () => ({ outcome: 'used', kind: 'proof' }) }

/** Ids that may be used once. On a single Redis, the script that does the rest also uses them up. */
export class SingleUses {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  /**
   * Returns what a script on the slot of a family needs to use up these ids. No script can change several slots of a
   * Cluster: there an assertion of another slot is used up here, by a command of its own. A proof gets an id of the
   * family instead: anybody can make one, and a command before all checks would store it. Presented again with another
   * grant, it only gets tokens that nobody without its key can use.
   */
  prepare(
    uses: readonly SingleUse[] | undefined,
    family: FamilyId,
    operation: string,
    client_id: ClientId,
  ): Prepared | Promise<Prepared | UsedBefore> {
    if (uses === undefined || uses.length === 0) return NONE
    return this.#split(uses, family, operation, client_id)
  }

  async #split(
    uses: readonly SingleUse[],
    family: FamilyId,
    operation: string,
    client_id: ClientId,
  ): Promise<Prepared | UsedBefore> {
    const here: SingleUse[] = []
    for (const use of uses) {
      if (this.#access.connection.spansSlots || familyOf(use.id) === family) here.push(use)
      else if (use.kind === 'proof') here.push({ ...use, id: `${family}.${parseToken(use.id)?.secret}` })
      else if (!(await this.#useAlone(use, operation, client_id))) return { outcome: 'used', kind: use.kind }
    }
    return {
      keys: here.map((use) => this.#keyOf(use)),
      ttls: here.map(({ ttl }) => ttl).join(' '),
      usedBefore: (position) => ({ outcome: 'used', kind: here[position]?.kind ?? 'proof' }),
    }
  }

  async #useAlone(use: SingleUse, operation: string, client_id: ClientId): Promise<boolean> {
    const args = { operation, ttls: String(use.ttl), client_id, ids: 1, records: [] }
    return (await this.#access.write('use-once', [this.#keyOf(use)], args)) < 0
  }

  #keyOf({ kind, id }: SingleUse): string {
    return this.#access.keys.record(SINGLE_USE_KINDS[kind], id)
  }
}
