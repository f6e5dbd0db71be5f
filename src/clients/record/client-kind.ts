import type { Kind } from '../../storage/records.ts'
import { namedWords } from '../../storage/words.ts'
import { type Client, formatClient, parseClient } from './client-record.ts'

/** What operators find applications by. */
const CLIENT_WORDS = namedWords('client_name')

/** Registered clients, by client_id. */
export const CLIENT: Kind<Client> = {
  name: 'client',
  by_operators: true,
  listed: true,
  words: CLIENT_WORDS,
  format: formatClient,
  parse: (hash, client_id) => parseClient(client_id, hash),
}

/** The same records, written for clients that register themselves: these writes wait for replicas. */
export const REGISTERED_CLIENT: Kind<Client> = {
  name: CLIENT.name,
  listed: true,
  words: CLIENT_WORDS,
  format: CLIENT.format,
  parse: CLIENT.parse,
}
