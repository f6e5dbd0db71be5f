import type { Kind } from '../../storage/records.ts'
import { type Client, formatClient, parseClient } from './client-record.ts'

/** Registered clients, by client_id. */
export const CLIENT: Kind<Client> = {
  name: 'client',
  by_operators: true,
  listed: true,
  format: formatClient,
  parse: (hash, client_id) => parseClient(client_id, hash),
}

/** The same records, written for clients that register themselves: these writes wait for replicas. */
export const REGISTERED_CLIENT: Kind<Client> = {
  name: CLIENT.name,
  listed: true,
  format: CLIENT.format,
  parse: CLIENT.parse,
}
