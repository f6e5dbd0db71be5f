// An authenticator in software, which also lies where a test asks for it.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const FLAGS = { present: 0x01, verified: 0x04, eligible: 0x08, backed_up: 0x10, attested: 0x40 }

/** What a ceremony says: as an honest browser and authenticator would, unless a test changes it. */
export interface Lies {
  origin?: string
  rp_id?: string
  type?: string
  challenge?: string
  user_handle?: string | undefined
  counter?: number
  is_present?: boolean
  is_verified?: boolean
  is_eligible?: boolean
  is_backed_up?: boolean
  client_data?: object
  credential_id?: string
  aaguid?: string
  fmt?: string
}

interface CreationOptions {
  rp: { id: string }
  user: { id: string }
  challenge: string
}

interface RequestOptions {
  rpId: string
  challenge: string
}

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()
const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')

/** A synced passkey that was not made yet; `create` and `get` return what the field `credential` posts. */
export class SoftwarePasskey {
  readonly #origin: string
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  id = base64url(randomBytes(32))
  user_handle: string | undefined
  counter = 0
  is_eligible = true

  constructor(origin: string) {
    this.#origin = origin
  }

  create(options: object, lies: Lies = {}): string {
    const { rp, user, challenge } = options as CreationOptions
    this.user_handle = user.id
    const id = lies.credential_id ?? this.id
    const bytes = Buffer.from(id, 'base64url')
    const aaguid = Buffer.from((lies.aaguid ?? '').replaceAll('-', '').padStart(32, '0'), 'hex')
    const length = Buffer.from([bytes.length >> 8, bytes.length & 255])
    const attested = Buffer.concat([aaguid, length, bytes, this.#publicKey()])
    const authData = Buffer.concat([this.#data(rp.id, lies, FLAGS.attested), attested])
    const object = new Map<string, string | Map<string, string> | Uint8Array>()
    object
      .set('fmt', lies.fmt ?? 'none')
      .set('attStmt', new Map())
      .set('authData', new Uint8Array(authData))
    const response = {
      clientDataJSON: this.#clientData('webauthn.create', challenge, lies),
      attestationObject: base64url(isoCBOR.encode(object)),
      transports: ['internal', 'hybrid'],
    }
    return JSON.stringify({ id, rawId: id, type: 'public-key', response })
  }

  get(options: object, lies: Lies = {}): string {
    const { rpId, challenge } = options as RequestOptions
    const data = this.#data(rpId, lies)
    const clientDataJSON = this.#clientData('webauthn.get', challenge, lies)
    const signed = Buffer.concat([data, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    const id = lies.credential_id ?? this.id
    const response = {
      clientDataJSON,
      authenticatorData: base64url(data),
      signature: base64url(sign('sha256', signed, this.#keys.privateKey)),
      userHandle: 'user_handle' in lies ? lies.user_handle : this.user_handle,
    }
    return JSON.stringify({ id, rawId: id, type: 'public-key', response })
  }

  #clientData(type: string, challenge: string, lies: Lies): string {
    return base64url(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? this.#origin,
        crossOrigin: false,
        ...lies.client_data,
      }),
    )
  }

  #data(rp_id: string, lies: Lies, more = 0): Buffer {
    const { is_present = true, is_verified = true, is_eligible = this.is_eligible } = lies
    const { is_backed_up = is_eligible } = lies
    const flags =
      more +
      (is_present ? FLAGS.present : 0) +
      (is_verified ? FLAGS.verified : 0) +
      (is_eligible ? FLAGS.eligible : 0) +
      (is_backed_up ? FLAGS.backed_up : 0)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(lies.counter ?? this.counter)
    return Buffer.concat([sha256(lies.rp_id ?? rp_id), Buffer.from([flags]), counter])
  }

  #publicKey(): Uint8Array {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
    ])
    key
      .set(-2, new Uint8Array(Buffer.from(x, 'base64url')))
      .set(-3, new Uint8Array(Buffer.from(y, 'base64url')))
    return isoCBOR.encode(key)
  }
}
