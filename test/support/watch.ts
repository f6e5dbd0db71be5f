// Checks that no secret of a test appears in a log line or a response.
import type { Test } from 'tap'
import type { Log } from '../../src/core/log.ts'
import { type Answer, SECRET, type Service, VERIFIER } from './service.ts'

// A shorter part could appear in a line by chance.
const WINDOW = 12

/** Everything that must not appear, and everything that was logged or answered. */
export class Watch {
  readonly secrets: Set<string>
  readonly answers: Answer[] = []
  readonly lines: string[] = []

  constructor(...more: string[]) {
    this.secrets = new Set([SECRET, VERIFIER, ...more])
  }

  readonly log: Log = {
    info: (...args) => void this.lines.push(JSON.stringify(args)),
    warn: (...args) => void this.lines.push(JSON.stringify(args)),
    error: (...args) => void this.lines.push(JSON.stringify(args)),
  }

  hide(value: unknown): string {
    this.secrets.add(String(value))
    return String(value)
  }

  seen(answer: Answer): Answer {
    this.answers.push(answer)
    return answer
  }

  /** The secrets of which at least 12 consecutive characters appear in a text. */
  leaks(text: string): string[] {
    const pieces = (secret: string) =>
      Array.from({ length: Math.max(1, secret.length - WINDOW + 1) }, (_, at) =>
        secret.slice(at, at + WINDOW),
      )
    return [...this.secrets].filter((secret) => pieces(secret).some((piece) => text.includes(piece)))
  }

  check(t: Test, { log }: Service): void {
    const lines = [...this.lines, ...log]
    t.ok(lines.length > 20, `${lines.length} lines`)
    t.ok(this.leaks(SECRET.slice(3, 20)).includes(SECRET), 'this test can detect a part of a secret')
    for (const line of lines) {
      const leaked = this.leaks(line)
      if (leaked.length > 0) t.fail(`a log line contains a secret: ${line}`, { leaked })
    }
    const failed = this.answers.filter(({ status }) => status >= 400)
    t.ok(failed.length > 0, `${failed.length} errors`)
    for (const { text, headers } of failed) {
      const leaked = this.leaks(text + JSON.stringify(headers))
      if (leaked.length > 0) t.fail(`an error contains a secret: ${text}`, { leaked })
    }
  }
}
