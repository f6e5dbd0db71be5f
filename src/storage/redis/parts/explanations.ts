import type { ExplanationLimits, Explanations, KeptExplanation } from '../../explanations.ts'
import type { RedisAccess } from './access.ts'

/** Explanations in Redis: five keys of one slot. */
export class RedisExplanations implements Explanations {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async keep(
    explanations: readonly KeptExplanation[],
    more: ReadonlyMap<string, number>,
    limits: ExplanationLimits,
  ): Promise<void> {
    const { texts, order, kinds, lines, owners } = this.#access.keys.explanations
    const records = explanations.flatMap(({ id, kind, owner, text }) => [id, kind, owner, text])
    await this.#access.run('keep-explanations', [texts, order, kinds, lines, owners], {
      ...limits,
      records,
      more: [...more].flat(),
    })
  }

  async find(id: string): Promise<string | undefined> {
    const { texts } = this.#access.keys.explanations
    return (await this.#access.command<string | null>('read-explanations', 'hget', texts, id)) ?? undefined
  }

  async list(max: number): Promise<string[]> {
    const { texts, order } = this.#access.keys.explanations
    const members = await this.#access.command<string[]>('list-explanations', 'zrange', order, -max, -1)
    if (members.length === 0) return []
    const ids = members.map((member) => member.replace(/ .*$/s, ''))
    const found = await this.#access.command<(string | null)[]>('read-explanations', 'hmget', texts, ...ids)
    return found.filter((text) => text !== null).reverse()
  }

  async countMore(kind: string): Promise<number> {
    const { kinds } = this.#access.keys.explanations
    const kept = await this.#access.command<string | null>('read-explanations', 'hget', kinds, kind)
    return Number.parseInt(kept ?? '0', 10) || 0
  }
}
