// A directory in this process, which says what a test wants, and remembers what it was asked.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import {
  AndFilter,
  Ber,
  BerReader,
  BerWriter,
  EqualityFilter,
  type Filter,
  FilterParser,
  OrFilter,
  PresenceFilter,
} from 'ldapts'
import type { Test } from 'tap'
import { messageSize } from '../../../src/directory/message-stream.ts'
import type { TestOptions } from '../service.ts'

/** An entry of the directory. */
export interface FakeEntry {
  readonly dn: string
  readonly password?: string
  readonly attributes: Readonly<Record<string, readonly (string | Buffer)[]>>
}

export const FAKE_BASE = 'dc=example,dc=com'

/** What it was asked. */
export type Asked =
  | { readonly ask: 'bind'; readonly dn: string; readonly password: string }
  | { readonly ask: 'search'; readonly filter: Filter }
  | { readonly ask: 'other' }

/** What it does in place of an answer; false: it answers. */
export type Instead = (asked: Asked, socket: Socket, id: number) => boolean

const [BIND, SEARCH] = [0x60, 0x63]

/**
 * The message of a result (RFC 4511 §4.1.9).
 * @param text what the directory says itself
 * @param policy the error in its response about the password (draft-behera-ldap-password-policy §6.2)
 */
export function resultOf(
  id: number,
  operation: number,
  code: number,
  // Nobody is to read it: it may have the name or the password.
  { text = 'what the directory says itself', policy }: { text?: string; policy?: number } = {},
): Buffer {
  return message(id, (writer) => {
    writer.startSequence(operation)
    writer.writeEnumeration(code)
    writer.writeString('')
    writer.writeString(text)
    writer.endSequence()
    if (policy === undefined) return
    writer.startSequence(0xa0)
    writer.startSequence()
    writer.writeString('1.3.6.1.4.1.42.2.27.8.5.1')
    // A warning that the password expires in so many seconds comes first.
    writer.writeBuffer(Buffer.of(0x30, 8, 0xa0, 3, 0x80, 1, 60, 0x81, 1, policy), 4)
    writer.endSequence()
    writer.endSequence()
  })
}

function message(id: number, write: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter()
  writer.startSequence()
  writer.writeInt(id)
  write(writer)
  writer.endSequence()
  return writer.buffer
}

function entryMessage(id: number, { dn, attributes }: FakeEntry): Buffer {
  return message(id, (writer) => {
    writer.startSequence(0x64)
    writer.writeString(dn)
    writer.startSequence()
    for (const [name, values] of Object.entries(attributes)) {
      writer.startSequence()
      writer.writeString(name)
      writer.startSequence(0x31)
      for (const value of values) {
        if (typeof value === 'string') writer.writeString(value)
        else writer.writeBuffer(value, Ber.OctetString)
      }
      writer.endSequence()
      writer.endSequence()
    }
    writer.endSequence()
    writer.endSequence()
  })
}

function matches(filter: Filter, { attributes }: FakeEntry): boolean {
  const entry: FakeEntry = { dn: '', attributes }
  if (filter instanceof AndFilter) return filter.filters.every((one) => matches(one, entry))
  if (filter instanceof OrFilter) return filter.filters.some((one) => matches(one, entry))
  const found = (attribute: string) =>
    Object.entries(attributes).find(([name]) => name.toLowerCase() === attribute.toLowerCase())?.[1] ?? []
  // The library writes its attribute, but cannot read it.
  if (filter instanceof PresenceFilter) return true
  if (!(filter instanceof EqualityFilter)) return false
  if (filter.attribute.toLowerCase() === 'objectclass') return true
  // The reader of the library takes bytes for a text.
  return found(filter.attribute).some(
    (value) => String(value).toLowerCase() === String(filter.value).toLowerCase(),
  )
}

function readAsked(reader: BerReader, operation: number): Asked {
  if (operation === BIND) {
    reader.readInt()
    return { ask: 'bind', dn: reader.readString() ?? '', password: reader.readString(0x80) ?? '' }
  }
  if (operation !== SEARCH) return { ask: 'other' }
  reader.readString()
  reader.readEnumeration()
  reader.readEnumeration()
  reader.readInt()
  reader.readInt()
  reader.readBoolean()
  return { ask: 'search', filter: FilterParser.parse(reader) }
}

/** Starts a directory on loopback, without TLS. */
export async function startFakeDirectory(t: Test, entries: FakeEntry[], instead: { now?: Instead } = {}) {
  const asked: Asked[] = []
  const sockets = new Set<Socket>()
  const answer = (socket: Socket, id: number, one: Asked) => {
    asked.push(one)
    if (instead.now?.(one, socket, id) === true) return
    if (one.ask === 'bind') {
      // RFC 4513 §5.1.2: without a password anybody is let in, as nobody.
      const is_right =
        one.password === '' || entries.some(({ dn, password }) => dn === one.dn && password === one.password)
      socket.write(resultOf(id, 0x61, is_right ? 0 : 49))
    } else if (one.ask === 'search') {
      const found = entries.filter((entry) => matches(one.filter, entry)).slice(0, 2)
      socket.write(Buffer.concat([...found.map((entry) => entryMessage(id, entry)), resultOf(id, 0x65, 0)]))
    }
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    let rest: Buffer = Buffer.alloc(0)
    socket.on('data', (piece: Buffer) => {
      rest = Buffer.concat([rest, piece])
      for (;;) {
        const size = messageSize(rest)
        if (typeof size !== 'number' || rest.length < size) return
        const reader = new BerReader(rest.subarray(0, size))
        rest = rest.subarray(size)
        reader.readSequence()
        const id = reader.readInt() ?? 0
        answer(socket, id, readAsked(reader, reader.readSequence() ?? 0))
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(async () => {
    cut()
    server.close()
    await once(server, 'close')
  })
  const settings: TestOptions = {
    sign_in: 'directory',
    ldap_url: `ldap://127.0.0.1:${port}`,
    ldap_tls: 'off',
    ldap_base_dn: FAKE_BASE,
    directory_timing: { connect: 60_000, answer: 60_000 },
  }
  return {
    port,
    settings,
    /** What it was asked so far, in short, for comparison. */
    asked: () => asked.map((one) => (one.ask === 'search' ? `search ${one.filter}` : one.ask)),
    /** The passwords that it was shown. */
    passwords: () => asked.flatMap((one) => (one.ask === 'bind' ? [one.password] : [])),
    forget: () => asked.splice(0),
    connections: () => sockets.size,
    /** Ends all connections. */
    cut,
  }
}

/** An entry of a person of OpenLDAP. */
export const personNamed = (uid: string, more: FakeEntry['attributes'] = {}): FakeEntry => ({
  dn: `uid=${uid},ou=people,${FAKE_BASE}`,
  password: `password of ${uid}`,
  attributes: {
    uid: [uid],
    entryUUID: [`00000000-0000-4000-8000-${Buffer.from(uid).toString('hex').padStart(12, '0').slice(-12)}`],
    cn: [`Name of ${uid}`],
    sn: [uid],
    mail: [`${uid}@example.com`],
    ...more,
  },
})
