import { inSpan } from '../core/spans.ts'
import type { Storage } from '../storage/storage.ts'

/** The parts of a storage whose calls are steps of a request. */
const PARTS = [
  'records',
  'families',
  'lists',
  'queue',
  'outboxes',
  'counters',
  'registrations',
  'sign_ins',
  'bounded',
  'evidence',
] as const

/** Returns a storage whose calls have spans, named for their intent: `families.redeemCode`. No argument is in them. */
export function tracedStorage(storage: Storage): Storage {
  // Without a server there is nothing to wait for.
  if (storage.timings === undefined) return storage
  const parts = Object.fromEntries(PARTS.map((part) => [part, traced(part, storage[part])]))
  return { ...storage, ...parts }
}

function traced<Part extends object>(part: string, given: Part): Part {
  return new Proxy(given, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function' || typeof name !== 'string') return member
      const operation = `${part}.${name}`
      const attributes = { 'db.system.name': 'redis', 'db.operation.name': operation }
      return (...args: unknown[]) => inSpan(operation, attributes, () => member.apply(target, args))
    },
  })
}
