import type { FastifyInstance } from 'fastify'
import type { Storage } from '../src/storage/storage.ts'
import type { DevClock } from './clock.ts'
import type { Taps } from './taps.ts'

/** A server for development, without what controls it. */
export interface ServerParts {
  readonly fastify: FastifyInstance
  readonly clock: DevClock
  readonly storage: Storage
  readonly taps: Taps
  /** The address of the issuer. */
  readonly issuer: string
}
