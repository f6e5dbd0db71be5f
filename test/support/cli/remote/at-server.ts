// A server with the admin API at an address, and the command of an operator elsewhere.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { fitIndexes, noteFitted } from '../../../../src/storage/indexes.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { userIndex } from '../../../../src/users/user-index.ts'
import { CHEAP, storeRelyingParties, storeUsers } from '../../accounts.ts'
import { createClient } from '../../records.ts'
import { visitorOf } from '../../scene/requests.ts'
import { startListening } from '../../server.ts'
import { basic, CLIENTS, type TestOptions } from '../../service.ts'
import { createCli } from '../run-cli.ts'

type CliOptions = NonNullable<Parameters<typeof createCli>[0]>

/** A server with the admin API, alice and bob, which listens. */
export async function startAtServer(t: Test, options: TestOptions = {}) {
  const storage = new MemoryStorage()
  const service = await startListening(t, {
    ...CHEAP,
    admin_api: 'on',
    demo: false,
    storage,
    ...options,
  })
  await storeUsers(storage)
  await storeRelyingParties(storage)
  await fitIndexes(storage, [userIndex(storage)])
  await noteFitted(storage, Date.now())
  const { issuer, fastify } = service
  const config = await mkdtemp(join(tmpdir(), 'redmint-'))
  t.teardown(() => rm(config, { recursive: true }))
  return {
    ...service,
    /** The folder of the operator's settings. */
    config,
    /** The command on a machine without Redis. */
    elsewhere: (environment: Record<string, string> = {}, cli: CliOptions = {}) =>
      createCli({
        openStorage: () => {
          throw new Error('the command opens storage')
        },
        environment: { XDG_CONFIG_HOME: config, ...environment },
        ...cli,
      }).redmint,
    /** The command on a host with the storage of the server. */
    host: createCli({
      storage,
      environment: {
        REDIS_URL: 'redis://127.0.0.1:1',
        LOG_LEVEL: 'error',
        TRUSTED_ISSUERS: String(options.trusted_issuers ?? false),
        ISSUER: issuer,
      },
    }).redmint,
    /** A token of a new client for itself. */
    async tokenOf(...scopes: readonly string[]): Promise<string> {
      const client_id = `operator-${scopes.join('-')}`
      const client = { ...CLIENTS.service, client_id, allowed_scopes: scopes }
      await createClient(storage, client_id, formatClient(client))
      const form = { grant_type: 'client_credentials', resource: `${issuer}/admin/v1` }
      return String((await service.token(form, basic(client_id))).json.access_token)
    },
    visitor: () => visitorOf(() => fastify, issuer),
  }
}
