import { importClient } from './clients.ts'
import { commandClient } from './command-client.ts'
import { declareClient, declareUser } from './declared.ts'
import { listInactiveUsers } from './inactive-users.ts'
import type { HostOperation } from './operation.ts'
import { setPassword } from './set-password.ts'
import { importUser, indexUsers } from './users.ts'

/** All operations that only the command on the host has, by their names. */
export const HOST_OPERATIONS = {
  list_inactive_users: listInactiveUsers,
  set_password: setPassword,
  import_client: importClient,
  import_user: importUser,
  declare_client: declareClient,
  declare_user: declareUser,
  index_users: indexUsers,
  register_command_client: commandClient,
} as const satisfies Readonly<Record<string, HostOperation>>
