import type { Storage } from '../../src/storage/storage.ts'

/** The name of a storage call: `read client` for a verb and a record kind, or a method name such as `findToken`. */
export type Call = string

/** Runs a call of a storage, or does something else instead. */
export type Around = (call: Call, run: () => unknown, args: readonly unknown[]) => unknown

// Scans, and new ids: for these storage asks nobody.
const UNOBSERVED: readonly (string | symbol)[] = [
  'list',
  'scan',
  'walk',
  'unlistGone',
  'inactiveSince',
  'newClientId',
  'newClientFamily',
]

// A server looks for queued work, reads its keys and says that it runs at intervals, and writes what explains refusals, what
// happened lately and entries of the audit trail after its answers.
const OF_NO_REQUEST: readonly Call[] = [
  ...['claim', 'put explanations', 'put connection-steps', 'put activity', 'append', 'collect'],
  ...['read signing-keys', 'now signing-keys', 'read sealing-keys', 'now sealing-keys'],
  ...['read status-lists', 'now status-lists', 'replace status-lists', 'findTokensAndFamilies'],
  ...['read status-list', 'put status-list'],
  ...['read restore', 'put servers', 'put server-ids', 'put server-issuers'],
]

/** Around the calls that requests wait for; what servers call by themselves, at any moment, is run. */
export function ofRequests(around: Around): Around {
  return (call, run, args) => (OF_NO_REQUEST.includes(call) ? run() : around(call, run, args))
}

/** A storage whose calls go through `around`. */
export function observed(storage: Storage, around: Around): Storage {
  const wrap = <T extends object>(part: T, nameOf = nameOfCall): T =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target)
        if (typeof member !== 'function') return member
        if (UNOBSERVED.includes(name)) return member.bind(target)
        return (...args: unknown[]) =>
          around(nameOf(String(name), args), () => member.apply(target, args), args)
      },
    })
  const {
    description,
    tokens_at_rest,
    changes,
    records,
    families,
    lists,
    queue,
    outboxes,
    counters,
    registrations,
    sign_ins,
    bounded,
    evidence,
    trail,
    signing_keys,
    sealing_keys,
    noted_jwts,
    status_lists,
  } = storage
  return {
    description,
    tokens_at_rest,
    changes,
    records: wrap(records),
    families: wrap(families),
    lists: wrap(lists),
    queue: wrap(queue),
    outboxes: wrap(outboxes),
    counters: wrap(counters),
    registrations: wrap(registrations),
    sign_ins: wrap(sign_ins),
    bounded: wrap(bounded, nameOfList),
    evidence: wrap(evidence),
    trail: wrap(trail),
    signing_keys: wrap(signing_keys, (method) => `${method} signing-keys`),
    sealing_keys: wrap(sealing_keys, (method) => `${method} sealing-keys`),
    noted_jwts: wrap(noted_jwts),
    status_lists: wrap(status_lists, (method) => `${method} status-lists`),
    probe: async () => void (await around('probe', () => storage.probe(), [])),
    close: () => storage.close(),
  }
}

function nameOfCall(method: string, args: readonly unknown[]): Call {
  const kinds = args.map((argument) => {
    const kind = (argument as { kind?: { name?: unknown } } | undefined)?.kind ?? argument
    return (kind as { name?: unknown } | undefined)?.name
  })
  const [kind] = kinds.filter((name) => typeof name === 'string')
  return kind === undefined ? method : `${method} ${kind}`
}

function nameOfList(method: string, [list]: readonly unknown[]): Call {
  const of_user = Object.hasOwn(Object(list), 'asks_of') ? 'asks' : 'activity'
  return `${method} ${typeof list === 'string' ? list.split(':')[0] : of_user}`
}
