import { removeClient, setDisabled } from '../../src/admin/clients/state.ts'
import { describeEnded } from '../../src/admin/end-all.ts'
import { adminContext } from '../admin-context.ts'
import { JWT_NOTE } from '../end-all.ts'
import { withHints } from '../errors.ts'
import type { Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import { hintsFor } from './show.ts'

/** The commands `client disable` and `client enable`. @throws Refusal if the client does not exist */
export async function disableClient(
  context: CommandContext,
  client_id: string,
  disabled: boolean,
): Promise<Report> {
  await withHints(hintsFor(client_id), setDisabled(adminContext(context), client_id, disabled))
  return {
    text: disabled
      ? `The client is disabled. Servers refuse its codes and tokens until it is enabled. ${JWT_NOTE}`
      : 'The client is enabled. Its codes and tokens that have not expired are valid again.',
    json: { client_id, disabled },
  }
}

/** The command `client remove`. @throws Refusal if the client does not exist */
export async function removeClientOf(context: CommandContext, client_id: string): Promise<Report> {
  const ended = await withHints(hintsFor(client_id), removeClient(adminContext(context), client_id))
  return {
    text: `The client is removed. ${describeEnded(ended)} ${JWT_NOTE}`,
    json: { client_id, removed: true, ended },
  }
}
