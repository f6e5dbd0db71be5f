import type { Report } from '../output.ts'
import { Problems } from '../problems.ts'

/** What an answer says is left to do for a user. */
interface Answered {
  readonly next_step?: unknown
}

/** Adds to a report that nobody can sign in as a user yet, and what to do, if the answer says so. */
export function withNextStep(report: Report, { next_step }: Answered): Report {
  if (typeof next_step !== 'string') return report
  return { ...report, text: `${report.text}\n\n${next_step}`, json: { ...report.json, next_step } }
}

/** Users as whom nobody can sign in yet, of very many: the first are named, and all are counted. */
export class NextSteps {
  readonly #left = new Problems(NAMED)

  note(answer: unknown): void {
    const { next_step } = Object(answer) as Answered
    if (typeof next_step === 'string') this.#left.add(next_step)
  }

  /** The lines for a report: none if somebody can sign in as each. */
  get lines(): string[] {
    const { lines, count } = this.#left
    const more = count - lines.length
    return [
      ...(count === 0 ? [] : ['']),
      ...lines,
      ...(more > 0
        ? [
            `… and as ${more} more: redmint user reset-link makes a link for one, redmint user list shows who has no password`,
          ]
        : []),
    ]
  }

  /** A member for a report in JSON: as how many nobody can. */
  get json(): { readonly without_sign_in?: number } {
    return this.#left.count === 0 ? {} : { without_sign_in: this.#left.count }
  }
}

const NAMED = 3
