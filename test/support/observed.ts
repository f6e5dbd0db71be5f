import type { Storage } from '../../src/storage/storage.ts'

const PARTS = ['records', 'families', 'queue', 'counters', 'signing_keys'] as const

/** A call of a storage: `read client` for a verb of a kind of records, `findToken` for any other. */
export type Call = string

/** Runs a call of a storage, or does something else. */
export type Around = (call: Call, run: () => unknown) => unknown

/** A storage whose calls go through `around`. */
export function observed(storage: Storage, around: Around): Storage {
  const wrap = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => around(nameOf(String(name), args), () => member.apply(target, args))
      },
    })
  const parts = Object.fromEntries(PARTS.map((name) => [name, wrap(storage[name])]))
  return new Proxy(wrap(storage), {
    get: (target, name) => parts[String(name)] ?? Reflect.get(target, name),
  })
}

function nameOf(method: string, args: readonly unknown[]): Call {
  const kinds = args.map((argument) => {
    const kind = (argument as { kind?: { name?: unknown } } | undefined)?.kind ?? argument
    return (kind as { name?: unknown } | undefined)?.name
  })
  const [kind] = kinds.filter((name) => typeof name === 'string')
  return kind === undefined ? method : `${method} ${kind}`
}
