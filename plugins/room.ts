import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type { Client } from '../src/clients/record/client-record.ts'
import type { Settings } from '../src/config/settings.ts'
import type { AddedParts, Ground } from '../src/context.ts'
import type { About, AuditEntries, Origin } from '../src/core/audit-entries.ts'
import type { ProvenStep, UnprovenStep } from '../src/core/connection-steps.ts'
import type { SecurityEvent } from '../src/core/events.ts'
import type { Log } from '../src/core/log.ts'
import type { RefusedRequest } from '../src/core/refusal.ts'
import type { Worker } from '../src/core/worker.ts'
import type { ApplicationMethods } from '../src/interaction/sign-in-method.ts'
import type { RelyingParties } from '../src/providers/parties.ts'
import type { ConsoleSection } from '../src/service/section.ts'
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
  /** What `doctor` looks at besides, at the server. */
  readonly checks?: readonly RoomCheck[]
  /** What the console has besides. */
  readonly sections?: readonly RoomSection[]
}

/** What a room of an application has examined. */
export interface RoomCheck {
  /** What is looked at, in words. */
  readonly name: string
  /** Looks at it. Operators wait for it. */
  look(): Promise<RoomFinding>
}

/** What was found. */
export interface RoomFinding {
  readonly level: 'ok' | 'warning' | 'problem'
  readonly finding: string
  /** What to do; absent: nothing. */
  readonly advice?: string
}

/** A section of the console: one page, which reads. */
export interface RoomSection extends Pick<ConsoleSection, 'title' | 'group' | 'scope' | 'show'> {
  /** The end of its address: up to 32 of `a-z`, `0-9` and `-`. */
  readonly name: string
}

/** A client as its record has it: the fields of docs/keyspace.md. */
export type RoomClient = Readonly<Record<string, string>>

/** A part of the service that can be turned on. */
export interface Room<Parts = RoomParts, Additions = RoomAdditions, Own = RoomClient> {
  /** Up to 32 of `a-z`, `0-9` and `-`. */
  readonly name: string
  /** What the settings say: a room that is off is not loaded. Absent: it is on. */
  isOn?(settings: Settings): boolean
  /** The clients that are part of this server, and have no record in storage. */
  clients?(settings: Settings): Promise<readonly Own[]>
  /** Loads it, before the service starts. Nothing runs yet. */
  load(parts: Parts): Promise<Additions>
}

/** What a room of redmint hears. */
interface Hears extends NonNullable<RoomAdditions['hears']> {
  refused?(refused: RefusedRequest): void
  /** A client came a step further. */
  proven?(step: ProvenStep): void
  /** Somebody did who proved nothing. */
  unproven?(step: UnprovenStep): void
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
export interface OwnRoom extends Room<Ground, LoadedRoom, Client> {
  /** The listed kinds of its records. Operators keep these also while it is off, so their lists are kept right. */
  listed?(): Promise<readonly KindName[]>
}

/** How often the keepers of rooms work, in milliseconds; absent: as they do by themselves. */
export interface KeeperOptions {
  readonly every?: number
}

/** What asks providers, once for the rooms that do; undefined: nobody signs in by one. */
export type PartiesOf = (settings: Settings) => Promise<RelyingParties | undefined>

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
