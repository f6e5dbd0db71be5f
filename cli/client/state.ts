import { describeEnded } from '../../src/admin/operation/end-all.ts'
import type { Calls } from '../calls.ts'
import { JWT_NOTE } from '../end-all.ts'
import { withHints } from '../errors.ts'
import type { Report } from '../output.ts'
import { hintsFor } from './show.ts'

/** The commands `client disable` and `client enable`. @throws Refusal if the client does not exist */
export async function disableClient({ call }: Calls, client_id: string, disabled: boolean): Promise<Report> {
  const name = disabled ? 'disable_client' : 'enable_client'
  await withHints(hintsFor(client_id), call(name, { params: { client_id } }))
  return {
    text: disabled
      ? `The client is disabled. Servers refuse its codes and tokens until it is enabled. ${JWT_NOTE}`
      : 'The client is enabled. Its codes and tokens that have not expired are valid again.',
    json: { client_id, disabled },
  }
}

/** The command `client remove`; on the host it waits until all is ended. @throws Refusal if the client does not exist */
export async function removeClientOf({ call }: Calls, client_id: string): Promise<Report> {
  const removing = call('delete_client', { params: { client_id } })
  const { ended } = await withHints(hintsFor(client_id), removing)
  return {
    text: `The client is removed. ${describeEnded(ended)} ${JWT_NOTE}`,
    json: { client_id, removed: true, ended },
  }
}
