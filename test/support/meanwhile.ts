import type { Storage } from '../../src/storage/storage.ts'

const WRITES = ['put', 'create', 'change'] as const

/** What happens in storage, for `beforeWriteOf`. */
type Happening = (last_read: number) => Promise<unknown>

/** A service whose clock can be moved. */
interface Clocked {
  readonly storage: Storage
  readonly now: () => number
  readonly pass: (seconds: number) => void
}

/**
 * Lets something happen once, just before the next write of a record of this kind: after all that decided about it. Until then
 * the clock goes on with each read.
 * @param happens gets the time of the last read, in milliseconds since 1970
 * @returns whether it happened
 */
export function beforeWriteOf(clocked: Clocked, kind: string, happens: Happening): () => boolean {
  const { records } = clocked.storage
  return before(clocked, records, WRITES, (args) => args.some((arg) => namesKind(arg, kind)), happens)
}

/** As beforeWriteOf, before the next token of an assertion. */
export function beforeGrantOf(clocked: Clocked, happens: Happening): () => boolean {
  return before(clocked, clocked.storage.families, ['grantOnce'], () => true, happens)
}

function before<Part extends object>(
  { storage, now, pass }: Clocked,
  part: Part,
  names: readonly (keyof Part & string)[],
  isMeant: (args: readonly unknown[]) => boolean,
  happens: Happening,
): () => boolean {
  let has_happened = false
  let last_read = now()
  pass(0.01)
  around(storage.records, 'read', async (run) => {
    const found = await run()
    if (has_happened) return found
    last_read = now()
    pass(0.01)
    return found
  })
  for (const name of names)
    around(part, name, async (run, args) => {
      const is_now = !has_happened && isMeant(args)
      if (is_now) has_happened = true
      if (is_now) await happens(last_read)
      return run()
    })
  return () => has_happened
}

function around<Part extends object>(
  part: Part,
  name: keyof Part & string,
  meddle: (run: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown>,
): void {
  const run = (part[name] as (...args: unknown[]) => Promise<unknown>).bind(part)
  Object.assign(part, { [name]: (...args: unknown[]) => meddle(() => run(...args), args) })
}

/** Whether an argument of a write is a record of a kind, or the kind itself. */
function namesKind(arg: unknown, kind: string): boolean {
  const { kind: given, name } = (arg ?? {}) as { kind?: { name?: string }; name?: string }
  return (given?.name ?? name) === kind
}
