import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Client } from '../src/clients/record/client-record.ts'
import type { Settings } from '../src/config/settings.ts'
import type { AddedParts, Ground } from '../src/context.ts'
import type { About, AuditEntries, Origin } from '../src/core/audit-entries.ts'
import type { SecurityEvent } from '../src/core/events.ts'
import type { Log } from '../src/core/log.ts'
import type { RefusedRequest } from '../src/core/refusal.ts'
import type { Worker } from '../src/core/worker.ts'
import type { ApplicationMethods } from '../src/interaction/sign-in-method.ts'
import type { NewSession } from '../src/sessions/session.ts'
import type { KindName } from '../src/storage/records.ts'

/** What a room of an application is loaded with. */
export interface RoomParts {
  readonly settings: Settings
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Where routes of a room are joined. */
export interface RoomRoutes {
  /**
   * `clients`: programs call them, scripts of other origins too. `users`: browsers open them, with the cookies, headers and
   * languages of the pages. `root`: neither. `operators`: at the management listener, if there is one.
   */
  readonly scope: 'clients' | 'users' | 'root' | 'operators'
  /** At the root of the host; absent: below the path of the issuer. */
  readonly at?: 'host'
  readonly plugin: FastifyPluginAsync
}

/** What a room of an application adds. */
export interface RoomAdditions {
  /** Adds ways to sign in to those that there are, or takes their place. */
  methods?(given: ApplicationMethods): ApplicationMethods
  readonly hears?: {
    /** An event of docs/events.md. No request waits for it. @param origin returns what is known of its cause */
    event?(event: SecurityEvent, origin: () => Origin): void
  }
  /** Started when the service is ready, and closed with it, the last one first. */
  readonly workers?: readonly Worker[]
  readonly routes?: readonly RoomRoutes[]
}

/** A part of the service that can be turned on. */
export interface Room<Parts = RoomParts, Additions = RoomAdditions> {
  /** Up to 32 of `a-z`, `0-9` and `-`. */
  readonly name: string
  /** What the settings say: a room that is off is not loaded. Absent: it is on. */
  isOn?(settings: Settings): boolean
  /** Loads it, before the service starts. Nothing runs yet. */
  load(parts: Parts): Promise<Additions>
}

/** What a room of redmint hears. */
interface Hears extends NonNullable<RoomAdditions['hears']> {
  refused?(refused: RefusedRequest): void
  session?(session: NewSession): void
  /** Something is to be ended in the background. */
  ending?(): void
  /** A notice of a logout was queued. */
  logout?(): void
  /** A request was answered: its route, and how long it took, in seconds. */
  answered?(route: string, seconds: number): void
  /** Returns what a write takes along of events. */
  entriesOf?(events: readonly SecurityEvent[], about: About, origin: Origin): AuditEntries
}

/** What a room of redmint adds. */
export interface LoadedRoom extends AddedParts, Pick<RoomAdditions, 'workers' | 'routes'> {
  readonly hears?: Hears
}

/** A room of redmint. */
export interface OwnRoom extends Room<Ground, LoadedRoom> {
  /** The clients that are part of this server. */
  clients?(settings: Settings): Promise<readonly Client[]>
  /** The listed kinds of its records. Operators keep these also while it is off, so their lists are kept right. */
  listed?(): Promise<readonly KindName[]>
}

/** Registers the routes of rooms that belong here. */
export async function joinRoutes(
  fastify: FastifyInstance,
  rooms: readonly LoadedRoom[],
  scope: RoomRoutes['scope'],
  at?: RoomRoutes['at'],
): Promise<void> {
  const routes = rooms.flatMap(({ routes = [] }) => routes)
  for (const route of routes)
    if (route.scope === scope && route.at === at) await fastify.register(route.plugin)
}
