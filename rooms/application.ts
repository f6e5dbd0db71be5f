import type { OwnRoom, Room, RoomAdditions, RoomCheck, RoomClient } from '../plugins/room.ts'
import { type Client, parseClient } from '../src/clients/record/client-record.ts'
import { ConfigError } from '../src/config/config-error.ts'
import { ADMIN_SCOPES } from '../src/core/admin-scopes.ts'
import { isObject } from '../src/core/json.ts'
import type { Log } from '../src/core/log.ts'
import { describeProblem } from '../src/core/record-hash.ts'
import type { AccountSource } from '../src/interaction/own-accounts.ts'
import { type ApplicationMethods, methodFaults } from '../src/interaction/sign-in-method.ts'
import type { DoctorCheck } from '../src/service/check.ts'
import { findingsOf, idOf } from '../src/service/finding.ts'
import { SECTION_GROUPS } from '../src/service/section.ts'

/** What an application that embeds redmint brings. */
export interface ApplicationOptions {
  /** The ways to sign in, the first of which the sign-in page shows; a password if it is left out. */
  methods?: ApplicationMethods
  /** The accounts of the application, for methods of its own; absent: those of redmint are all. */
  account_source?: AccountSource
  /** What the application adds to the service. */
  rooms?: readonly Room[]
}

/** The ways to sign in and the accounts of an application. */
export const application = ({ methods, account_source }: ApplicationOptions): OwnRoom => ({
  name: 'application',
  isOn: () => methods !== undefined || account_source !== undefined,
  load: async () => ({
    ...(methods && { methods: () => methods }),
    ...(account_source && { account_source }),
  }),
})

/** A room of an application, which gets what is published, and whose additions are checked. */
export const ofApplication = (room: Room): OwnRoom => ({
  name: room.name,
  isOn: (settings) => room.isOn?.(settings) ?? true,
  clients: async (settings) =>
    ((await room.clients?.(settings)) ?? []).map((fields) => clientOf(room.name, fields)),
  async load({ settings, log, now }) {
    const refuseIf = (faults: readonly string[]) => {
      if (faults.length > 0) throw new ConfigError(faults.map((fault) => `the room ${room.name} ${fault}`))
    }
    const added = await room.load({ settings, log, now })
    refuseIf(additionFaults(added))
    const { methods, checks, sections, ...others } = added
    return {
      ...others,
      ...(checks && { checks: checks.map((check) => checkOf(room.name, check, log)) }),
      ...(sections && {
        sections: sections.map(({ name, title, group, scope, show }) => ({
          ...({ path: `/rooms/${room.name}/${name}`, title, scope, show } as const),
          ...(group && { group }),
        })),
      }),
      ...(methods && {
        methods(given) {
          const all = methods(given)
          refuseIf(methodFaults(all).map((fault) => `${fault}, as a way to sign in`))
          return all
        },
      }),
    }
  },
})

/** A fault of a check is a finding: the other checks are made. */
function checkOf(room: string, { name, look }: RoomCheck, log: Log): DoctorCheck {
  const check = `${room} ${name}`
  return {
    names: [check],
    async look() {
      try {
        const { level, finding, advice } = await look()
        return [{ id: idOf(check), check, level, finding, ...(advice !== undefined && { advice }) }]
      } catch (error) {
        log.error({ err: error }, `A check of the room ${room} failed.`)
        return [findingsOf(check).problem('it could not be looked at', 'Look into the log of the server.')]
      }
    },
  }
}

/** Returns a client that a room brings. @throws ConfigError if it is malformed */
function clientOf(room: string, fields: RoomClient): Client {
  const { client_id = '' } = fields
  const parsed = parseClient(client_id, fields)
  if (parsed.ok) return parsed.record
  const problems = parsed.problems.map(describeProblem).join('; ')
  throw new ConfigError([`the room ${room} has the client "${client_id}", which is malformed: ${problems}`])
}

const ROOM_NAME = /^[a-z0-9-]{1,32}$/

const isFunction = (value: unknown) => typeof value === 'function'

/** What is wrong with rooms that an application passes, each as the end of a message. */
export function roomFaults(rooms: readonly Partial<Room>[]): string[] {
  const names = rooms.map(({ name = '' }) => name)
  return rooms.flatMap(({ name = '', isOn, clients, load }, index) => {
    const of = `has ${JSON.stringify(name)}`
    return [
      ...(ROOM_NAME.test(name) ? [] : [`${of}: a name has up to 32 of a-z, 0-9 and "-"`]),
      ...(names.indexOf(name) === index ? [] : [`${of} twice`]),
      ...(isOn === undefined || isFunction(isOn) ? [] : [`${of}, whose isOn is not a function`]),
      ...(clients === undefined || isFunction(clients) ? [] : [`${of}, whose clients is not a function`]),
      ...(isFunction(load) ? [] : [`${of} without a function load`]),
    ]
  })
}

type Rule = readonly [fault: string, isRight: (value: unknown) => boolean]

const isWorker = (value: unknown) =>
  isObject(value) && isFunction(value.close) && (value.start === undefined || isFunction(value.start))

const SCOPES: readonly unknown[] = ['clients', 'users', 'root', 'operators']

const isRoute = (value: unknown) =>
  isObject(value) &&
  SCOPES.includes(value.scope) &&
  (value.at === undefined || value.at === 'host') &&
  isFunction(value.plugin)

const isCheck = (value: unknown) =>
  isObject(value) && typeof value.name === 'string' && isFunction(value.look)

const isSection = (value: unknown) =>
  isObject(value) &&
  typeof value.name === 'string' &&
  ROOM_NAME.test(value.name) &&
  typeof value.title === 'string' &&
  ADMIN_SCOPES.some((scope) => scope === value.scope) &&
  (value.group === undefined || SECTION_GROUPS.some((group) => group === value.group)) &&
  isFunction(value.show)

const isArrayOf = (isRight: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(isRight)

const ADDITIONS: Readonly<Record<keyof RoomAdditions, Rule>> = {
  methods: ['must be a function', isFunction],
  hears: [
    'must be an object with a function event',
    (value) =>
      isObject(value) && Object.entries(value).every(([name, hear]) => name === 'event' && isFunction(hear)),
  ],
  workers: ['must be an array of objects with a function close', isArrayOf(isWorker)],
  routes: [
    `must be an array of objects with a scope, which is one of ${SCOPES.join(', ')}, and a function plugin`,
    isArrayOf(isRoute),
  ],
  checks: ['must be an array of objects with a name and a function look', isArrayOf(isCheck)],
  sections: [
    'must be an array of objects with a name as of a room, a title, a scope of the admin API, a function show, and a group of the side bar or none',
    isArrayOf(isSection),
  ],
}

/** What is wrong with what a room added, each as the end of a message. */
function additionFaults(added: unknown): string[] {
  if (!isObject(added)) return ['must return an object from load']
  return Object.entries(added).flatMap(([name, value]) => {
    if (!Object.hasOwn(ADDITIONS, name)) return [`adds ${name}, which no room can add`]
    const [fault, isRight] = ADDITIONS[name as keyof RoomAdditions]
    return value === undefined || isRight(value) ? [] : [`adds ${name}, which ${fault}`]
  })
}
