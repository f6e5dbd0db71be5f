// What one operation costs: the least of some rounds, because work in the background can add to a round.
import { untilAnswers } from '../until.ts'
import type { Operation } from './operations.ts'
import { CONNECTIONS, type Cost, type CountedService } from './service.ts'

const EXCHANGES = 8
const ROUNDS = 3
const MOST_ROUNDS = 10

/** The cost of one exchange; `writes_at_once` is that of one exchange on each of the connections, all at once. */
export type Figures = Omit<Cost, 'writes'> & { writes_at_once?: number }

/** Measures an operation until the figures are as expected, or did not become so in some more rounds. */
export async function measure(
  service: CountedService,
  operation: Operation,
  isExpected: (figures: Figures) => boolean,
): Promise<Figures> {
  let least: Figures | undefined
  for (let round = 1; ; round++) {
    const figures = await measureOnce(service, operation).catch((error: Error) => error)
    if (figures instanceof Error) {
      if (round === MOST_ROUNDS || !figures.message.includes('503 instead of')) throw figures
      // On a busy machine Redis may answer late.
      await untilAnswers(service.storage)
      continue
    }
    least = leastOf(figures, least)
    if (round >= MOST_ROUNDS || (round >= ROUNDS && isExpected(least))) return least
  }
}

async function measureOnce(service: CountedService, operation: Operation): Promise<Figures> {
  const prepared = async (count: number) => {
    const exchanges = []
    for (let i = 0; i < count; i++) exchanges.push(await operation.prepare(service))
    return exchanges.map((exchange) => exchange())
  }
  const { writes: _, ...together } = await service.measure(await prepared(EXCHANGES), 'in turn')
  const each = Object.entries(together).map(([name, value]) => [name, Math.round(value / EXCHANGES)])
  const figures = Object.fromEntries(each) as typeof together
  if (operation.is_flow) return figures
  const { writes } = await service.measure(await prepared(CONNECTIONS), 'at once')
  return { ...figures, writes_at_once: writes }
}

function leastOf(figures: Figures, others: Figures = figures): Figures {
  const least = Object.entries(figures).map(([name, figure]) => {
    const other = others[name as keyof Figures] ?? figure
    return [name, Math.min(figure, other)]
  })
  return Object.fromEntries(least) as Figures
}
