import type { FastifyRequest } from 'fastify'
import { ARRIVAL_HEADER, noteArrival } from '../src/service/arrivals.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'
import { clientAddress } from './address.ts'

/**
 * A hook `onRequest` of one route: it notes for `redmint doctor` how its request arrived. The answer is that of any other
 * request, so others learn nothing of it, whatever they send.
 */
export async function noteHowItArrived(request: FastifyRequest): Promise<void> {
  const value = request.headers[ARRIVAL_HEADER]
  if (typeof value !== 'string') return
  const { id: request_id, headers, ips = [], socket, trace_id = '' } = request
  const textOf = (name: string) => String(headers[name] ?? '')
  try {
    await noteArrival(request.server.redmint, value, {
      peer: socket.remoteAddress ?? '',
      is_forwarded: ips.length > 1,
      address: clientAddress(request),
      forwarded_for: textOf('x-forwarded-for'),
      forwarded_proto: textOf('x-forwarded-proto'),
      host: textOf('host'),
      trace_id,
      request_id,
    })
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
  }
}
