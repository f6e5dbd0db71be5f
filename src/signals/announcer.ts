import { type AuditEntry, readEntry } from '../audit/entry.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Settings } from '../config/settings.ts'
import type { ClientId, Sub } from '../core/ids.ts'
import type { Log } from '../core/log.ts'
import { SET_EVENT } from '../core/security-events.ts'
import { PollingWorker } from '../core/worker.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { recordOf } from '../storage/records.ts'
import { KNOWN_FOR, receiversOf } from '../tokens/receiver-listing.ts'
import { peopleOf } from '../users/owners-of-subs.ts'
import { readAccount } from '../users/read-account.ts'
import { USER } from '../users/user-kind.ts'
import type { User } from '../users/user-record.ts'
import { assuranceSignal } from './assurance.ts'
import { changedClaims } from './changed-claims.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { formerAddress, keepAddress } from './former-address.ts'
import { type HoldContext, holdSignals } from './hold.ts'
import { commonClaims, type Signal, type ToReceivers, toldOf } from './signals-of.ts'
import { STREAM } from './stream-record.ts'
import { forgetHeld } from './streams.ts'

/** What it takes to tell receivers. */
export interface AnnouncerContext extends HoldContext {
  readonly settings: HoldContext['settings'] & Pick<Settings, 'scope_claims' | 'demo'>
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly log: Log
}

/** When the audit trail is read. In seconds. */
export interface AnnouncerTiming {
  readonly poll: number
  /** The same while another server reads it. */
  readonly busy_poll: number
}

/** Read at once when this process announces something. */
export const ANNOUNCER_TIMING: AnnouncerTiming = { poll: 5, busy_poll: 0.5 }
/** One item: whoever claims it reads the trail, so that one server does at a time. */
const QUEUE = 'set-turn'
const TURN = 'turn'
/** Seconds. */
const LEASE = 20
const ENTRIES = 100
const RECEIVERS = 100

/**
 * Reads the audit trail, which has what happened in the step in which it happened, and puts what receivers are to be told
 * into their outboxes. An entry is read again unless all of it is there, so that none is lost; what is put twice is the
 * same.
 */
export class SignalAnnouncer extends PollingWorker {
  readonly #context: AnnouncerContext
  #is_waiting = false
  #has_started = false

  constructor(context: AnnouncerContext, timing = ANNOUNCER_TIMING) {
    super(
      () => this.#work(),
      () => (this.#is_waiting ? timing.busy_poll : timing.poll) * 1000,
    )
    this.#context = context
  }

  /** Looks at once: something may have happened since a server died. */
  override start(): void {
    if (this.#has_started) super.start()
    else {
      this.#has_started = true
      this.wake()
    }
  }

  async #work(): Promise<void> {
    const { storage, log } = this.#context
    try {
      const [turn] = await storage.queue.claim(QUEUE, 1, LEASE)
      this.#is_waiting = turn === undefined
      if (turn === undefined) {
        await storage.queue.offer(QUEUE, TURN, { max: 1 })
        return
      }
      await this.#readOn()
      await this.#leave(0)
    } catch (error) {
      // Storage logs why it is unavailable.
      if (!(error instanceof StorageUnavailable))
        log.error({ err: error }, 'A bug prevented that receivers of security events are told.')
    }
  }

  async #leave(delay: number): Promise<void> {
    await this.#context.storage.queue.retryLater(QUEUE, { item: TURN, replacement: TURN, delay })
  }

  async #readOn(): Promise<void> {
    const { storage } = this.#context
    let after = await readCursor(storage)
    while (!this.closed) {
      const entries = await storage.trail.read({ ...(after !== '' && { after }), limit: ENTRIES })
      for (const { id, text } of entries) {
        const entry = readEntry(id, text, 'changes')
        if (entry !== undefined) await announce(this.#context, entry)
      }
      const last = entries.at(-1)
      if (last === undefined) return
      after = last.id
      await writeCursor(storage, after)
      if (entries.length < ENTRIES) return
      await this.#leave(LEASE)
    }
  }
}

/** Puts what an entry means for receivers into their outboxes. @throws StorageUnavailable */
async function announce(context: AnnouncerContext, entry: AuditEntry): Promise<void> {
  const { storage } = context
  const client_id = entry.targets.find(({ kind }) => kind === 'client')?.id
  if (client_id !== undefined && ENDS_OF_CLIENTS.includes(entry.event)) {
    await storage.records.take(STREAM, client_id)
    await forgetHeld(context, client_id)
    return
  }
  if (entry.event === 'address_change_asked') return keepFormer(context, entry)
  const told = toldOf(entry)
  if (told === undefined) return
  if (told.sub !== undefined) return tellAbout(context, entry, told, told.sub)
  for await (const sub of everybody(context)) await tellAbout(context, entry, told, sub)
}

const ENDS_OF_CLIENTS: readonly string[] = ['client_removed', 'registration_deleted']

async function keepFormer({ storage, ...context }: AnnouncerContext, { targets }: AuditEntry): Promise<void> {
  const sub = targets.find(({ kind }) => kind === 'user')?.id ?? ''
  const { entries } = await storage.lists.page(receiversOf(sub), { limit: 1 })
  const email = entries.length > 0 && (await personOf({ storage, ...context }, sub))?.claims.email
  if (email) await keepAddress(storage, sub, email)
}

/** Yields the subs of all who ever signed in. */
async function* everybody({ storage }: AnnouncerContext): AsyncGenerator<Sub> {
  for await (const { username } of storage.sign_ins.inactiveSince(Number.POSITIVE_INFINITY)) {
    const { sub } = (await storage.records.read(USER, username, { fields: ['sub'] }))?.hash ?? {}
    if (sub !== undefined) yield sub
  }
}

async function tellAbout(
  context: AnnouncerContext,
  entry: AuditEntry,
  told: ToReceivers,
  sub: Sub,
): Promise<void> {
  const { lists } = context.storage
  const list = receiversOf(sub)
  let after: string | undefined
  do {
    const { entries, next } = await lists.page(list, { after, limit: RECEIVERS })
    const meant = entries.filter(({ id }) => told.client_id === undefined || id === told.client_id)
    if (meant.length > 0) {
      const person = new Person(context, entry, told, sub)
      for (const { id } of meant) await tell(context, person, id)
    }
    // Who was used again since is known again.
    const ends = Date.parse(entry.at) + KNOWN_FOR
    const over = told.forgets ? meant.filter(({ until }) => until <= ends).map(({ id }) => id) : []
    await lists.remove(list, ...over)
    after = next
  } while (after !== undefined)
}

/** The person that an entry is about, looked up when the first receiver is to be told. */
class Person {
  readonly entry: AuditEntry
  readonly told: ToReceivers
  readonly sub: Sub
  readonly #context: AnnouncerContext
  #user: Promise<User | undefined> | undefined
  #assurance: Promise<Signal | undefined> | undefined

  constructor(context: AnnouncerContext, entry: AuditEntry, told: ToReceivers, sub: Sub) {
    this.#context = context
    this.entry = entry
    this.told = told
    this.sub = sub
  }

  user(): Promise<User | undefined> {
    this.#user ??= personOf(this.#context, this.sub)
    return this.#user
  }

  /** What is told of factors, the same to everybody. */
  assurance(): Promise<Signal | undefined> {
    this.#assurance ??= this.#findAssurance()
    return this.#assurance
  }

  async #findAssurance(): Promise<Signal | undefined> {
    const { factors } = this.told
    const user = factors && (await this.user())
    if (factors === undefined || user === undefined) return undefined
    return assuranceSignal(this.#context.storage, user.username, factors, commonClaims(this.entry))
  }
}

async function personOf(context: AnnouncerContext, sub: Sub): Promise<User | undefined> {
  const found = (await peopleOf(context.storage, [sub])).get(sub)
  return found && readAccount(context, found.username)
}

async function tell(context: AnnouncerContext, person: Person, client_id: ClientId): Promise<void> {
  const stream = recordOf(await context.storage.records.read(STREAM, client_id))
  const { entry, told, sub } = person
  // What happened before there was a stream is not told.
  if (stream === undefined || stream.status === 'disabled' || Date.parse(entry.at) < stream.created_at) return
  const client = await context.clients.find(client_id)
  if (client === undefined) return
  const assurance = await person.assurance()
  const signals = [...told.signals, ...(assurance ? [assurance] : [])]
  const user = told.fields && (await person.user())
  const claims = told.fields && user && (await changedClaims(context, client, user, told.fields))
  if (claims !== undefined) {
    signals.push({ event: SET_EVENT.token_claims_change, claims: { claims, ...commonClaims(entry) } })
    const email = entry.event === 'address_changed' && typeof claims.email === 'string' && claims.email
    const former = email && (await formerAddress(context.storage, sub))
    if (email && former && former !== email)
      signals.push({
        event: SET_EVENT.identifier_changed,
        claims: { 'new-value': email },
        // RISC 1.0, Identifier Changed: the subject is the old value.
        about: { format: 'email', email: former },
      })
  }
  await holdSignals(context, { client, stream }, { entry_id: entry.id, at: entry.at, sub, signals })
}
